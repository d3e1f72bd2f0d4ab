"""Demonstrations are read whole, stacked as the driving loop stacks them, and dealt by episode."""

import hashlib
import json
import time
from pathlib import Path

import numpy as np
import pytest
from gymnasium import spaces
from minari.data_collector.episode_buffer import EpisodeBuffer
from minari.dataset.minari_storage import MinariStorage
from numpy.typing import NDArray

from policies import demonstrations
from policies.demonstrations import DemonstrationError, Demonstrations

NAME = "carracing/test-v0"
FRAMES = spaces.Box(0, 255, (84, 84), np.uint8)
ACTIONS = spaces.Box(np.array([-1, 0, 0], "f4"), np.array([1, 1, 1], "f4"))


def write(
    root: Path,
    lengths: list[int],
    name: str = NAME,
    frames: spaces.Box = FRAMES,
    actions: spaces.Box = ACTIONS,
) -> list[EpisodeBuffer]:
    """Writes noise with stock Minari."""
    rng = np.random.default_rng(len(lengths))
    folder = root / name / "data"
    folder.mkdir(parents=True)
    storage = MinariStorage.new(folder, frames, actions, data_format="arrow", jpeg_encoding=False)
    storage.update_metadata({"dataset_id": name, "minari_version": "0.5.4"})
    episodes = [
        EpisodeBuffer(
            observations=rng.integers(1, 256, (n + 1, *frames.shape)).astype(frames.dtype),
            actions=rng.uniform(0, 1, (n, *actions.shape)).astype("f4"),
            rewards=[0.0] * n,
            terminations=[False] * n,
            truncations=[False] * n,
        )
        for n in lengths
    ]
    storage.update_episodes(episodes)
    return episodes


def stacked(episode: EpisodeBuffer, step: int, frames: int = 4) -> NDArray[np.uint8]:
    """The stack a policy sees at a step: VecFrameStack's rule, spelt out frame by frame."""
    return np.stack(
        [
            episode.observations[i] if i >= 0 else np.zeros((84, 84), np.uint8)
            for i in range(step - frames + 1, step + 1)
        ]
    )


@pytest.fixture
def recorded(tmp_path: Path) -> tuple[list[EpisodeBuffer], Demonstrations]:
    episodes = write(tmp_path, [7, 12, 30])
    return episodes, demonstrations.load(NAME, tmp_path)


def test_stacks_in_order_equal_a_frame_stack(
    recorded: tuple[list[EpisodeBuffer], Demonstrations],
) -> None:
    episodes, data = recorded
    pairs = [
        (stacked(episode, t), episode.actions[t])
        for episode in episodes
        for t in range(len(episode))
    ]
    batches = list(data.stacks(10))
    assert data.steps == 49
    assert [len(stack) for stack, _ in batches] == [10, 10, 10, 10, 9]
    assert data.count_batches(10) == 5
    np.testing.assert_array_equal(np.concatenate([s for s, _ in batches]), [s for s, _ in pairs])
    np.testing.assert_array_equal(np.concatenate([a for _, a in batches]), [a for _, a in pairs])


def test_random_stacks_hold_each_pair_once_and_follow_the_seed(
    recorded: tuple[list[EpisodeBuffer], Demonstrations],
) -> None:
    _, data = recorded
    drawn = np.concatenate([a for _, a in data.stacks(8, np.random.default_rng(3))])
    again = np.concatenate([a for _, a in data.stacks(8, np.random.default_rng(3))])
    np.testing.assert_array_equal(drawn, again)
    assert not np.array_equal(drawn, data.actions)
    np.testing.assert_array_equal(np.sort(drawn, axis=0), np.sort(data.actions, axis=0))


