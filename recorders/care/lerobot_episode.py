"""One episode in the columns of LeRobot 2.1."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from gymnasium.envs.box2d.car_racing import FPS
from minari import EpisodeData
from numpy.typing import NDArray

from maps.files.whole import whole
from recorders.care.contents import is_plain, known_infos
from recorders.care.errors import CareError

Columns = dict[str, NDArray[Any]]


def columns(episode: EpisodeData, number: int, first: int, state: Sequence[str]) -> Columns:
    """A row for each frame with an action; the last frame, which has none, is left out.

    Args:
        episode: Its arrays.
        number: Its number.
        first: Row of its first frame in the whole data set.
        state: Infos that make ``observation.state``.

    Raises:
        CareError: An info is not there, or not of numbers.
    """
    steps = len(episode.actions)
    done = episode.terminations | episode.truncations
    rows = np.arange(steps, dtype=np.int64)
    found: Columns = {
        "observation.state": _state(episode, number, state),
        "action": episode.actions,
        "timestamp": (rows / FPS).astype(np.float32),
        "frame_index": rows,
        "episode_index": np.full(steps, number, dtype=np.int64),
        "index": first + rows,
        "task_index": np.zeros(steps, dtype=np.int64),
        "next.reward": episode.rewards.astype(np.float32),
        "next.done": done.astype(np.bool_),
    }
    executed = known_infos(episode).get("executed_action")
    if executed is not None:
        found["executed_action"] = executed[1:].astype(np.float32)
    return found


def state_names(episode: EpisodeData, state: Sequence[str]) -> list[str]:
    """Names of the components of ``observation.state``."""
    names = []
    for name in state:
        size = episode.infos[name][0].size
        names += [name] if size == 1 else [f"{name}.{i}" for i in range(size)]
    return names


def write_parquet(found: Columns, path: Path) -> None:
    """Writes the columns, each vector a list of fixed length."""
    table = pa.table({name: _column(values) for name, values in found.items()})
    with whole(path) as aside:
        pq.write_table(table, aside)


def statistics(found: Columns, frames: NDArray[np.uint8], camera: str) -> dict[str, Any]:
    """LeRobot's statistics of an episode, as JSON values.

    Args:
        found: The columns.
        frames: ``(steps, height, width)``.
        camera: Name of the video's feature: its figures are of three equal channels in [0, 1].
    """
    figures = {
        name: _spread(values.reshape(len(values), -1).astype(np.float64))
        for name, values in found.items()
    }
    gray = {name: [[[value]]] * 3 for name, value in _gray_spread(frames).items()}
    return {**figures, camera: {**gray, "count": [len(frames)]}}


def _state(episode: EpisodeData, number: int, state: Sequence[str]) -> NDArray[np.float32]:
    steps, parts = len(episode.actions), []
    for name in state:
        if name not in episode.infos:
            there = ", ".join(episode.infos) or "none"
            raise CareError(f"episode {number} has no info {name}, it has {there}")
        if not is_plain(episode.infos[name]):
            raise CareError(f"episode {number}, info {name}: holds no plain numbers")
        parts.append(episode.infos[name][:steps].reshape(steps, -1))
    return np.concatenate(parts, axis=1).astype(np.float32)


def _column(values: NDArray[Any]) -> pa.Array:
    flat = pa.array(values.reshape(-1))
    return flat if values.ndim == 1 else pa.FixedSizeListArray.from_arrays(flat, values.shape[1])


def _spread(values: NDArray[np.float64]) -> dict[str, list[float]]:
    return {
        "min": values.min(axis=0).tolist(),
        "max": values.max(axis=0).tolist(),
        "mean": values.mean(axis=0).tolist(),
        "std": values.std(axis=0).tolist(),
        "count": [len(values)],
    }


def _gray_spread(frames: NDArray[np.uint8]) -> dict[str, float]:
    counts = np.bincount(frames.reshape(-1), minlength=256)
    levels = np.arange(256) / 255
    mean = float(np.average(levels, weights=counts))
    there = np.flatnonzero(counts)
    variance = float(np.average((levels - mean) ** 2, weights=counts))
    low, high = float(levels[there[0]]), float(levels[there[-1]])
    return {"min": low, "max": high, "mean": mean, "std": variance**0.5}
