"""Episodes as compressed NumPy files of plain arrays."""

import json
from pathlib import Path
from typing import Any

import numpy as np
from minari import EpisodeData

from maps.files.whole import whole
from recorders.care.errors import CareError


def write_npz(episode: EpisodeData, entry: dict[str, Any], path: Path) -> None:
    """Writes one episode; ``numpy.load(path)`` reads it, ``allow_pickle=False`` as it is.

    Args:
        episode: Its arrays.
        entry: Its metadata: the array ``metadata`` holds them as a text of JSON.
        path: Of the file.

    Raises:
        CareError: An info is no plain array.
    """
    arrays = {
        "observations": episode.observations,
        "actions": episode.actions,
        "rewards": episode.rewards,
        "terminations": episode.terminations,
        "truncations": episode.truncations,
        **{f"info_{name}": np.asarray(values) for name, values in episode.infos.items()},
        "metadata": np.array(json.dumps(entry)),
    }
    for name, values in arrays.items():
        if values.dtype.hasobject:
            raise CareError(f"episode {entry['id']}, {name}: holds no plain numbers")
    with whole(path) as aside, aside.open("wb") as file:
        np.savez_compressed(file, allow_pickle=False, **arrays)
