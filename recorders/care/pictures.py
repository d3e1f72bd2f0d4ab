"""Draws a data set: frames, actions, returns and paths, as PNG files."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from minari import EpisodeData
from numpy.typing import NDArray

from maps.files.locks import locked_folder
from maps.files.picture_file import save_picture
from maps.files.whole import whole
from policies.data_sets import DataSet
from recorders.care.action_figure import action_histograms
from recorders.care.config import ShowConfig
from recorders.care.contact_sheet import Row, rows, sheet
from recorders.care.contents import known_infos
from recorders.care.episode_numbers import parse
from recorders.care.errors import CareError
from recorders.care.path_figure import Path as DrivenPath
from recorders.care.path_figure import paths
from recorders.care.return_figure import returns
from recorders.care.stored import open_stored, read_episodes

MOST = 12
"""Episodes whose frames and paths are drawn."""
MOST_FRAMES = 100
"""In a row of the sheet, which is 18,000 pixels wide then."""


@dataclass
class _Gathered:
    """What the pictures need, in the order of the episodes."""

    rows: list[Row] = field(default_factory=list)
    labels: list[NDArray[np.float32]] = field(default_factory=list)
    executed: list[NDArray[np.float32]] = field(default_factory=list)
    paths: list[DrivenPath] = field(default_factory=list)


def show_data_set(config: ShowConfig) -> list[Path]:
    """Draws a data set.

    Returns:
        The pictures: ``frames.png``, ``actions.png``, ``returns.png`` and, where the episodes
        say where the car was, ``paths.png``.

    Raises:
        CareError: An episode is not there.
        policies.demonstrations.DemonstrationError: The data set is unknown, unfinished or damaged.
        maps.files.locks.LockedError: Another process writes to the folder of the pictures.
    """
    if not 1 <= config.frames <= MOST_FRAMES:
        raise CareError(f"frames must lie in [1, {MOST_FRAMES}], not {config.frames}")
    with locked_folder(config.out):
        data = open_stored(config.data_set, config.data_root)
        numbers = parse(config.episodes, len(data.entries)) or list(range(len(data.entries)))
        return _save(config.out, data, numbers, _gather(config, data, numbers))


def _gather(config: ShowConfig, data: DataSet, numbers: Sequence[int]) -> _Gathered:
    gathered = _Gathered()
    spread = np.linspace(0, len(numbers) - 1, min(MOST, len(numbers))).round().astype(int)
    drawn = {numbers[i] for i in spread}
    count = 4 if len(numbers) == 1 else 1
    for number, episode in read_episodes(data, numbers, "reading", config.quiet):
        entry = data.entries[number]
        gathered.labels.append(episode.actions)
        infos = known_infos(episode)
        if "executed_action" in infos:
            gathered.executed.append(infos["executed_action"][1:])
        if number in drawn:
            gathered.rows += rows(number, episode, entry, config.frames, count)
            gathered.paths += _path(number, episode, entry)
    return gathered


def _path(number: int, episode: EpisodeData, entry: dict[str, Any]) -> Iterator[DrivenPath]:
    infos = known_infos(episode)
    if {"position", "speed"} <= infos.keys():
        title = f"episode {number}, {entry.get('map', '')}: {entry.get('outcome', '')}"
        yield DrivenPath(title, str(entry.get("map", "")), infos["position"], infos["speed"])


def _save(folder: Path, data: DataSet, numbers: Sequence[int], gathered: _Gathered) -> list[Path]:
    total, drawn = len(data.entries), min(MOST, len(numbers))
    some = f"{drawn} of {total} episodes" if drawn < total else f"all {total} episodes"
    words = f"{data.name}, {some}"
    image = sheet(gathered.rows, f"{words}: time, speed and the label's steering at each frame")
    with whole(folder / "frames.png") as aside:
        image.save(aside, format="png", optimize=True)
    steps = sum(map(len, gathered.labels))
    wholes = f"{data.name}, {steps} steps of {len(numbers)} episodes"
    figures = {
        "actions": action_histograms(gathered.labels, gathered.executed, wholes),
        "returns": returns(numbers, [data.entries[i] for i in numbers], data.name),
    }
    if gathered.paths:
        figures["paths"] = paths(gathered.paths, words)
    for name, figure in figures.items():
        save_picture(figure, folder / f"{name}.png")
    return [folder / f"{name}.png" for name in ("frames", *figures)]
