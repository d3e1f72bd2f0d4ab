"""Names and paths are printed as they are: brackets in them are no markup."""

import ast
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from drive.udacity.bridge import Status
from drive.udacity.reply_times import ReplySpeed
from evaluation import demo
from evaluation.demo_config import DemoConfig
from evaluation.udacity.screen import screen
from maps.cli import main
from maps.console import console
from maps.store import FOLDER
from policies.errors import PolicyError

NAME = "a[/b] [red]c[/red] :car:"
ROOT = Path(__file__).parents[2]
PACKAGES = ("maps", "nsac_core", "drive", "policies", "recorders", "evaluation")
OTHERS = {
    "maps/console.py": "the one that all print with",
    "policies/ppo/display.py": "a bar, and lines without markup",
    "recorders/care/commands.py": "tables",
    "recorders/commands.py": "a line of numbers that is drawn anew",
    "recorders/udacity.py": "shows nothing",
    "evaluation/study/progress.py": "a bar, and lines without markup",
}
"""Modules with a console of their own, which prints no name."""


def test_a_name_in_brackets_is_printed_whole(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    content = json.loads((FOLDER / "oval.json").read_text())
    Path("m.json").write_text(json.dumps({**content, "name": NAME, "origin": NAME}))
    picture = f"{NAME.replace('/', '')}.png"
    main(["show", "m.json", "--png", picture])
    first, origin, written = capsys.readouterr().out.splitlines()
    assert first.startswith(f"{NAME}: lap ")
    assert origin == NAME
    assert written == f"wrote {picture}"


def test_a_policy_in_brackets_drives_a_simulator(capsys: pytest.CaptureFixture[str]) -> None:
    status = Status(0, ReplySpeed(0, 0.0, 0.0, 0.0), None, None, {})
    console(soft_wrap=False).print(screen(status, NAME, "[::1]:4567"))
    assert f"{NAME} on [::1]:4567" in capsys.readouterr().out


def test_the_demonstration_tells_names_in_brackets(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def told(_: object, __: Path, tell: Callable[[str], None]) -> Path:
        tell(NAME)
        raise PolicyError("the end")

    monkeypatch.setattr(demo, "clone", told)
    with pytest.raises(SystemExit, match="2"):
        demo.run_demo(DemoConfig(tmp_path))
    assert capsys.readouterr().out.endswith(f"  {NAME}\n")


def consoles(source: str) -> int:
    """How many consoles a module makes, but for those of progress bars."""
    tree = ast.parse(source)
    bars = [k.value for k in ast.walk(tree) if isinstance(k, ast.keyword) and k.arg == "console"]
    made = [n for n in ast.walk(tree) if isinstance(n, ast.Call) and n not in bars]
    return sum(ast.unparse(call.func) == "Console" for call in made)


def test_who_prints_words_does_so_without_markup() -> None:
    assert consoles("Console().print(x)") == 1
    assert consoles("Progress(console=Console(stderr=True))") == 0
    files = [file for package in PACKAGES for file in sorted((ROOT / package).rglob("*.py"))]
    found = {f.relative_to(ROOT).as_posix() for f in files if consoles(f.read_text("utf-8"))}
    assert found == OTHERS.keys()
