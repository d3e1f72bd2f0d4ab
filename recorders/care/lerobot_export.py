"""A data set as a folder that LeRobot 2.1 reads."""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gymnasium.envs.box2d.car_racing import FPS
from minari import EpisodeData

from maps.files.whole import write_text
from policies.protocol import ACTIONS
from recorders.care.lerobot_episode import (
    Columns,
    columns,
    state_names,
    statistics,
    write_parquet,
)
from recorders.care.video import video_facts, write_video

VERSION = "v2.1"
CAMERA = "observation.images.front"
TASK = "Drive one lap of the track."
CHUNK = 1000
DATA = "data/chunk-{episode_chunk:03d}/episode_{episode_index:06d}.parquet"
VIDEO = "videos/chunk-{episode_chunk:03d}/{video_key}/episode_{episode_index:06d}.mp4"


@dataclass
class LeRobotExport:
    """An export on its way from the first episode to the last.

    Attributes:
        folder: Where to.
        state: Infos that make ``observation.state``.
        crf: Quality of the videos.
    """

    folder: Path
    state: tuple[str, ...]
    crf: int
    _frames: int = 0
    _features: dict[str, Any] = field(default_factory=dict)
    _episodes: list[dict[str, Any]] = field(default_factory=list)
    _statistics: list[dict[str, Any]] = field(default_factory=list)

    def add(self, number: int, episode: EpisodeData, entry: dict[str, Any]) -> None:
        """Writes the files of the next episode, but for those that are there.

        Raises:
            CareError: It lacks an info.
        """
        found = columns(episode, number, self._frames, self.state)
        frames = episode.observations[:-1]
        parquet, video = self._path(DATA, number), self._path(VIDEO, number)
        for path in (parquet, video):
            path.parent.mkdir(parents=True, exist_ok=True)
        if not parquet.exists():
            write_parquet(found, parquet)
        if not video.exists():
            write_video(frames, video, self.crf)
        if not self._features:
            self._features = _features(found, state_names(episode, self.state), video)
        self._frames += len(frames)
        about = {"episode_index": number, "tasks": [TASK], "length": len(frames)}
        told = ("map", "seed", "return", "outcome", "driver", "learner", "source")
        self._episodes.append({**about, **{key: entry[key] for key in told if key in entry}})
        figures = statistics(found, frames, CAMERA)
        self._statistics.append({"episode_index": number, "stats": figures})

    def finish(self) -> None:
        """Writes what is said of all episodes; ``info.json`` comes last."""
        meta = self.folder / "meta"
        meta.mkdir(exist_ok=True)
        _write_lines(meta / "tasks.jsonl", [{"task_index": 0, "task": TASK}])
        _write_lines(meta / "episodes.jsonl", self._episodes)
        _write_lines(meta / "episodes_stats.jsonl", self._statistics)
        write_text(meta / "info.json", json.dumps(self._info(), indent=4) + "\n")

    def _path(self, pattern: str, number: int) -> Path:
        names = {"episode_chunk": number // CHUNK, "episode_index": number, "video_key": CAMERA}
        return self.folder / pattern.format(**names)

    def _info(self) -> dict[str, Any]:
        total = len(self._episodes)
        return {
            "codebase_version": VERSION,
            "robot_type": "CarRacing",
            "total_episodes": total,
            "total_frames": self._frames,
            "total_tasks": 1,
            "total_videos": total,
            "total_chunks": -(-total // CHUNK),
            "chunks_size": CHUNK,
            "fps": FPS,
            "splits": {"train": f"0:{total}"},
            "data_path": DATA,
            "video_path": VIDEO,
            "features": self._features,
        }


def _features(found: Columns, state: list[str], video: Path) -> dict[str, Any]:
    """Type, shape and names of each column, and of the video."""
    names = {"observation.state": state, "action": ACTIONS, "executed_action": ACTIONS}
    features: dict[str, Any] = {
        name: {
            "dtype": str(values.dtype),
            "shape": list(values.shape[1:]) or [1],
            "names": list(names[name]) if name in names else None,
        }
        for name, values in found.items()
    }
    facts = video_facts(video)
    shape = [facts["video.height"], facts["video.width"], facts["video.channels"]]
    axes = ["height", "width", "channels"]
    features[CAMERA] = {"dtype": "video", "shape": shape, "names": axes, "info": facts}
    return features


def _write_lines(path: Path, rows: Iterable[dict[str, Any]]) -> None:
    write_text(path, "".join(json.dumps(row) + "\n" for row in rows))
