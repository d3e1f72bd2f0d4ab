"""Facts and pictures of a data set against what was recorded."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import minari
import numpy as np
import pandas as pd
import pytest
from minari.data_collector.episode_buffer import EpisodeBuffer
from PIL import Image

from recorders import Disturbance, RecordConfig, record
from recorders.care.action_figure import action_histograms
from recorders.care.config import InfoConfig, ShowConfig
from recorders.care.contact_sheet import GAP, MARGIN, STRIP, TILE
from recorders.care.errors import CareError
from recorders.care.pictures import show_data_set
from recorders.care.summary import Summary, summarise

MakeConfig = Callable[..., RecordConfig]
NAME = "carracing/test-v0"
SIGNATURE = b"\x89PNG"


def summary(make: MakeConfig, **changes: Any) -> Summary:  # noqa: ANN401
    record(make(**changes))
    return summarise(InfoConfig(NAME, quiet=True))


def test_the_facts(make: MakeConfig, root: Path) -> None:
    facts = summary(make, episodes=3, max_steps=30, noise=Disturbance(share=0)).as_json()
    data = minari.load_dataset(NAME)
    returns = [episode.rewards.sum() for episode in data]
    steer = np.concatenate([episode.actions for episode in data])[:, 0]
    assert (facts["total_episodes"], facts["total_steps"], facts["maps"]) == (3, 90, 3)
    assert facts["hours"] == pytest.approx(90 / 50 / 3600)
    assert facts["return"]["mean"] == pytest.approx(np.mean(returns))
    assert facts["return"]["median"] == pytest.approx(np.median(returns))
    assert facts["return"]["worst"] == pytest.approx(min(returns))
    assert facts["actions"]["steer"]["std"] == pytest.approx(steer.std(), rel=1e-5)
    assert facts["actions"]["steer"]["largest"] == pytest.approx(np.abs(steer).max())
    assert (facts["disturbed_share"], facts["learner_share"]) == (0, 0)
    assert facts["outcomes"] == {"time": 3}
    assert facts["drivers"] == ["scripted_drivers:Pursuit"]
    size = sum(path.stat().st_size for path in (root / NAME / "data").rglob("*.*"))
    assert facts["megabytes"] == pytest.approx(size / 1e6)
    assert [row["seed"] for row in facts["episodes"]] == [10000, 10001, 10002]
    json.dumps(facts, allow_nan=False)


def test_the_share_that_a_learner_drove_or_noise_disturbed(make: MakeConfig) -> None:
    facts = summary(
        make,
        episodes=2,
        max_steps=40,
        learner="scripted_drivers:straight",
        learner_share=0.5,
        segment=10,
        noise=Disturbance(share=1, steer=0.3),
    ).facts
    data = minari.load_dataset(NAME)
    drove = np.concatenate([episode.infos["learner_drove"][1:] for episode in data])
    assert 0 < drove.mean() < 1
    assert facts["learner_share"] == pytest.approx(drove.mean())
    assert facts["disturbed_share"] == pytest.approx(1 - drove.mean())


def test_tracks_of_the_test_are_named(make: MakeConfig) -> None:
    assert summary(make, episodes=3, max_steps=2, first_seed=1998, allow_test_seeds=True).test == [
        2
    ]


def test_a_set_of_no_lap_has_facts_as_well(make: MakeConfig) -> None:
    facts = summary(make, episodes=1, max_steps=1).as_json()
    assert facts["laps_complete"] == 0
    assert facts["return"]["mean"] == facts["return"]["worst"]


def test_the_pictures(make: MakeConfig, tmp_path: Path) -> None:
    record(make(episodes=3, max_steps=20))
    out = tmp_path / "pictures"
    files = show_data_set(ShowConfig(NAME, out, quiet=True))
    assert [file.name for file in files] == [
        "frames.png",
        "actions.png",
        "returns.png",
        "paths.png",
    ]
    assert sorted(out.iterdir()) == sorted(files)
    assert all(file.read_bytes()[:4] == SIGNATURE for file in files)


def test_the_histograms_tell_what_of_and_their_moments() -> None:
    labels = np.array([[-0.1, 0.0, 0.2], [0.3, 1.0, 0.2]], np.float32)
    figure = action_histograms([labels], [], "two steps")
    assert figure.get_suptitle() == "two steps"
    assert [axes.get_title() for axes in figure.axes] == [
        "mean 0.100, standard deviation 0.200",
        "mean 0.500, standard deviation 0.500",
        "mean 0.200, standard deviation 0.000",
    ]


def test_the_contact_sheet_shows_the_frames(make: MakeConfig, tmp_path: Path) -> None:
    record(make(episodes=3, max_steps=20))
    frames_png, *_ = show_data_set(
        ShowConfig(NAME, tmp_path, episodes=("0", "2"), frames=3, quiet=True)
    )
    sheet = np.asarray(Image.open(frames_png).convert("L"))
    data = minari.load_dataset(NAME)
    top = [44, 44 + TILE + 34 + GAP]
    for row, number in enumerate((0, 2)):
        for column, step in enumerate((0, 10, 19)):
            left = MARGIN + column * (TILE + GAP)
            seen = sheet[top[row] : top[row] + TILE : 2, left : left + TILE : 2]
            assert np.array_equal(seen, data[number].observations[step]), (number, step)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"episodes": ("1",)}, "no episode 1: they are 0-0"),
        ({"frames": 0}, r"frames must lie in \[1, 100\]"),
        ({"frames": 100_000}, r"frames must lie in \[1, 100\]"),
    ],
)
def test_what_cannot_be_shown_is_refused(
    make: MakeConfig, tmp_path: Path, changes: dict[str, Any], words: str
) -> None:
    record(make(episodes=1, max_steps=2))
    with pytest.raises(CareError, match=words):
        show_data_set(ShowConfig(NAME, tmp_path / "out", quiet=True, **changes))
    assert not (tmp_path / "out").exists()


def test_episodes_without_metadata_of_ours(make: MakeConfig, root: Path, tmp_path: Path) -> None:
    """As those of another program are: what is not known is left out."""
    record(make(episodes=2, max_steps=3))
    (root / NAME / "data" / "manifest.sha256").unlink()
    for number in range(2):
        path = root / NAME / "data" / str(number) / "metadata.json"
        path.write_text(json.dumps({"id": number, "total_steps": 3}))
    found = summarise(InfoConfig(NAME, quiet=True))
    assert found.facts["return"] == {}
    assert isinstance(found.episodes, pd.DataFrame)
    json.dumps(found.as_json(), allow_nan=False)
    assert len(show_data_set(ShowConfig(NAME, tmp_path / "out", quiet=True))) == 4


@pytest.mark.parametrize("steer", [np.nan, np.inf, 1e30])
def test_nothing_is_drawn_of_a_label_that_is_no_number(
    make: MakeConfig, tmp_path: Path, steer: float
) -> None:
    record(make(episodes=1, max_steps=3))
    stored = minari.load_dataset(NAME)
    (stored.storage.data_path / "manifest.sha256").unlink()
    names = ("observations", "actions", "rewards", "terminations", "truncations")
    arrays: dict[str, Any] = {name: np.array(getattr(stored[0], name)) for name in names}
    arrays["actions"][1, 0] = steer
    stored.storage.update_episodes([EpisodeBuffer(id=0, infos={}, **arrays)])
    show_data_set(ShowConfig(NAME, tmp_path / "out", frames=1, quiet=True))
    with Image.open(tmp_path / "out" / "frames.png") as image:
        sheet = np.asarray(image)
    second_row = 44 + TILE + STRIP + GAP
    bar = sheet[second_row + TILE + 6, MARGIN : MARGIN + TILE]
    blue = (bar == (0, 0x72, 0xB2)).all(axis=1).sum()
    assert blue == pytest.approx(TILE // 2 if steer == 1e30 else 0, abs=2)
    facts = summarise(InfoConfig(NAME, quiet=True)).as_json()
    json.dumps(facts, allow_nan=False)


@pytest.mark.parametrize("values", [["fast"] * 4, [[1.0, 2.0]] * 4])
def test_infos_that_only_share_a_name_with_ours_are_unknown(
    make: MakeConfig, tmp_path: Path, values: list[Any]
) -> None:
    """Another program's speed may be a word, or have two components."""
    record(make(episodes=1, max_steps=3))
    stored = minari.load_dataset(NAME)
    (stored.storage.data_path / "manifest.sha256").unlink()
    names = ("observations", "actions", "rewards", "terminations", "truncations")
    arrays: dict[str, Any] = {name: getattr(stored[0], name) for name in names}
    infos = dict.fromkeys(("speed", "position", "executed_action", "learner_drove"), values)
    stored.storage.update_episodes([EpisodeBuffer(id=0, infos=infos, **arrays)])
    assert summarise(InfoConfig(NAME, quiet=True)).facts["disturbed_share"] is None
    names_drawn = [path.name for path in show_data_set(ShowConfig(NAME, tmp_path / "out"))]
    assert names_drawn == ["frames.png", "actions.png", "returns.png"]
