"""A data set as Minari reads it; as that trusts whatever the files say, they are checked first."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pyarrow as pa
from minari import EpisodeData, MinariDataset

from maps.files import json_file
from maps.files.one_line_error import OneLineError, did_you_mean, in_one_line
from policies.protocol import ACTIONS

FRAME_SHAPE = (84, 84)

_DAMAGE = (
    *(OSError, ValueError, LookupError, TypeError),
    *(AttributeError, ArithmeticError, AssertionError, MemoryError, RuntimeError),
)
"""What Minari raises over files that are not what it expects."""
_ARRAYS = {
    "observations": ("u", FRAME_SHAPE),
    "actions": ("f", (len(ACTIONS),)),
    "rewards": ("iuf", ()),
    "terminations": ("b", ()),
    "truncations": ("b", ()),
}
"""Kinds of numbers, as numpy has them, and the shape at one step."""
METADATA = "metadata.json"


class DemonstrationError(OneLineError):
    """A data set, or an episode of it, cannot be read; the message is one line."""


def episode_numbers(data: Path) -> list[int]:
    """Numbers of the episodes that have a folder, sorted."""
    found = (path.name for path in data.iterdir() if path.is_dir())
    return sorted(int(n) for n in found if n.isascii() and n.isdecimal() and str(int(n)) == n)


def open_minari(name: str, root: Path) -> MinariDataset:
    """The episodes that have a folder as Minari reads them, their frames and actions of our shape.

    Raises:
        DemonstrationError: As ``open_data_set``, but for what checksums and metadata of the
            episodes tell.
    """
    data = root / name / "data"
    if not name or not (data / METADATA).is_file():
        raise DemonstrationError(f"data set {name!r} in {root} {_missing(name, root)}")
    try:
        _refuse_foreign(json_file.read(data / METADATA))
        minari = MinariDataset(data, np.array(episode_numbers(data), dtype=np.int64))
    except _DAMAGE as error:
        reason = in_one_line(error)
        raise DemonstrationError(f"data set {name!r} in {root} is damaged: {reason}") from error
    _check_shapes(name, minari)
    return minari


def _missing(name: str, root: Path) -> str:
    """Why there is no such data set, and which is nearest in name."""
    if (root / name / ".recording").is_dir():
        return "is not recorded to its end: repeat its nsac-record command"
    beside = Path(name).parent
    there = (root / beside).glob("*/data")
    guess = did_you_mean(name, [(beside / data.parent.name).as_posix() for data in there]).strip()
    return f"does not exist{guess and f': {guess}'}"


def read_episode(minari: MinariDataset, name: str, number: int) -> EpisodeData:
    """One episode, whole, whatever it was when it was recorded.

    Args:
        minari: The data set.
        name: Its Minari id.
        number: Of the episode.

    Raises:
        DemonstrationError: It cannot be read.
    """
    with of_episode(name, number):
        rows(Path(minari.storage.data_path) / str(number))
        (found,) = minari.iterate_episodes([number])
        _check_arrays(found)
    return found


@contextmanager
def of_episode(name: str, number: int) -> Iterator[None]:
    """Lets whatever is raised over an episode's files say so in one line."""
    try:
        yield
    except DemonstrationError:
        raise
    except (*_DAMAGE, pa.ArrowException) as error:
        reason = in_one_line(error)
        raise DemonstrationError(f"episode {number} of {name} cannot be read: {reason}") from error


def rows(folder: Path) -> int:
    """Rows of an episode's tables, a frame each, once they are known to be whole.

    Minari trusts what a table says: one that is damaged would crash the process.
    """
    count = 0
    for file in sorted(folder.glob("*.arrow")):
        with pa.memory_map(str(file)) as opened, pa.ipc.open_file(opened) as table:
            for number in range(table.num_record_batches):
                batch = table.get_batch(number)
                batch.validate(full=True)
                count += batch.num_rows
    return count


def _check_arrays(episode: EpisodeData) -> None:
    """Compares kind and shape of an episode's arrays; its infos may be anything.

    Raises:
        ValueError: One is of another.
    """
    for name, (kinds, shape) in _ARRAYS.items():
        values = np.asarray(getattr(episode, name))
        if values.dtype.kind not in kinds or values.shape[1:] != shape:
            raise ValueError(f"{name} are {values.dtype} of shape {values.shape}")


def _refuse_foreign(metadata: object) -> None:
    """Refuses what lets Minari make the environment, whose code could be anything."""
    if not isinstance(metadata, dict):
        raise ValueError("metadata.json: expected a JSON object")
    if metadata.get("data_format") != "arrow":
        raise ValueError(f"data_format is {metadata.get('data_format')!r}, expected 'arrow'")
    for field in ("observation_space", "action_space"):
        if not isinstance(metadata.get(field), str):
            raise ValueError(f"{field} is {metadata.get(field)!r}, expected a text")


def _check_shapes(name: str, minari: MinariDataset) -> None:
    for what, space, shape in (
        ("frames", minari.observation_space, FRAME_SHAPE),
        ("actions", minari.action_space, (len(ACTIONS),)),
    ):
        if space.shape != shape:
            raise DemonstrationError(
                f"data set {name!r} has {what} of shape {space.shape}, expected {shape}"
            )
    if minari.observation_space.dtype != np.uint8:
        raise DemonstrationError(
            f"data set {name!r} has frames of type {minari.observation_space.dtype}, expected uint8"
        )
