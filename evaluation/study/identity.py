"""What a study's folder is bound to: what may be added to it, and what is refused."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from evaluation.closed_loop import split
from evaluation.config import EvaluateConfig
from evaluation.errors import EvaluationError
from evaluation.identity import Entrant, identity
from evaluation.run_description import check_identity
from evaluation.study.plan import Plan
from maps.files import json_file
from maps.files.json_file import JsonError
from maps.files.locks import holds_nothing, locked_folder
from maps.files.plain_values import checked
from maps.files.whole import write_text

IDENTITY = "study.json"

_FIXED = ("version", "renderer", "batch", "max_steps", "steps")


@contextmanager
def locked(out: Path) -> Iterator[None]:
    """Keeps others out of a folder, which is made if it is not there.

    Raises:
        EvaluationError: It holds something else.
        maps.files.locks.LockedError: Another process is at work in it.
        OSError: It cannot be written.
    """
    if not holds_nothing(out) and not (out / IDENTITY).is_file():
        raise EvaluationError(f"{out}: is neither empty nor a study; choose another --out")
    with locked_folder(out):
        yield


def claim(out: Path, plan: Plan, drivers: Sequence[Entrant]) -> None:
    """Makes the folder this study's, or makes sure that what it holds can stay as it is.

    Policies, seeds and perturbations may come and go; maps may be added or left off behind whole
    batches, as the laps of a batch share a forward pass.

    Raises:
        EvaluationError: It holds laps of another version of a policy or map, or of another
            renderer, batch, limit of the episode or version of the package.
    """
    now = _identity(plan, drivers)
    file = out / IDENTITY
    if file.is_file():
        before = read_identity(out)
        _check(out, before, now)
        now = {
            **now,
            "policies": {**before["policies"], **now["policies"]},
            "map_files": {**before["map_files"], **now["map_files"]},
            "maps": max(before["maps"], now["maps"], key=len),
        }
    write_text(file, json.dumps(now, indent=1) + "\n")


def read_identity(out: Path) -> dict[str, Any]:
    """What the folder of a study is bound to.

    Raises:
        EvaluationError: It is damaged.
    """
    file = out / IDENTITY
    try:
        content = checked("the identity", json_file.read(file), dict[str, Any])
        assert isinstance(content, dict)
        check_identity(content, (*_FIXED, "policies", "maps", "map_files"))
    except JsonError as fault:
        raise EvaluationError(f"{fault}; it is damaged: choose another --out") from None
    except ValueError as fault:
        raise EvaluationError(f"{file}: damaged ({fault}); choose another --out") from None
    return content


def _identity(plan: Plan, drivers: Sequence[Entrant]) -> dict[str, Any]:
    config = EvaluateConfig(
        tuple(driver.source for driver in drivers),
        maps="",
        out=Path(),
        batch=plan.batch,
        max_steps=plan.max_steps,
    )
    found = identity(config, list(drivers), list(plan.maps))
    found |= {"renderer": plan.renderer, "steps": plan.steps}
    return {name: found[name] for name in (*_FIXED, "policies", "maps", "map_files")}


def _check(out: Path, before: dict[str, Any], now: dict[str, Any]) -> None:
    for what, key in (("policy", "policies"), ("map", "map_files")):
        for name, digest in now[key].items():
            if before[key].get(name, digest) != digest:
                advice = "give the new one another label, or " if what == "policy" else ""
                raise EvaluationError(
                    f"{out}: holds laps of another version of the {what} {name}; {advice}"
                    "choose another --out"
                )
    for name in _FIXED:
        if before[name] != now[name]:
            raise EvaluationError(
                f"{out}: holds a study with {name} {before[name]}, not {now[name]}; "
                "choose another --out"
            )
    chunks = [[c.tracks for c in split(found["maps"], now["batch"])] for found in (before, now)]
    for old, new in zip(*chunks, strict=False):
        if old != new:
            raise EvaluationError(
                f"{out}: holds laps on {', '.join(old[:3])}{' ...' if old[3:] else ''} as a batch, "
                f"where the file now has {', '.join(new[:3])}{' ...' if new[3:] else ''}; "
                f"add maps behind whole batches of {now['batch']}, or choose another --out"
            )
