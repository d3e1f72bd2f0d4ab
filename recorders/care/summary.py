"""What a data set holds, in figures."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from gymnasium.envs.box2d.car_racing import FPS
from minari import EpisodeData
from numpy.typing import NDArray

from policies.data_sets import DataSet
from policies.protocol import ACTIONS
from recorders.care.checking import test_episodes
from recorders.care.config import InfoConfig
from recorders.care.contents import known_infos
from recorders.care.stored import open_stored, read_episodes
from recorders.data_set import CONFIGURATION, MADE_BY

COLUMNS = ("map", "seed", "total_steps", "return", "outcome", "progress", "lap_complete")
"""Of an episode's metadata, in the table of episodes."""


@dataclass(frozen=True)
class Summary:
    """Facts about a data set.

    Attributes:
        facts: JSON values, by their names.
        episodes: A row an episode: its number, ``COLUMNS``, and the shares of its steps that were
            ``disturbed`` and ``learner`` driven.
        test: Numbers of the episodes on tracks of the test.
    """

    facts: dict[str, Any]
    episodes: pd.DataFrame
    test: list[int]

    def as_json(self) -> dict[str, Any]:
        """Everything, as JSON values."""
        rows = self.episodes.astype(object).where(self.episodes.notna(), None)
        episodes = [_as_json(row) for row in rows.to_dict("records")]
        return {**_as_json(self.facts), "test_episodes": self.test, "episodes": episodes}


def summarise(config: InfoConfig) -> Summary:
    """Reads a data set and says what it holds.

    Raises:
        policies.demonstrations.DemonstrationError: It is unknown, unfinished or damaged.
        files.json_file.JsonError: A file of metadata cannot be read.
    """
    data = open_stored(config.data_set, config.data_root)
    actions, rows = [], []
    for number, episode in read_episodes(data, range(len(data.entries)), "reading", config.quiet):
        actions.append(episode.actions)
        shares = {"disturbed": _disturbed(episode), "learner": _learner(episode)}
        entry = data.entries[number]
        rows.append({"episode": number, **{name: entry.get(name) for name in COLUMNS}, **shares})
    episodes = pd.DataFrame(rows)
    facts = {**_facts(data, episodes), "actions": dict(_actions(np.concatenate(actions)))}
    return Summary(facts, episodes, test_episodes(dict(enumerate(data.entries))))


def _as_json(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    """JSON has no word for a number that is not finite: there it is null."""
    if isinstance(value, dict):
        return {name: _as_json(own) for name, own in value.items()}
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _facts(data: DataSet, episodes: pd.DataFrame) -> dict[str, Any]:
    """The facts that are no action's."""
    steps = int(episodes["total_steps"].sum())
    files = [path for path in data.data.rglob("*") if path.is_file()]
    laps = episodes["lap_complete"].dropna()
    return {
        "data_set": data.name,
        "folder": str(data.data),
        "made_by": data.metadata.get(MADE_BY, _recorder(data)),
        "recorded_as": sorted(data.metadata.get("recordings", {})),
        "total_episodes": len(episodes),
        "total_steps": steps,
        "hours": steps / FPS / 3600,
        "megabytes": sum(path.stat().st_size for path in files) / 1e6,
        "drivers": _different(data, "driver"),
        "learners": _different(data, "learner"),
        "renderers": _different(data, "renderer"),
        "maps": episodes["map"].nunique(),
        "laps_complete": int(laps.sum()),
        "outcomes": {str(k): int(n) for k, n in episodes["outcome"].value_counts().items()},
        "return": _spread(episodes["return"].dropna().to_numpy(float)),
        "disturbed_share": _of_steps(episodes, "disturbed"),
        "learner_share": _of_steps(episodes, "learner"),
    }


def _recorder(data: DataSet) -> str:
    recorded = (data.data / CONFIGURATION).is_file()
    return "nsac-record carracing" if recorded else "another program"


def _different(data: DataSet, name: str) -> list[str]:
    """What the episodes' metadata say, each once."""
    return sorted({str(entry[name]) for entry in data.entries if entry.get(name) is not None})


def _of_steps(episodes: pd.DataFrame, name: str) -> float | None:
    """A share of all steps; None where no episode tells."""
    known = episodes.dropna(subset=[name])
    if known.empty:
        return None
    return float(np.average(known[name].to_numpy(float), weights=known["total_steps"]))


def _spread(values: NDArray[np.float64]) -> dict[str, float]:
    if not len(values):
        return {}
    return {
        "mean": float(values.mean()),
        "median": float(np.median(values)),
        "worst": float(values.min()),
        "best": float(values.max()),
    }


def _actions(actions: NDArray[np.float32]) -> Iterator[tuple[str, dict[str, float]]]:
    """How each action is spread over all steps."""
    for name, column in zip(ACTIONS, actions.astype(np.float64).T, strict=True):
        with np.errstate(invalid="ignore"):  # what is no number has no spread either
            spread = float(column.std())
        yield (
            name,
            {
                "mean": float(column.mean()),
                "std": spread,
                "largest": float(np.abs(column).max()),
                "zero_share": float((column == 0).mean()),
            },
        )


def _learner(episode: EpisodeData) -> float | None:
    """Share of the steps that the learner drove."""
    drove = known_infos(episode).get("learner_drove")
    return None if drove is None else float(np.mean(drove[1:]))


def _disturbed(episode: EpisodeData) -> float | None:
    """Share of the steps on which the expert drove, and not what it wanted."""
    infos = known_infos(episode)
    executed, drove = (infos.get(name) for name in ("executed_action", "learner_drove"))
    if executed is None or drove is None:
        return None
    other = (executed[1:] != episode.actions).any(axis=1)
    return float(np.mean(other & ~np.asarray(drove[1:], dtype=bool)))
