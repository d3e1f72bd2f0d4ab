"""Arrays by name in one ``.npz`` file, of which nothing is unpickled."""

import zipfile
import zlib
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from maps.files.damaged import DamagedError
from maps.files.one_line_error import in_one_line
from maps.files.present import is_file


def read(file: Path, names: tuple[str, ...]) -> dict[str, NDArray[np.generic]]:
    """The arrays of these names.

    Raises:
        DamagedError: The file is missing, damaged (its parts have checksums), of another kind, or
            lacks an array.
    """
    if not is_file(file):
        raise DamagedError(f"{file}: no such file")
    try:
        with np.load(file, allow_pickle=False) as arrays:
            return {name: arrays[name] for name in names}
    except KeyError as fault:
        raise DamagedError(f"{file}: has no array {fault}: is it another file?") from None
    except _FAULTS as fault:
        reason = in_one_line(fault)
        raise DamagedError(
            f"{file}: damaged, or no .npz file ({reason}); remove it and repeat the command that "
            "made it"
        ) from None


_FAULTS = (
    *(OSError, EOFError, ValueError, TypeError, AttributeError, SyntaxError, MemoryError),
    *(NotImplementedError, RuntimeError, zipfile.BadZipFile, zlib.error),
)
"""What numpy and zipfile raise over damaged files, as trials have shown."""
