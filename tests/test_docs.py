"""The guides: their commands parse, their links exist, their Python is that of the package."""

import ast
import importlib
import inspect
import re
import shlex
import tomllib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

import drive.carracing  # noqa: F401 - registers the world
import evaluation
import maps
import policies
from drive.udacity.faults import CAUSES
from evaluation.lane import WORLD
from evaluation.metrics import REGISTRY
from maps import command_line
from maps.command_line import resolve
from nsac_core.methods import METHODS
from policies.protocol import ACTION_HIGH, ACTION_LOW
from tests.guides.blocks import DOCUMENTS, ROOT, blocks, texts

PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROGRAMS = {
    name: importlib.import_module(target.partition(":")[0])
    for name, target in PYPROJECT["project"]["scripts"].items()
}
"""The module of each program, with its ``main`` and, where it has several, its ``COMMANDS``."""

OTHERS = {"nsac-train": ["--expert", "ppo"], "nsac-evaluate": ["--world", "udacity"]}
"""Options that choose another configuration."""


class ParsedError(Exception):
    """Raised in place of the work; its argument is the configuration."""


RESULTS = [
    *(ROOT / "docs" / "results").glob("*.md"),
    ROOT / "policies" / "pretrained" / "README.md",
]
"""Pages that say by which commands their numbers were made."""


def command_lines(documents: Iterable[Path] = DOCUMENTS) -> list[str]:
    """Every ``nsac-*`` command of the documents, each once."""
    found = [block for document in documents for block in blocks(document)]
    lines = [line for block in found for line in block.commands]
    return list(dict.fromkeys(line for line in lines if line.startswith("nsac-")))


def python_blocks() -> list[Any]:
    return [
        pytest.param(text, id=f"{document.stem}-{number}")
        for document in DOCUMENTS
        for number, text in enumerate(texts(document, "python"))
    ]


def table_names(document: str, words: str) -> list[str]:
    """The names in code in the first column of the first table after these words."""
    text = (ROOT / "docs" / document).read_text(encoding="utf-8")
    text = text[text.index(words) :]
    rows = text[text.index("\n|") + 1 :].split("\n\n")[0].splitlines()[2:]
    return [name for row in rows for name in re.findall(r"`(\w+)`", row.split("|")[1])]


def parse(line: str, monkeypatch: pytest.MonkeyPatch) -> object:
    """The configuration that a command line stands for; whatever would do the work exists."""

    def resolve_but_stop(name: str) -> Callable[..., Any]:
        found = resolve(name)
        return found if inspect.isclass(found) else stop

    monkeypatch.setattr(command_line, "resolve", resolve_but_stop)
    program, *arguments = shlex.split(line)
    with pytest.raises(ParsedError) as parsed:
        PROGRAMS[program].main(arguments)
    configuration: object = parsed.value.args[0]
    return configuration


def stop(config: object) -> None:
    raise ParsedError(config)


@pytest.mark.parametrize("line", command_lines([*DOCUMENTS, *sorted(RESULTS)]))
def test_every_command_line_is_understood(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    config = parse(line, monkeypatch)
    if hasattr(config, "check"):
        config.check()


def test_every_program_is_documented() -> None:
    shown = {line.split()[0] for line in command_lines()}
    assert shown >= PROGRAMS.keys() - {"nsac-demo"}


def test_a_wrong_option_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SystemExit):
        parse("nsac-train --data a-v0 --out policy.safetensors --epoch 3", monkeypatch)