@pytest.mark.parametrize("window", [1, 2, 5, 7])
def test_windows_cover_every_step_with_its_stack(
    recorded: tuple[list[EpisodeBuffer], Demonstrations], window: int
) -> None:
    episodes, data = recorded
    expected = {
        episode.actions[t].tobytes(): stacked(episode, t)
        for episode in episodes
        for t in range(len(episode))
    }
    rng = np.random.default_rng(0)
    for _ in range(5):
        seen = set()
        batches = list(data.windows(4, window, rng))
        assert len(batches) == data.count_batches(4, window)
        for frames, actions in batches:
            assert frames.shape[1:] == (window + 3, 84, 84)
            assert actions.shape == (len(frames), window, 3)
            for row in range(len(frames)):
                for i in range(window):
                    key = actions[row, i].tobytes()
                    np.testing.assert_array_equal(frames[row, i : i + 4], expected[key])
                    seen.add(key)
        assert seen == set(expected)


def test_an_episode_shorter_than_the_window_is_named(
    recorded: tuple[list[EpisodeBuffer], Demonstrations],
) -> None:
    with pytest.raises(DemonstrationError, match="episode 0 of carracing/test-v0 has 7 steps"):
        next(recorded[1].windows(4, 8))


def test_split_deals_whole_episodes_and_survives_another_data_set(tmp_path: Path) -> None:
    write(tmp_path, [5] * 20)
    write(tmp_path, [6] * 10, "carracing/dagger-v1")
    first = demonstrations.load(NAME, tmp_path)
    train, validation, test = first.split((0.8, 0.1, 0.1), seed=7)
    assert [len(part.episodes) for part in (train, validation, test)] == [16, 2, 2]
    assert set(train.episodes) | set(validation.episodes) | set(test.episodes) == set(
        first.episodes
    )
    assert train.frames is first.frames
    assert first.split((0.8, 0.1, 0.1), seed=8)[1].episodes != validation.episodes

    both = demonstrations.load([NAME, "carracing/dagger-v1"], tmp_path)
    _, validation_of_both, _ = both.split((0.8, 0.1, 0.1), seed=7)
    assert set(validation.episodes) < set(validation_of_both.episodes)
    assert len(validation_of_both.episodes) == 3


@pytest.mark.parametrize("second", [NAME, f"./{NAME}/", "other/../" + NAME, "link-v0"])
def test_a_data_set_is_not_taken_twice(tmp_path: Path, second: str) -> None:
    write(tmp_path, [5, 6])
    (tmp_path / "other").mkdir()
    (tmp_path / "link-v0").symlink_to(tmp_path / NAME)
    with pytest.raises(DemonstrationError, match="named twice: its episodes would be there twice"):
        demonstrations.load([NAME, second], tmp_path)
    assert demonstrations.load(second, tmp_path).steps == 11
    with pytest.raises(DemonstrationError, match="named twice: its episodes would be there twice"):
        demonstrations.load(["link-v0"] * 2, tmp_path)


@pytest.mark.parametrize("checksums", [True, False])
def test_sets_that_share_an_episode_are_not_taken_together(tmp_path: Path, checksums: bool) -> None:
    """Else its frames could lie in training and in validation."""
    write(tmp_path, [5, 6])
    write(tmp_path, [5, 6, 7], "carracing/dagger-v1")
    own, other = (tmp_path / name / "data" for name in (NAME, "carracing/dagger-v1"))
    for file in (other / "2").iterdir():
        file.write_bytes((own / "1" / file.name).read_bytes())
    if checksums:
        for data in (own, other):
            files = sorted(data.rglob("*.*"))
            digests = {file: hashlib.sha256(file.read_bytes()).hexdigest() for file in files}
            lines = [f"{digests[file]}  {file.relative_to(data)}\n" for file in files]
            (data / "manifest.sha256").write_text("".join(lines))
    words = "episode 2 of carracing/dagger-v1 is episode 1 of carracing/test-v0 as well"
    with pytest.raises(DemonstrationError, match=words):
        demonstrations.load([NAME, "carracing/dagger-v1"], tmp_path)


def test_small_data_sets_still_have_a_validation_episode(tmp_path: Path) -> None:
    write(tmp_path, [5, 5])
    train, validation = demonstrations.load(NAME, tmp_path).split()
    assert (len(train.episodes), len(validation.episodes)) == (1, 1)
    with pytest.raises(DemonstrationError, match="1 episode cannot be split into 2 parts"):
        train.split()


