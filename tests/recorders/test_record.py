"""What a recording holds: replayed independently, it is the same drive bit for bit."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import minari
import numpy as np
import pytest
from numpy.typing import NDArray

import drive.carracing  # noqa: F401 - registers the world
from policies import PolicyError, demonstrations
from policies.protocol import ACTION_HIGH, ACTION_LOW
from recorders import Disturbance, RecordConfig, record

MakeConfig = Callable[..., RecordConfig]
CLEAN = Disturbance(share=0)
WILD = Disturbance(share=1, steer=0.3, pedal=0.3, kick_rate=0.2)
NOTHING = np.zeros((0, 3), np.float32)


def files(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def replay(seed: int, executed: NDArray[np.float32], renderer: str) -> list[Any]:
    """Frames, rewards and true states of the same actions in a fresh world."""
    env = gymnasium.make("nsac/CarRacing-v0", renderer=renderer, observation="gray84")
    frame, info = env.reset(seed=seed)
    seen = [(frame[..., 0].copy(), 0.0, info, env.unwrapped)]
    for action in executed:
        frame, reward, _, _, info = env.step(action)
        seen.append((frame[..., 0].copy(), float(reward), info, env.unwrapped))
    return seen


@pytest.mark.parametrize("renderer", ["fast", "exact"])
def test_stock_minari_loads_a_lossless_drive(make: MakeConfig, renderer: str) -> None:
    name = record(make(renderer=renderer, noise=WILD, max_steps=60, episodes=2))
    data = minari.load_dataset(name)
    assert (data.total_episodes, data.total_steps) == (2, 120)
    assert [name] == list(minari.list_local_datasets())
    assert minari.list_local_datasets()[name]["total_steps"] == 120
    assert minari.namespace.list_local_namespaces() == ["carracing"]
    for number, episode in enumerate(data):
        executed = episode.infos["executed_action"]
        assert not executed[0].any()
        frames, rewards, infos, _ = zip(
            *replay(10_000 + number, executed[1:], renderer), strict=True
        )
        assert episode.observations.dtype == np.uint8
        np.testing.assert_array_equal(episode.observations, frames)
        np.testing.assert_array_equal(episode.rewards, rewards[1:])
        for key in infos[0]:
            np.testing.assert_array_equal(episode.infos[key], [info[key] for info in infos])


def test_metadata_tell_where_each_episode_comes_from(make: MakeConfig) -> None:
    data = minari.load_dataset(record(make(episodes=2)))
    first, second = data.storage.get_episode_metadata([0, 1])
    assert (first["id"], second["id"]) == (0, 1)
    assert (first["seed"], second["seed"]) == (10_000, 10_001)
    assert second["map"] == "seed:10001"
    assert first["driver"] == "scripted_drivers:Pursuit"
    assert first["outcome"] == "time"
    assert first["total_steps"] == 25
    assert data.env_spec.id == "nsac/CarRacing-v0"


def test_an_expert_that_fails_is_one_line(make: MakeConfig) -> None:
    with pytest.raises(PolicyError, match=r"pursuit: act\(\) failed: RuntimeError: two lines$"):
        record(make(driver="scripted_drivers:Breaks", episodes=1))


def test_labels_stay_clean_while_the_drive_is_disturbed(make: MakeConfig) -> None:
    from scripted_drivers import Pursuit  # type: ignore[import-not-found]  # noqa: PLC0415

    episode = minari.load_dataset(record(make(noise=WILD, episodes=1, max_steps=80)))[0]
    executed = episode.infos["executed_action"][1:]
    env = gymnasium.make("nsac/CarRacing-v0", renderer="fast", observation="gray84")
    env.reset(seed=10_000)
    for label, action in zip(episode.actions, executed, strict=True):
        np.testing.assert_array_equal(label, np.float32(Pursuit.aim(env.unwrapped)))
        env.step(action)
    assert np.abs(executed - episode.actions).mean(axis=0)[0] > 0.1
    assert (executed >= ACTION_LOW).all()
    assert (executed <= ACTION_HIGH).all()


def test_without_noise_the_label_is_driven(make: MakeConfig) -> None:
    episode = minari.load_dataset(record(make(noise=CLEAN)))[2]
    np.testing.assert_array_equal(episode.infos["executed_action"][1:], episode.actions)
    assert not episode.infos["learner_drove"].any()


def test_the_reader_gets_what_was_recorded(make: MakeConfig) -> None:
    data = minari.load_dataset(record(make()))
    ((stacks, actions),) = demonstrations.load(data.id).stacks(1000)
    np.testing.assert_array_equal(
        stacks[:, -1], np.concatenate([e.observations[:-1] for e in data])
    )
    np.testing.assert_array_equal(actions, np.concatenate([e.actions for e in data]))


@pytest.mark.slow
def test_the_number_of_processes_changes_nothing(make: MakeConfig, root: Path) -> None:
    common = {
        "learner": "scripted_drivers:Painter",
        "batch": 2,
        "episodes": 5,
        "learner_share": 0.5,
    }
    record(make(**common, segment=5))
    record(make(**common, segment=5, workers=2, out="carracing/two-v0"))
    one, two = (files(root / f"carracing/{name}/data") for name in ("test-v0", "two-v0"))
    for path in one.keys() | two.keys():
        if path not in ("metadata.json", "manifest.sha256"):  # the name, and the first's checksum
            assert one[path] == two[path], path


def test_the_learner_drives_and_the_expert_labels(make: MakeConfig) -> None:
    from scripted_drivers import Pursuit  # noqa: PLC0415

    learner = "scripted_drivers:straight"
    episode = minari.load_dataset(record(make(learner=learner, episodes=1)))[0]
    np.testing.assert_array_equal(
        episode.infos["executed_action"][1:],
        np.tile(np.array([0.0, 0.5, 0.0], np.float32), (25, 1)),
    )
    world = replay(10_000, NOTHING, "fast")[0][3]
    np.testing.assert_array_equal(episode.actions[0], np.float32(Pursuit.aim(world)))
    assert not np.array_equal(episode.actions, episode.infos["executed_action"][1:])


@pytest.mark.parametrize("role", ["driver", "learner"])
def test_a_driver_that_sees_colours_leaves_the_usual_gray_recording(
    make: MakeConfig, role: str
) -> None:
    config = make(**{role: "scripted_drivers:colour_seer"}, noise=CLEAN, episodes=1, max_steps=30)
    episode = minari.load_dataset(record(config))[0]
    executed = episode.infos["executed_action"][1:]
    assert (executed == [0.0, 1.0, 0.0]).all()  # the field is green
    frames = [frame for frame, *_ in replay(10_000, executed, config.renderer)]
    np.testing.assert_array_equal(episode.observations, frames)


def test_a_share_of_segments_goes_to_the_learner(make: MakeConfig) -> None:
    config = make(
        learner="scripted_drivers:parked", learner_share=0.3, segment=5, episodes=20, noise=CLEAN
    )
    data = minari.load_dataset(record(config))
    drove = np.concatenate([episode.infos["learner_drove"][1:] for episode in data])
    segments = drove.reshape(-1, 5)
    assert (segments == segments[:, :1]).all()
    # 100 segments: four standard deviations about 30.
    assert 12 <= segments[:, 0].sum() <= 48
    executed = np.concatenate([episode.infos["executed_action"][1:] for episode in data])
    labels = np.concatenate([episode.actions for episode in data])
    assert not executed[drove].any()
    np.testing.assert_array_equal(executed[~drove], labels[~drove])


@pytest.mark.parametrize(
    ("learner", "outcome", "longest"), [("straight", "lost", 400), ("parked", "stalled", 102)]
)
def test_hopeless_episodes_end_early(
    make: MakeConfig, learner: str, outcome: str, longest: int
) -> None:
    config = make(
        learner=f"scripted_drivers:{learner}",
        episodes=1,
        max_steps=1000,
        lost_steps=30,
        stalled_steps=100,
    )
    data = minari.load_dataset(record(config))
    (metadata,) = data.storage.get_episode_metadata([0])
    assert metadata["outcome"] == outcome
    assert data.total_steps <= longest
    assert data[0].truncations[-1]
    assert not data[0].truncations[:-1].any()
    off_road = data[0].infos["wheels_off_road"]
    assert (off_road[-30:] == 4).all() == (outcome == "lost")


def test_a_complete_lap_ends_the_episode(make: MakeConfig) -> None:
    config = make(driver="privileged", episodes=1, max_steps=1000, noise=CLEAN)
    data = minari.load_dataset(record(config))
    (metadata,) = data.storage.get_episode_metadata([0])
    assert metadata["outcome"] == "lap"
    assert metadata["return"] > 900
    complete = data[0].infos["lap_complete"]
    assert complete[-1]
    assert not complete[:-1].any()


def test_tracks_are_driven_in_turn(make: MakeConfig) -> None:
    data = minari.load_dataset(record(make(maps="seed:11000-11001,oval", episodes=4)))
    metadata = list(data.storage.get_episode_metadata(range(4)))
    assert [m["map"] for m in metadata] == ["seed:11000", "seed:11001", "oval", "seed:11000"]
    np.testing.assert_array_equal(
        data[0].infos["position"][0], replay(11_000, NOTHING, "fast")[0][2]["position"]
    )
    assert not np.array_equal(data[0].observations[-1], data[2].observations[-1])


def test_noise_differs_between_episodes_and_follows_the_seed(make: MakeConfig) -> None:
    def executed(out: str, seed: int) -> list[Any]:
        config = make(out=out, maps="seed:10000", noise=WILD, seed=seed, episodes=2)
        return [e.infos["executed_action"] for e in minari.load_dataset(record(config))]

    first, second = executed("a-v0", 0)
    assert not np.array_equal(first, second)
    np.testing.assert_array_equal(first, executed("b-v0", 0)[0])
    assert not np.array_equal(first, executed("c-v0", 1)[0])


def test_a_supervised_learner_is_shown_the_worlds_and_bound_to_its_file(
    make: MakeConfig, tmp_path: Path
) -> None:
    file = tmp_path / "learner.onnx"
    file.write_bytes(b"one")
    learner = f"selective:{file}?threshold=0"
    digests = {make(learner=name).content()["learner_sha256"] for name in (learner, str(file))}
    assert len(digests) == 1
    file.write_bytes(b"another")
    assert make(learner=learner).content()["learner_sha256"] not in digests
    name = record(make(learner="selective:scripted_drivers:Painter?threshold=0", episodes=1))
    (episode,) = minari.load_dataset(name)
    assert episode.infos["learner_drove"][1:].all()
