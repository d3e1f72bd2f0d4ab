"""Where an unfinished training keeps its state, so that its command can be repeated."""

import json
import shutil
from pathlib import Path
from typing import Any

from maps.files.whole import write_text
from policies.errors import PolicyError

_SETTINGS = "config.json"


def state_folder(out: Path, settings: dict[str, Any]) -> Path:
    """The folder of an unfinished run, which must be a run of these very settings, on this data.

    Args:
        out: The checkpoint that the run will write; the folder stands beside it.
        settings: The run's configuration and what tells its data apart, as JSON values.

    Raises:
        PolicyError: If it is another's.
    """
    folder, file = _of(out)
    if not file.is_file():
        shutil.rmtree(folder, ignore_errors=True)  # left half-removed by a process that was killed
        folder.mkdir(parents=True, exist_ok=True)
        write_text(file, _described(settings))
    elif _text(file) != _described(settings):
        raise PolicyError(
            f"{folder}: an unfinished run with other settings or data: repeat its command "
            "(config.json) on the same data, or remove the folder"
        )
    return folder


def forget_unbegun(folder: Path) -> None:
    """Removes the folder of a run that ends before it has kept a state: nothing is lost with it."""
    if [path.name for path in folder.iterdir()] == [_SETTINGS]:
        shutil.rmtree(folder, ignore_errors=True)


def forget(out: Path, settings: dict[str, Any]) -> None:
    """Removes the folder of a run that is finished; that of another run stays.

    Args:
        out: The checkpoint that it has written.
        settings: Of the finished run.
    """
    folder, file = _of(out)
    if not file.is_file() or _text(file) == _described(settings):
        shutil.rmtree(folder, ignore_errors=True)


def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8", errors="replace")


def _of(out: Path) -> tuple[Path, Path]:
    folder = out.with_suffix(".unfinished")
    return folder, folder / _SETTINGS


def _described(settings: dict[str, Any]) -> str:
    return json.dumps(settings, indent=1, sort_keys=True)
