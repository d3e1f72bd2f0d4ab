"""A person drives from a script: what is recorded, and what is not."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import gymnasium
import minari
import numpy as np
import pytest
from numpy.typing import NDArray

import recorders.human.driving
import recorders.human.window
from drive.carracing.world import CarRacingWorld
from recorders import Disturbance, RecordConfig, RecordError
from recorders.human.cockpit import Inputs, View
from recorders.human.config import HumanConfig
from recorders.human.controls import Hands
from recorders.human.driving import drive_by_hand
from recorders.human.session import Event, Phase
from recorders.lane import Lane
from recorders.recording import record

MakeConfig = Callable[..., RecordConfig]
NAME = "carracing/test-v0"
READ, PAUSE, BACK, AGAIN, KEEP, CLOSE = (
    Inputs((event,))
    for event in (
        Event.OTHER,
        Event.PAUSE,
        Event.DISCARD,
        Event.RESTART,
        Event.KEEP,
        Event.CLOSED,
    )
)
QUICK = HumanConfig(speed=1000.0)
"""No waiting between the steps."""


def go(steps: int, **hands: bool) -> list[Inputs]:
    """Starts with these keys and holds them."""
    return [Inputs((Event.GO,), Hands(**hands)), *held(steps - 1, **hands)]


def held(steps: int, **hands: bool) -> list[Inputs]:
    return [Inputs((), Hands(**hands))] * steps


class Script:
    """A cockpit where a script sits; it remembers what it was shown."""

    def __init__(self, lines: Sequence[Inputs]) -> None:
        self._lines = iter(lines)
        self.views: list[View] = []

    def look(self) -> Inputs:
        return next(self._lines)

    def show(self, world: CarRacingWorld, view: View) -> None:  # noqa: ARG002
        self.views.append(view)


Play = Callable[..., Script]


@pytest.fixture
def play(make: MakeConfig, monkeypatch: pytest.MonkeyPatch) -> Play:
    """Records what a script drives."""

    def recorded(lines: Sequence[Inputs], **changes: object) -> Script:
        script = Script([READ, *lines])

        @contextmanager
        def seated(title: str) -> Iterator[Script]:
            assert "nsac-record: carracing/" in title
            yield script

        monkeypatch.setattr(recorders.human.window, "find_display", lambda: None)
        by_script = partial(drive_by_hand, open_cockpit=seated)
        monkeypatch.setattr(recorders.human.driving, "drive_by_hand", by_script)
        settings = {"max_steps": None, "human": QUICK, "episodes": 1, **changes}
        record(make(driver="human", **settings))
        return script

    return recorded


def replayed(seed: int, actions: NDArray[np.float32]) -> NDArray[np.uint8]:
    """The frames of the same actions in a fresh world."""
    env = gymnasium.make("nsac/CarRacing-v0", renderer="fast", observation="gray84")
    frames = [env.reset(seed=seed)[0], *(env.step(action)[0] for action in actions)]
    env.close()
    return np.stack(frames)[..., 0]


def recorded_files(root: Path, name: str = NAME) -> dict[str, bytes]:
    """What the episodes of a data set are, byte for byte."""
    data = root / name / "data"
    return {str(path.relative_to(data)): path.read_bytes() for path in data.glob("[0-9]*/*")}


def test_what_the_person_did_is_recorded(play: Play) -> None:
    play([*go(30, gas=True), *held(20, gas=True, left=True), *held(10, brake=True), KEEP])
    data = minari.load_dataset(NAME)
    episode = data[0]
    steer, gas, brake = episode.actions.T
    # 3 full pedals a second, and 4 of the brake, in steps of 1/50 s.
    np.testing.assert_allclose(gas[:50], np.minimum(np.arange(1, 51) * 3 / 50, 1), rtol=1e-6)
    np.testing.assert_allclose(brake[50:], np.minimum(np.arange(1, 11) * 4 / 50, 0.8), rtol=1e-6)
    assert not steer[:30].any()
    assert (np.diff(steer[29:40]) < 0).all()
    assert steer[49] == np.float32(-0.4)
    np.testing.assert_array_equal(episode.infos["executed_action"][1:], episode.actions)
    np.testing.assert_array_equal(episode.observations, replayed(10_000, episode.actions))
    (metadata,) = data.storage.get_episode_metadata([0])
    assert (metadata["driver"], metadata["learner"]) == ("human", None)
    assert (metadata["map"], metadata["outcome"]) == ("seed:10000", "ended")
    assert episode.truncations.nonzero()[0].tolist() == [59]


START, END = go(60, gas=True, left=True), {"gas": True, "right": True}
MISTAKE = held(50, brake=True, right=True)


@pytest.mark.parametrize(
    "mistaken",
    [
        [*START, *MISTAKE, BACK, *go(40, **END)],
        [*START, *MISTAKE, PAUSE, BACK, *go(40, **END)],
        [*START, *MISTAKE, *held(50, gas=True), BACK, BACK, *go(40, **END)],
        [*START, *MISTAKE, BACK, *go(50, brake=True), BACK, *go(40, **END)],
        [*go(30, brake=True), BACK, *START, *held(40, **END)],
        [*go(90, **END), AGAIN, *START, *held(40, **END)],
    ],
    ids=["driving", "paused", "twice", "again", "to the start", "restart"],
)
@pytest.mark.parametrize("noise", [Disturbance(), Disturbance(share=1.0, steer=0.3)])
def test_nothing_is_left_of_what_was_taken_back(
    play: Play, root: Path, noise: Disturbance, mistaken: list[Inputs]
) -> None:
    settings = {
        "noise": noise,
        "human": replace(QUICK, discard_seconds=1.0),
        "lost_steps": 1000,
    }
    play([*START, *held(40, **END), KEEP], **settings)
    play([*mistaken, KEEP], **settings, out="carracing/other-v0")
    right = recorded_files(root)
    assert right
    assert recorded_files(root, "carracing/other-v0") == right
    assert minari.load_dataset(NAME).total_steps == 100


def state(world: CarRacingWorld) -> list[float]:
    """Everything that Box2D and gymnasium know of the car, and what it has earned."""
    values = [world.reward, world.prev_reward, world.t, world.lap.progress]
    for body in (world.car.hull, *world.car.wheels):
        values += [*body.position, body.angle, *body.linearVelocity, body.angularVelocity]
    for wheel in world.car.wheels:
        values += [wheel.gas, wheel.brake, wheel.steer, wheel.phase, wheel.omega, len(wheel.tiles)]
        values += [wheel.joint.angle, wheel.joint.motorSpeed]
    return values


@pytest.mark.parametrize("track", ["seed:7", "oval"])
def test_a_world_that_is_put_back_is_the_same_to_the_last_bit(make: MakeConfig, track: str) -> None:
    config = make(driver="human", max_steps=1000, lost_steps=1000, stalled_steps=1000)
    env = gymnasium.make("nsac/CarRacing-v0", renderer="none", observation="gray84")
    lane = Lane(env, config, 0, track)
    rng = np.random.default_rng(0)
    labels = rng.uniform([-0.3, 0, 0], [0.3, 1, 0.3], (40, 3)).astype(np.float32).repeat(10, axis=0)
    once = [state(lane.world)]
    for label in labels:
        lane.step(label, None)
        once.append(state(lane.world))
    for steps in (390, 173, 1, 0):
        lane.rewind(steps)
        assert lane.steps == steps
        again = [state(lane.world)]
        for label in labels[steps:]:
            lane.step(label, None)
            again.append(state(lane.world))
        assert again == once[steps:]
    assert once[-1] != once[0]


def test_the_person_may_be_disturbed(play: Play) -> None:
    play([*go(50, gas=True), KEEP], noise=Disturbance(share=1.0, steer=0.3))
    episode = minari.load_dataset(NAME)[0]
    assert not episode.actions[:, 0].any()
    assert np.abs(episode.infos["executed_action"][1:, 0]).max() > 0.1


def test_an_end_of_the_world_waits_for_the_person(play: Play) -> None:
    script = play(
        [*go(30, gas=True), *held(40), BACK, *go(10, gas=True), *held(25), Inputs((Event.ENTER,))],
        max_steps=30,
        human=replace(QUICK, discard_seconds=0.2),
    )
    data = minari.load_dataset(NAME)
    assert data.total_steps == 30
    (metadata,) = data.storage.get_episode_metadata([0])
    assert metadata["outcome"] == "time"
    over = [view for view in script.views if view.state.phase is Phase.OVER]
    assert {view.outcome for view in over} == {"time"}
    # 0.2 s are ten steps: the person was put back to the 20th.
    assert {view.steps for view in script.views if view.notice == "0.2 s taken back"} >= {20}


def test_pauses_do_not_count_as_standing_still(play: Play) -> None:
    play([*go(20), PAUSE, *held(50), *go(20), PAUSE, *held(50), *go(60), KEEP], stalled_steps=50)
    data = minari.load_dataset(NAME)
    (metadata,) = data.storage.get_episode_metadata([0])
    assert (metadata["outcome"], data.total_steps) == ("stalled", 50)


def test_a_person_has_more_time_than_gymnasium_gives(play: Play) -> None:
    play([*go(1100, left=True), KEEP], stalled_steps=2000)
    assert minari.load_dataset(NAME).total_steps == 1100


def test_a_recording_that_is_stopped_goes_on(play: Play, root: Path) -> None:
    first, second = [*go(20, gas=True), KEEP], [*go(30, brake=True), KEEP]
    play([*first, *second], episodes=2)
    stopped = "carracing/stopped-v0"
    with pytest.raises(KeyboardInterrupt):
        play([*first, *go(25, gas=True, left=True), CLOSE], episodes=2, out=stopped)
    with pytest.raises(FileNotFoundError):
        minari.load_dataset(stopped)
    script = play(second, episodes=2, out=stopped, batch=3)
    assert script.views[0].title == "episode 2 of 2, seed:10001"
    assert recorded_files(root, stopped) == recorded_files(root)


def test_a_recording_stopped_before_its_first_episode_leaves_nothing(
    play: Play, root: Path
) -> None:
    with pytest.raises(KeyboardInterrupt):
        play([*go(25, gas=True), CLOSE])
    assert not (root / NAME).exists()


def test_a_persons_recording_and_a_policys_do_not_mix(play: Play, make: MakeConfig) -> None:
    play([*go(5, gas=True), KEEP])
    with pytest.raises(RecordError, match="was recorded with driver = human, not"):
        record(make(max_steps=5, episodes=2))
    with pytest.raises(RecordError, match=r"recorded with human.speed = 1000.0, not 1.0"):
        play([], human=HumanConfig(), episodes=2)
    # The wheel may be set anew.
    play([*go(5, gas=True), KEEP], human=replace(QUICK, steer_rate=9.0), episodes=2)
    assert minari.load_dataset(NAME).total_episodes == 2


def test_what_holds_for_a_person_if_nothing_is_asked_for() -> None:
    person, policy = RecordConfig(NAME, driver="human"), RecordConfig(NAME)
    assert (person.limit, person.disturbance.share) == (3000, 0.0)
    assert (policy.limit, policy.disturbance.share) == (1000, 0.8)
    asked = RecordConfig(NAME, driver="human", max_steps=7, noise=Disturbance(share=0.1))
    assert (asked.limit, asked.disturbance.share) == (7, 0.1)
    assert not any(name.startswith("human") for name in policy.content())


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"workers": 2}, "workers must be 1 where a person drives, not 2"),
        ({"learner": "privileged"}, "human and a learner do not go together"),
        ({"driver": "privileged", "learner": "human"}, "learner must be a policy, not human"),
        ({"human": HumanConfig(steer_rate=0.0)}, "human.steer_rate must be positive"),
    ],
)
def test_what_a_person_cannot_do(
    make: MakeConfig, root: Path, changes: dict[str, Any], words: str
) -> None:
    with pytest.raises(RecordError, match=words) as error:
        record(make(**{"driver": "human", **changes}))
    assert "\n" not in str(error.value)
    assert not root.exists()


@pytest.mark.parametrize("sdl_driver", ["dummy", "offscreen", "x11", None])
def test_without_a_display_a_person_cannot_drive(
    make: MakeConfig,
    root: Path,
    monkeypatch: pytest.MonkeyPatch,
    sdl_driver: str | None,
    capfd: pytest.CaptureFixture[str],
) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER"):
        monkeypatch.delenv(name, raising=False)
    if sdl_driver:
        monkeypatch.setenv("SDL_VIDEODRIVER", sdl_driver)
    with pytest.raises(RecordError, match="no display for a person to drive at") as error:
        record(make(driver="human", quiet=False))
    assert "\n" not in str(error.value)
    assert not (root / NAME).exists()
    # Nor does a bar of a recording that never began stand before the line.
    assert capfd.readouterr().err == ""