def test_fingerprint_follows_the_content_only(tmp_path: Path) -> None:
    write(tmp_path, [5, 9])
    write(tmp_path, [5, 9], "other-v3")
    a, b = (demonstrations.load(name, tmp_path) for name in (NAME, "other-v3"))
    assert a.fingerprint() == b.fingerprint()
    assert a.split()[0].fingerprint() != a.fingerprint()
    b.frames[4, 10, 10] ^= 1
    assert a.fingerprint() != b.fingerprint()


def test_other_stack_sizes(tmp_path: Path) -> None:
    (episode,) = write(tmp_path, [5])
    ((one, _),) = demonstrations.load(NAME, tmp_path, stack=1).stacks(5)
    np.testing.assert_array_equal(one[:, 0], episode.observations[:-1])


def test_faults_are_named_in_one_line(tmp_path: Path) -> None:
    folder = tmp_path / NAME / "data"
    faults = []

    def fault(name: str = NAME) -> str:
        with pytest.raises(DemonstrationError) as caught:
            demonstrations.load(name, tmp_path)
        faults.append(str(caught.value))
        return faults[-1]

    assert "'nowhere-v0' in" in fault("nowhere-v0")
    assert "does not exist" in faults[-1]
    write(tmp_path, [])
    assert fault() == "data set 'carracing/test-v0' has no episodes"
    assert fault("carracing/tset-v0").endswith("does not exist: did you mean carracing/test-v0?")
    write(tmp_path, [3], "big-v0", spaces.Box(0, 255, (96, 96, 3), np.uint8))
    assert "frames of shape (96, 96, 3), expected (84, 84)" in fault("big-v0")
    write(tmp_path, [3], "float-v0", spaces.Box(0, 255, (84, 84), np.float32))
    assert "float32, expected uint8" in fault("float-v0")
    write(tmp_path, [3], "steer-v0", actions=spaces.Box(-1, 1, (1,), np.float32))
    assert "actions of shape (1,), expected (3,)" in fault("steer-v0")
    metadata = json.loads((folder / "metadata.json").read_text())
    (folder / "metadata.json").write_text(json.dumps({**metadata, "minari_version": "9.9.9"}))
    assert "is damaged" in fault()
    (folder / "metadata.json").write_text("{")
    assert "is damaged" in fault()
    (tmp_path / "half-v0" / ".recording").mkdir(parents=True)
    assert "not recorded to its end" in fault("half-v0")
    assert not [line for line in faults if "\n" in line]


def test_damaged_episodes_are_named(tmp_path: Path) -> None:
    write(tmp_path, [5, 6, 7])
    folder = tmp_path / NAME / "data"
    entry = json.loads((folder / "2" / "metadata.json").read_text())
    (folder / "2" / "metadata.json").write_text(json.dumps({**entry, "total_steps": 9}))
    with pytest.raises(DemonstrationError, match=r"episode 2 .* holds 7 steps, its metadata say 9"):
        demonstrations.load(NAME, tmp_path)
    (file,) = (folder / "1").glob("*.arrow")
    file.write_bytes(file.read_bytes()[:1000])
    with pytest.raises(DemonstrationError, match=r"^episode 1 of [^\n]* cannot be read: [^\n]*$"):
        demonstrations.load(NAME, tmp_path)


def test_batches_are_cheap() -> None:
    """Over 100,000 frames a second, so that the network and not the reader sets the pace."""
    frames = np.zeros((20_003, 84, 84), np.uint8)
    episode = demonstrations.Episode(NAME, 0, 0, 0, 20_000)
    data = Demonstrations(frames, np.zeros((20_000, 3), np.float32), (episode,), 4)
    best = 0.0
    for _ in range(3):
        start = time.perf_counter()
        count = sum(
            batch.shape[0] * 16 for batch, _ in data.windows(32, 16, np.random.default_rng(0))
        )
        best = max(best, count / (time.perf_counter() - start))
    assert best > 100_000
