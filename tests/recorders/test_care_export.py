"""Exports hold the very episodes, in files that other programs read."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import minari
import numpy as np
import pandas as pd
import pytest

from recorders.care.config import ExportConfig
from recorders.care.errors import CareError
from recorders.care.exporting import export_data_set
from recorders.care.video import read_video

RecordAside = Callable[..., Path]
NAME = "carracing/test-v0"
EPISODES, STEPS = 2, 60


@pytest.fixture(scope="module")
def recorded(record_aside: RecordAside) -> Path:
    return record_aside(out=NAME, episodes=EPISODES, max_steps=STEPS)


@pytest.fixture
def episodes(recorded: Path, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """As Minari reads them."""
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(recorded))
    return list(minari.load_dataset(NAME))


def export(out: Path, to: Any = "lerobot", **changes: Any) -> int:  # noqa: ANN401
    return export_data_set(ExportConfig(NAME, to, out, quiet=True, **changes))


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def video(folder: Path, number: int) -> Path:
    name = f"episode_{number:06d}.mp4"
    return folder / "videos" / "chunk-000" / "observation.images.front" / name


def table(folder: Path, number: int) -> pd.DataFrame:
    return pd.read_parquet(folder / "data" / "chunk-000" / f"episode_{number:06d}.parquet")


def test_the_columns_of_lerobot(episodes: list[Any], tmp_path: Path) -> None:
    assert export(tmp_path / "out") == EPISODES
    for number, episode in enumerate(episodes):
        rows = table(tmp_path / "out", number)
        assert np.array_equal(np.stack(list(rows["action"])), episode.actions)
        assert np.array_equal(rows["next.reward"], episode.rewards.astype(np.float32))
        assert list(rows["next.done"]) == [False] * (STEPS - 1) + [True]
        assert np.allclose(rows["timestamp"], np.arange(STEPS) * 0.02, atol=1e-6)
        assert list(rows["frame_index"]) == list(range(STEPS))
        assert list(rows["index"]) == list(range(number * STEPS, (number + 1) * STEPS))
        assert set(rows["episode_index"]) == {number}
        assert set(rows["task_index"]) == {0}
        state = np.stack(list(rows["observation.state"]))
        assert np.array_equal(state[:, 3], episode.infos["speed"][:-1].astype(np.float32))
        driven = episode.infos["executed_action"][1:]
        assert np.array_equal(np.stack(list(rows["executed_action"])), driven)


def test_the_metadata_of_lerobot(episodes: list[Any], tmp_path: Path) -> None:
    tmp_path /= "out"
    export(tmp_path, state=("speed", "position"))
    meta = tmp_path / "meta"
    info = json.loads((meta / "info.json").read_text())
    assert info["codebase_version"] == "v2.1"
    assert (info["fps"], info["total_episodes"], info["total_frames"]) == (50, 2, 2 * STEPS)
    assert info["splits"] == {"train": "0:2"}
    names = {"episode_chunk": 0, "episode_index": 1, "video_key": "observation.images.front"}
    assert (tmp_path / info["data_path"].format(**names)).is_file()
    assert (tmp_path / info["video_path"].format(**names)) == video(tmp_path, 1)
    rows, features = table(tmp_path, 0), info["features"]
    assert features.keys() == {*rows.columns, "observation.images.front"}
    for name, column in rows.items():
        first = np.asarray(column.iloc[0])
        assert features[name]["dtype"] == str(first.dtype), name
        assert features[name]["shape"] == (list(first.shape) or [1]), name
    assert features["observation.state"]["names"] == ["speed", "position.0", "position.1"]
    assert features["observation.images.front"]["shape"] == [84, 84, 3]
    assert lines(meta / "tasks.jsonl")[0]["task_index"] == 0
    told = lines(meta / "episodes.jsonl")
    assert [(e["episode_index"], e["length"]) for e in told] == [(0, STEPS), (1, STEPS)]
    assert told[1]["seed"] == 10001
    stats = lines(meta / "episodes_stats.jsonl")[1]["stats"]
    assert stats.keys() == features.keys()
    assert np.allclose(stats["action"]["mean"], episodes[1].actions.mean(axis=0), atol=1e-6)
    pixels = episodes[1].observations[:-1] / 255
    for name, value in (("mean", pixels.mean()), ("std", pixels.std()), ("max", pixels.max())):
        figures = np.array(stats["observation.images.front"][name])
        assert figures.shape == (3, 1, 1)
        assert np.allclose(figures, value, atol=1e-9), name
    assert stats["observation.images.front"]["count"] == [STEPS]


def test_the_videos_are_the_frames_to_the_last_bit(episodes: list[Any], tmp_path: Path) -> None:
    tmp_path /= "out"
    export(tmp_path)
    for number, episode in enumerate(episodes):
        seen = read_video(video(tmp_path, number))
        assert seen.shape == (STEPS, 84, 84, 3)
        assert np.array_equal(seen, np.repeat(episode.observations[:-1, ..., None], 3, axis=-1))


def test_a_lossy_video_is_smaller_and_close(episodes: list[Any], tmp_path: Path) -> None:
    export(tmp_path / "whole")
    export(tmp_path / "lossy", crf=18)
    small, large = (video(tmp_path / name, 0).stat().st_size for name in ("lossy", "whole"))
    assert small < large / 2
    seen = read_video(video(tmp_path / "lossy", 0))[..., 0].astype(float)
    assert 0 < np.abs(seen - episodes[0].observations[:-1]).mean() < 2


def test_npz_holds_every_array_unpickled(episodes: list[Any], tmp_path: Path) -> None:
    tmp_path /= "out"
    export(tmp_path, "npz")
    for number, episode in enumerate(episodes):
        with np.load(tmp_path / f"episode_{number:06d}.npz", allow_pickle=False) as arrays:
            for name in ("observations", "actions", "rewards", "terminations", "truncations"):
                assert np.array_equal(arrays[name], getattr(episode, name)), name
            for name, values in episode.infos.items():
                assert np.array_equal(arrays[f"info_{name}"], values), name
            assert json.loads(str(arrays["metadata"]))["seed"] == 10000 + number


@pytest.mark.parametrize("to", ["lerobot", "npz"])
def test_only_missing_files_are_written_anew(episodes: list[Any], tmp_path: Path, to: str) -> None:
    tmp_path /= "out"
    export(tmp_path, to)
    written = {
        path: path.stat().st_mtime_ns
        for path in tmp_path.rglob("episode_*")
        if path.suffix != ".jsonl"
    }
    removed = max(written)
    removed.unlink()
    export(tmp_path, to)
    again = {path for path, time in written.items() if path.stat().st_mtime_ns != time}
    assert again == {removed}


def test_a_folder_of_something_else_is_refused(episodes: list[Any], tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(CareError, match="is not empty and holds no export"):
        export(tmp_path)
    assert [path.name for path in tmp_path.iterdir() if path.name[0] not in ".d"] == ["notes.txt"]
    out = tmp_path / "out"
    export(out, "npz")
    with pytest.raises(CareError, match="another to"):
        export(out)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"crf": 52}, r"crf must lie in \[0, 51\], not 52"),
        ({"state": ()}, "state must name"),
        ({"state": ("speed", "wings")}, "episode 0 has no info wings, it has position"),
    ],
)
def test_a_wrong_option_is_refused(
    episodes: list[Any], tmp_path: Path, changes: dict[str, Any], words: str
) -> None:
    with pytest.raises(CareError, match=words):
        export(tmp_path / "out", **changes)


def test_a_wrong_option_can_be_mended(episodes: list[Any], tmp_path: Path) -> None:
    with pytest.raises(CareError, match="no info sped"):
        export(tmp_path / "out", state=("sped",))
    assert export(tmp_path / "out", state=("speed",)) == EPISODES


def test_a_file_that_only_bears_the_name_of_the_marker_is_kept(
    episodes: list[Any], tmp_path: Path
) -> None:
    (tmp_path / "export.json").write_text('{"mine": 1}')
    with pytest.raises(CareError, match="holds no export"):
        export(tmp_path)
    assert (tmp_path / "export.json").read_text() == '{"mine": 1}'
