"""Numbers that nobody means, in any setting of any program, are one line before any work."""

import importlib
import math
import re
import types
from collections.abc import Iterator
from dataclasses import MISSING, fields, is_dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import pytest

from maps.command_line import Command, resolve
from maps.limits import check_numbers

PROGRAMS = (
    *("drive.udacity.cli", "evaluation.cli", "evaluation.demo_cli", "evaluation.inspect_cli"),
    *("maps.cli", "nsac_core.cli", "policies.cli", "recorders.cli"),
)
SENSELESS: dict[type, tuple[float, ...]] = {
    int: (-1, 2**70, 10**30),
    float: (math.nan, math.inf, -math.inf, -1.5, 1e30),
}
SIGNED = ("worse_than", "start")
"""A return may be negative, and a place on a closed course."""

COMMANDS = (
    "policies.cli --data a-v0 --out a.safetensors --n-samples 1000000000",
    "policies.cli --data a-v0 --out a.safetensors --learning-rate inf",
    "policies.cli --data a-v0 --out a.safetensors --augmentation.mirror 2",
    "policies.cli --data a-v0 --out a.safetensors --augmentation.shift -1",
    "policies.cli --data a-v0 --out a.safetensors --augmentation.brightness nan",
    "policies.cli --data a-v0 --out a.safetensors --seed 1000000000000000000000000000000",
    "policies.cli udacity --data a --out a.safetensors --augmentation.shadow nan 0.5",
    "policies.cli --expert ppo --out a.safetensors --world.first-seed 2147483648",
    "policies.cli --expert ppo --out a.safetensors --cloning.batch 0",
    "recorders.cli carracing --out a-v0 --noise.steer inf --noise.share 1",
    "recorders.cli carracing --out a-v0 --noise.kick-steps 1000000000000000000000000000000",
    "recorders.cli carracing --out a-v0 --episodes 200000000",
    "recorders.cli udacity --out a --seconds nan",
    "recorders.cli drop-episodes a-v0 --worse-than nan",
    "evaluation.cli --policy privileged --maps oval --out a --seed 18446744073709551616",
    "evaluation.cli drivers --out a --training-batch 0",
    "evaluation.cli perturbations --out a --path-steps 0",
    "evaluation.cli perturbations --out a --seed -1",
    "evaluation.cli study seeds.toml --out a",
    "evaluation.cli --world udacity --policy nsac-udacity --seconds inf",
    "evaluation.inspect_cli traces --policy nsac --map oval --out a --ablate -1",
    "evaluation.inspect_cli saliency --policy nsac --map oval --out a --samples 1000000000",
    "evaluation.demo_cli --out a --dagger.noise.kick nan",
    "evaluation.demo_cli --out a --dagger.epochs 0",
    "nsac_core.cli spiral --out a --first-seed 1000000000000000000000000000000",
    "nsac_core.cli boston --out a --first-seed 4294967295",
    "nsac_core.cli runtime --out a --length 1000000000000",
    "drive.udacity.cli --disturbance-seed -1",
    "maps.cli import a.csv --out a.json --length nan",
)


def settings() -> dict[str, type]:
    """The configurations of all programs, by module and class."""
    found: dict[str, type] = {}
    for program in PROGRAMS:
        named = vars(importlib.import_module(program))
        for command in (*named.values(), *named.get("COMMANDS", {}).values()):
            if isinstance(command, Command):
                found[command.config] = resolve(command.config)  # type: ignore[assignment]
    return found


SETTINGS = settings()


def bare(hint: Any) -> Any:  # noqa: ANN401 - any type
    return bare(get_args(hint)[0]) if get_origin(hint) is Annotated else hint


def kinds(hint: Any) -> set[type]:  # noqa: ANN401 - any type
    """Which of ``int`` and ``float`` a type holds."""
    hint = bare(hint)
    if get_origin(hint) in (Union, types.UnionType, tuple):
        return set[type]().union(*map(kinds, get_args(hint)))
    return {hint} & {int, float}


def example(kind: type) -> Any:  # noqa: ANN401 - any configuration
    """One whose fields have a value of their type."""
    hints = get_type_hints(kind)
    made: dict[type, object] = {str: "a-v0", Path: Path("a.safetensors"), float: 0.5}
    given = {}
    for field in fields(kind):
        if field.default is MISSING and field.default_factory is MISSING:
            hint = bare(hints[field.name])
            literal = get_args(hint)[0] if get_origin(hint) is Literal else None
            item = get_args(hint)[0] if get_origin(hint) is tuple else hint
            value = literal or made[item]
            given[field.name] = (value,) if get_origin(hint) is tuple else value
    return kind(**given)


def numbers(config: Any) -> Iterator[tuple[str, type, Any]]:  # noqa: ANN401 - any configuration
    """Each number of a configuration: its name, its type, and how to put another in its place."""
    hints = get_type_hints(type(config))
    for field in fields(config):
        value = getattr(config, field.name)
        if is_dataclass(value):
            for name, kind, put in numbers(value):
                yield (
                    f"{field.name}.{name}",
                    kind,
                    lambda number, f=field.name, p=put: replace(config, **{f: p(number)}),
                )
        for kind in kinds(hints[field.name]):
            many = get_origin(bare(hints[field.name])) is tuple
            length = max(len(value), 1) if many else 0

            def put(number: float, name: str = field.name, n: int = length) -> Any:  # noqa: ANN401
                return replace(config, **{name: (number,) * n if n else number})

            yield field.name, kind, put


@pytest.mark.fault(
    "not a number, infinite, negative, 1e30, 2^70",
    "every number of every command",
    "one line that names the setting",
)
@pytest.mark.parametrize("name", SETTINGS)
def test_a_number_that_nobody_means_is_named(name: str) -> None:
    config = example(SETTINGS[name])
    check_numbers(config)
    for setting, kind, put in numbers(config):
        for number in SENSELESS[kind]:
            if number == -1.5 and setting in SIGNED:
                continue
            changed = put(number)
            with pytest.raises(ValueError, match=re.escape(setting.rpartition(".")[2])) as caught:
                changed.check() if hasattr(changed, "check") else check_numbers(changed)
            assert len(str(caught.value).splitlines()) == 1


@pytest.mark.fault(
    "a number that nobody means", "every program", "one line, status 2, before any work"
)
@pytest.mark.parametrize("words", COMMANDS)
def test_the_command_refuses_it_before_any_work(
    words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "datasets"))
    study = 'policies = ["privileged"]\nmaps = "oval"\nseeds = [0, 18446744073709551616]\n'
    (tmp_path / "seeds.toml").write_text(study)
    module, *arguments = words.split()
    with pytest.raises(SystemExit) as end:
        importlib.import_module(module).main(arguments)
    error = capsys.readouterr().err
    assert end.value.code == 2, error
    assert error.startswith("error: "), error
    assert error.count("\n") == 1, error
    assert [path.name for path in tmp_path.iterdir()] == ["seeds.toml"]
