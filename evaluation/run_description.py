"""What the ``config.json`` of a run says, read so that whatever was made of it is named."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evaluation.errors import EvaluationError
from maps.files import json_file
from maps.files.json_file import JsonError
from maps.files.plain_values import checked, made

FILE = "config.json"

IDENTITY = ("policy", "map", "seed", "perturbation", "severity")
"""Columns of a run's tables that tell its laps apart."""

_IDENTITY = {
    "version": int,
    "policies": dict[str, str],
    "maps": list[str],
    "map_files": dict[str, str],
    "batch": int,
    "renderer": str,
    "seed": int,
    "max_steps": int,
    "perturbations": list[str],
}
"""Types of the fields of an identity, of a run or a study."""


@dataclass(frozen=True)
class RunDescription:
    """What a run is.

    Attributes:
        identity: What decided its laps.
        config: The configuration of its command, as plain values.
        sources: What ``policies.load`` takes for each of its policies, by the run's name of it.
    """

    identity: dict[str, Any]
    config: dict[str, Any] = field(default_factory=dict)
    sources: dict[str, str] = field(default_factory=dict)


def read(run: Path) -> RunDescription:
    """That of the run in a folder.

    Raises:
        EvaluationError: There is none, or it is damaged; the message names the file.
    """
    file = run / FILE
    if not file.is_file():
        raise EvaluationError(f"{run}: no run: {FILE} is missing")
    try:
        found = made(RunDescription, json_file.read(file))
        check_identity(found.identity, ("policies",))
    except JsonError as fault:
        raise EvaluationError(f"{fault}; it is damaged: choose another --out") from None
    except ValueError as fault:
        raise EvaluationError(
            f"{file}: damaged, or not of a run ({fault}); choose another --out"
        ) from None
    return found


def check_identity(identity: dict[str, Any], wanted: tuple[str, ...]) -> None:
    """Checks the fields of an identity.

    Raises:
        ValueError: One is missing, or of another type.
    """
    for name in wanted:
        if name not in identity:
            raise ValueError(f"identity has no field {name!r}")
    for name, kind in _IDENTITY.items():
        if name in identity:
            checked(f"identity.{name}", identity[name], kind)