def test_every_option_in_the_text_exists(capsys: pytest.CaptureFixture[str]) -> None:
    known = ""
    for name, program in PROGRAMS.items():
        words = [[], *([word] for word in getattr(program, "COMMANDS", {})), OTHERS.get(name, [])]
        for arguments in words:
            with pytest.raises(SystemExit) as end:
                program.main([*arguments, "--help"])
            assert not end.value.code
            known += capsys.readouterr().out
    for document in DOCUMENTS:
        text = re.sub(r"```.*?```", "", document.read_text(encoding="utf-8"), flags=re.DOTALL)
        for option in re.findall(r"`(?:nsac-\w+ )?(--[a-z.-]+)", text):
            assert re.search(rf"{re.escape(option)}\b", known), f"{document.name}: {option}"


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.stem))
def test_relative_links_lead_somewhere(document: Path) -> None:
    for link in re.findall(r"\]\(([^)\s]+)\)", document.read_text(encoding="utf-8")):
        target, _, anchor = link.partition("#")
        if "://" in target:
            continue
        path = document.parent / target if target else document
        assert path.is_file(), f"{document.name}: {link}"
        if anchor:
            headings = re.findall(r"^#+ (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
            assert anchor in {heading.lower().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("text", python_blocks())
def test_python_uses_only_what_exists(text: str) -> None:
    """Imports, attributes of imported modules, and the arguments of what is called."""
    tree = ast.parse(text)
    known: dict[str, Any] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for name in node.names:
                module = importlib.import_module(name.name)
                known[name.asname or name.name.partition(".")[0]] = module
        elif isinstance(node, ast.ImportFrom) and node.module != "follow_road":
            exec(ast.unparse(node), known)  # a name may be a module that nothing has imported yet
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            if inspect.ismodule(known.get(node.value.id)):
                assert hasattr(known[node.value.id], node.attr), ast.unparse(node)
        elif isinstance(node, ast.Call):
            check_call(node, called(node.func, known))


def called(function: ast.expr, known: dict[str, Any]) -> Callable[..., Any] | None:
    """What a call calls, where it is an imported name or an attribute of one."""
    if isinstance(function, ast.Name):
        return known.get(function.id)
    if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
        return getattr(known.get(function.value.id), function.attr, None)
    return None


def check_call(node: ast.Call, function: Callable[..., Any] | None) -> None:
    if function is None or inspect.isbuiltin(function) or not inspect.getmodule(function):
        return
    keywords = {keyword.arg: None for keyword in node.keywords if keyword.arg}
    inspect.signature(function).bind(*([None] * len(node.args)), **keywords)


def test_the_python_of_the_maps_guide_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (text,) = texts(ROOT / "docs" / "maps.md", "python")
    exec(compile(text, "maps.md", "exec"), {})
    # Ramanujan's circumference of an ellipse of half-axes 200 and 120.
    h = (80 / 320) ** 2
    length = np.pi * 320 * (1 + 3 * h / (10 + np.sqrt(4 - 3 * h)))
    assert float(capsys.readouterr().out.split()[0]) == pytest.approx(length, rel=1e-3)


def test_the_maps_guide_names_all_maps() -> None:
    text = (ROOT / "docs" / "maps.md").read_text(encoding="utf-8")
    assert set(maps.names()) <= set(re.findall(r"`([a-z]+)`", text))


@pytest.fixture
def follow_road(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> policies.Policy:
    """The guide's own policy, loaded as its reader would."""
    monkeypatch.chdir(tmp_path)
    code = texts(ROOT / "docs" / "own_policy.md", "python")[0]
    Path("follow_road.py").write_text(code, encoding="utf-8")
    return policies.load("follow_road:make")


def test_the_guides_policy_keeps_the_contract_on_a_black_picture(
    follow_road: policies.Policy,
) -> None:
    follow_road.reset(3, seed=1)
    decision = follow_road.act(np.zeros((3, *follow_road.observation.shape), dtype=np.uint8))
    assert decision.action.shape == (3, 3)
    assert (decision.action >= ACTION_LOW).all()
    assert (decision.action <= ACTION_HIGH).all()
    assert not decision.epistemic.any()


def test_the_guides_policy_drives_and_fills_the_documented_columns(
    follow_road: policies.Policy,
) -> None:
    laps, steps = evaluation.drive_laps(follow_road, "short", renderer="fast")
    assert laps["progress"].item() > 0.5
    lap_columns = table_names("evaluate.md", "`laps.parquet`:")
    step_columns = table_names("evaluate.md", "`steps.parquet` has the same first columns")
    identity = lap_columns[: lap_columns.index("half_width") + 1]
    assert set(lap_columns) == set(laps.columns)
    assert {*identity, *step_columns} == set(steps.columns)


def test_every_metric_is_documented() -> None:
    assert set(REGISTRY) <= set(table_names("evaluate.md", "`laps.parquet`:"))


def test_every_fault_of_a_bridge_is_documented() -> None:
    assert set(CAUSES) == set(table_names("udacity.md", "whatever the clock."))


def test_the_infos_of_a_recording_are_documented() -> None:
    env = gymnasium.make(WORLD, disable_env_checker=True, renderer="none", observation="gray84")
    _, info = env.reset(seed=0)
    env.close()
    documented = set(table_names("record.md", "`infos`"))
    assert documented == {*info, "executed_action", "learner_drove"}


def test_the_python_of_the_core_guide_runs(capsys: pytest.CaptureFixture[str]) -> None:
    for text in texts(ROOT / "docs" / "core.md", "python"):
        exec(compile(text, "core.md", "exec"), {})
    values = [float(word) for word in re.findall(r"-?\d+\.\d+", capsys.readouterr().out)]
    nll, mse, told_apart = values
    # The noise has variance 0.01, the targets 0.18.
    assert 0.009 < mse < 0.05
    assert nll < 0
    assert told_apart > 0.7


def test_the_core_guide_names_every_method_and_its_options() -> None:
    text = (ROOT / "docs" / "core.md").read_text(encoding="utf-8")
    rows = re.findall(
        r"^\| `(\w+)` \|[^|]*\|([^|]*)\|$", text.split("## The layers")[0], re.MULTILINE
    )
    named = {name: set(re.findall(r"`(\w+)`", options)) for name, options in rows}
    for name, method in METHODS.items():
        parameters = inspect.signature(method).parameters.values()
        own = {p.name for p in parameters if p.kind is inspect.Parameter.KEYWORD_ONLY}
        assert named[name] <= own
    assert named.keys() == METHODS.keys()
