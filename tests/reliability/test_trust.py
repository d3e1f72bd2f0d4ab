"""What a file names is not run before it is trusted: only what was typed is."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import policies
from evaluation.errors import EvaluationError
from evaluation.inspect_cli import main
from evaluation.inspection.config import LapsConfig
from evaluation.inspection.seen_laps import see_run
from policies.errors import PolicyError
from policies.loading import BUNDLED, runs_code

MODULE = "theirs_that_writes"
FACTORY = f"{MODULE}:make"
SELECTIVE = f"selective:{FACTORY}?threshold=0.1"


@pytest.fixture
def exploded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The file that a module of the working folder writes when it is imported."""
    file = tmp_path / "exploded"
    (tmp_path / f"{MODULE}.py").write_text(f"open({str(file)!r}, 'w').close()\nmake = None\n")
    monkeypatch.chdir(tmp_path)
    yield file
    sys.modules.pop(MODULE, None)


def a_run(folder: Path, policy: str) -> Path:
    """The folder of a run that says that a policy drove."""
    folder.mkdir()
    content = {
        "config": {"policy": [policy], "maps": "seed:3"},
        "sources": {"theirs": policy},
        "identity": {"policies": {"theirs": ""}},
    }
    (folder / "config.json").write_text(json.dumps(content))
    return folder


def test_the_module_is_a_bomb(exploded: Path) -> None:
    with pytest.raises(PolicyError):
        policies.load(FACTORY)
    assert exploded.exists()


@pytest.mark.fault(
    "factory of somebody else", "config.json of a run: nsac-inspect", "asks for --trust"
)
@pytest.mark.parametrize("policy", [FACTORY, SELECTIVE])
@pytest.mark.parametrize("command", ["traces", "saliency", "report"])
def test_a_factory_that_a_run_names_is_not_imported(
    command: str,
    policy: str,
    exploded: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    run = a_run(tmp_path / "theirs", policy)
    with pytest.raises(SystemExit, match="2"):
        main([command, "--out", str(run)])
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"error: {run / 'config.json'}: names the policy {policy}, which")
    assert "--trust" in line
    assert not exploded.exists()


def test_trusted_it_is(exploded: Path, tmp_path: Path) -> None:
    with pytest.raises(PolicyError, match="the factory failed"):
        see_run(a_run(tmp_path / "theirs", FACTORY), trust=True)
    assert exploded.exists()


def test_what_a_run_says_of_a_policy_that_was_typed_is_not_believed(tmp_path: Path) -> None:
    run = a_run(tmp_path / "theirs", FACTORY)
    with pytest.raises(PolicyError, match=f"names the policy {FACTORY}"):
        LapsConfig(run, ("nsac",), "seed:3").sources()
    assert LapsConfig(run, (FACTORY,), "seed:3").sources() == {"theirs": FACTORY}
    assert LapsConfig(run, ("nsac",), "seed:3", trust=True).sources() == {"theirs": FACTORY}


def test_a_run_that_does_not_say_what_drove_is_named(tmp_path: Path) -> None:
    run = a_run(tmp_path / "theirs", "nsac")
    content = json.loads((run / "config.json").read_text())
    (run / "config.json").write_text(json.dumps({**content, "sources": {}}))
    with pytest.raises(EvaluationError, match=r"config\.json: does not say what loads"):
        LapsConfig(run).sources()


@pytest.mark.parametrize(
    ("name", "own"),
    [
        *((name, False) for name in ("privileged", *BUNDLED, "a.safetensors", "selective:nsac")),
        *((name, False) for name in ("a.onnx?scale=255", "a:b.safetensors", "unknown")),
        *((name, True) for name in (FACTORY, SELECTIVE, "sys:exit", "a.zip", "a.pt2", "a.ts")),
        *((name, True) for name in ("a.pt?shape=4x84x84", "selective:a.zip?threshold=0.1")),
    ],
)
def test_which_policies_can_run_code(name: str, own: bool) -> None:
    name = f"{name}?threshold=0.1" if name == "selective:nsac" else name
    assert runs_code(name) is own
