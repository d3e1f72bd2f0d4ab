"""The folder that an export is written to, whole file by whole file, and resumed in."""

import hashlib
import json
from typing import Any

from maps.files import json_file
from maps.files.whole import write_text
from policies.data_sets import DataSet
from recorders.care.config import ExportConfig
from recorders.care.errors import CareError

MARKER = "export.json"
_LOCK = ".lock"


def claim(config: ExportConfig, data: DataSet) -> None:
    """Makes the folder this export's, which the caller has locked, or finds that it is.

    An export that has not begun with the first episode gives way.

    Raises:
        CareError: Something else is in it.
    """
    folder, content = config.out, _content(config, data)
    names = {path.name for path in folder.iterdir() if not path.name.startswith(_LOCK)}
    stored: Any = json_file.read(folder / MARKER) if MARKER in names else {}
    if names and not (isinstance(stored, dict) and "content" in stored):
        raise CareError(f"{folder} is not empty and holds no export: choose another --out")
    if names <= {MARKER}:
        write_text(folder / MARKER, json.dumps(content, indent=1) + "\n")
    else:
        for key in content:
            if stored.get(key) != content[key]:
                raise CareError(f"{folder} holds an export of another {key}: choose another --out")


def _content(config: ExportConfig, data: DataSet) -> dict[str, Any]:
    """What must be the same when the export is resumed."""
    entries = json.dumps(data.entries, sort_keys=True).encode()
    content: dict[str, Any] = {
        "to": config.to,
        "data_set": data.name,
        "content": hashlib.sha256(entries).hexdigest(),
    }
    if config.to == "lerobot":
        content |= {"state": list(config.state), "crf": config.crf}
    return content
