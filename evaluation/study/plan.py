"""A study as its TOML file has it."""

import re
import tomllib
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_args

import maps
from evaluation.errors import EvaluationError
from evaluation.limits import MAX_STEPS, Renderer, check_positive
from evaluation.perturbations import CLEAN, Perturbed, with_clean
from maps.files.one_line_error import did_you_mean, in_one_line
from maps.limits import LARGEST
from maps.track_map import MapError

MOST = 1_000_000
"""Seeds that a study may have: more were a slip, and would fill the memory."""
RENDERERS = tuple(name for name in get_args(Renderer) if name != "none")


@dataclass(frozen=True)
class Plan:
    """What is driven: every policy on every map, clean and under every perturbation, for each seed.

    Attributes:
        policies: What ``policies.load`` takes, by the label that tables use; an empty label stands
            for the policy's own name.
        maps: Their names.
        perturbed: Conditions of the laps, the clean one first.
        seeds: Of everything random, one set of laps each.
        renderer: Who draws what the policies see.
        batch: Laps in lock-step.
        max_steps: Limit of an episode.
        steps: Whether every step is kept, about 90 kB a lap.
    """

    policies: tuple[tuple[str, str], ...]
    maps: tuple[str, ...]
    perturbed: tuple[Perturbed, ...] = (CLEAN,)
    seeds: tuple[int, ...] = (0,)
    renderer: Renderer = "exact"
    batch: int = 10
    max_steps: int = MAX_STEPS
    steps: bool = False
    text: str = field(default="", repr=False, compare=False)
    """The file, to be kept with the laps."""


def read(file: Path) -> Plan:
    """Reads a study.

    Raises:
        EvaluationError: It is not to be read, one of its fields cannot be, or there is no such map;
            names file and field.
    """
    try:
        text = file.read_text(encoding="utf-8")
        content = tomllib.loads(text)
    except FileNotFoundError:
        raise EvaluationError(f"{file}: no such file, expected a study in TOML") from None
    except (OSError, ValueError, RecursionError) as fault:
        reason = in_one_line(fault)
        raise EvaluationError(f"{file}: not to be read as TOML: {reason}") from None
    try:
        return _plan(content, text)
    except (EvaluationError, MapError) as fault:
        raise EvaluationError(f"{file}: {fault}") from None


def _plan(content: dict[str, Any], text: str) -> Plan:
    unknown = [name for name in content if name not in _READERS]
    if unknown:
        guess, known = did_you_mean(unknown[0], _READERS), ", ".join(_READERS)
        raise EvaluationError(f"unknown field {unknown[0]!r}, {guess}expected {known}")
    for name in ("policies", "maps"):
        if not content.get(name):
            raise EvaluationError(f"{name} is missing")
    values: dict[str, Any] = {name: _READERS[name](name, value) for name, value in content.items()}
    if "perturbations" in values:
        values["perturbed"] = values.pop("perturbations")
    return Plan(**values, text=text)


def _policies(name: str, value: Any) -> tuple[tuple[str, str], ...]:  # noqa: ANN401
    if isinstance(value, dict):
        found = list(value.items())
    else:
        found = [("", source) for source in _words(name, value)]
    for label, source in found:
        if not isinstance(source, str) or not source:
            where = f"{name}.{label}" if label else name
            raise EvaluationError(f"{where} is {source!r}, expected what --policy takes")
    return tuple(found)


def _maps(name: str, value: Any) -> tuple[str, ...]:  # noqa: ANN401
    tracks = maps.expand(",".join(_words(name, value)))
    for track, times in Counter(tracks).items():
        if times > 1:
            raise EvaluationError(f"{name} has {track} twice; seeds repeat laps")
    return tuple(tracks)


def _perturbations(name: str, value: Any) -> tuple[Perturbed, ...]:  # noqa: ANN401
    return with_clean(",".join(_words(name, value)))


def _seeds(name: str, value: Any) -> tuple[int, ...]:  # noqa: ANN401
    seeds = [value] if isinstance(value, int) else value
    if isinstance(value, str):
        match = re.fullmatch(r"(\d{1,9})(?:-(\d{1,9}))?", value, re.ASCII)
        seeds = range(int(match[1]), int(match[2] or match[1]) + 1) if match else None
        if seeds is not None and len(seeds) > MOST:
            raise EvaluationError(f"{name} is {value!r}: more than {MOST} seeds")
    numbers = list(seeds) if isinstance(seeds, list | range) else []
    if not numbers or any(type(n) is not int or not 0 <= n <= LARGEST for n in numbers):
        raise EvaluationError(
            f'{name} is {value!r}, expected numbers as in [0, 1, 2] or "0-9", up to {LARGEST}'
        )
    if len(set(numbers)) < len(numbers):
        raise EvaluationError(f"{name} has a number twice")
    return tuple(numbers)


def _renderer(name: str, value: Any) -> str:  # noqa: ANN401
    if value not in RENDERERS:
        guess = did_you_mean(str(value), RENDERERS)
        raise EvaluationError(f"{name} is {value!r}, {guess}expected {' or '.join(RENDERERS)}")
    return str(value)


def _count(name: str, value: Any) -> int:  # noqa: ANN401
    if type(value) is not int:
        raise EvaluationError(f"{name} is {value!r}, expected a number of 1 or more")
    check_positive(name, value)
    if value > LARGEST:
        raise EvaluationError(f"{name} is {value}, expected at most {LARGEST}")
    return value


def _flag(name: str, value: Any) -> bool:  # noqa: ANN401
    if not isinstance(value, bool):
        raise EvaluationError(f"{name} is {value!r}, expected true or false")
    return value


def _words(name: str, value: Any) -> list[str]:  # noqa: ANN401
    words = [value] if isinstance(value, str) else value
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise EvaluationError(f"{name} is {value!r}, expected names")
    return words


_READERS: dict[str, Callable[[str, Any], Any]] = {
    "policies": _policies,
    "maps": _maps,
    "perturbations": _perturbations,
    "seeds": _seeds,
    "renderer": _renderer,
    "batch": _count,
    "max_steps": _count,
    "steps": _flag,
}
"""How each field of the file is read."""
