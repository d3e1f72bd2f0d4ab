"""Where an unfinished training keeps its state, so that its command can be repeated."""

import json
from pathlib import Path
from typing import Any

from policies.errors import PolicyError


def state_folder(out: Path, settings: dict[str, Any]) -> Path:
    """The folder of an unfinished run, which must be a run of these very settings.

    Args:
        out: The checkpoint that the run will write; the folder stands beside it.
        settings: The run's configuration as JSON values.

    Raises:
        PolicyError: If it is another's.
    """
    folder = out.with_suffix(".unfinished")
    described = json.dumps(settings, indent=1, sort_keys=True)
    file = folder / "config.json"
    if not file.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        file.write_text(described)
    elif file.read_text() != described:
        raise PolicyError(
            f"{folder}: an unfinished run with other settings: repeat its command (config.json), "
            "or remove the folder"
        )
    return folder
