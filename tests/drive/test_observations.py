"""What the world shows, against gymnasium's checker and stable-baselines3's wrappers."""

import pickle
from typing import Any

import cv2
import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.wrappers import TimeLimit
from stable_baselines3.common.atari_wrappers import WarpFrame
from stable_baselines3.common.vec_env import DummyVecEnv, VecFrameStack, VecTransposeImage

from drive.carracing.observations import FrameStack, warp_frame
from drive.carracing.world import CarRacingWorld, ObservationName, RendererName


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("renderer", ["exact", "fast", "none"])
@pytest.mark.parametrize("observation", ["rgb96", "gray84"])
def test_gymnasiums_checker_passes(renderer: RendererName, observation: ObservationName) -> None:
    env = gymnasium.make("nsac/CarRacing-v0", renderer=renderer, observation=observation)
    check_env(env.unwrapped, skip_render_check=True)


@pytest.mark.parametrize(
    ("mode", "shape"), [("rgb_array", (400, 600, 3)), ("state_pixels", (96, 96, 3))]
)
def test_render_modes_are_gymnasiums(mode: str, shape: tuple[int, ...]) -> None:
    world = gymnasium.make("nsac/CarRacing-v0", render_mode=mode, renderer="none")
    stock = gymnasium.make("CarRacing-v3", render_mode=mode)
    for env in (world, stock):
        env.reset(seed=3)
        for _ in range(30):
            env.step(np.array([0.3, 1.0, 0.0]))
    picture: Any = world.render()
    assert picture.shape == shape
    np.testing.assert_array_equal(picture, stock.render())


def test_each_observation_is_what_it_is_called() -> None:
    shown = {
        (renderer, observation): CarRacingWorld(renderer=renderer, observation=observation)
        for renderer in ("exact", "fast", "none")
        for observation in ("rgb96", "gray84")
    }
    for world in shown.values():
        world.reset(seed=1)
    for _ in range(30):
        action = np.array([0.3, 1.0, 0.0])
        frames = {key: world.step(action)[0] for key, world in shown.items()}
    for renderer in ("exact", "fast"):
        rgb, gray = frames[renderer, "rgb96"], frames[renderer, "gray84"]
        assert (rgb.shape, gray.shape) == ((96, 96, 3), (84, 84, 1))
        assert rgb[:, :, 1].mean() > rgb[:, :, 2].mean()  # grass is green
        np.testing.assert_array_equal(gray[..., 0], warp_frame(rgb))
    assert not frames["none", "rgb96"].any()
    assert frames["none", "gray84"].shape == (84, 84, 1)


def test_gray_frames_and_their_stack_equal_stable_baselines() -> None:
    """Over three episodes, cut short so that the stack is emptied."""

    def make_stock() -> WarpFrame:
        return WarpFrame(TimeLimit(gymnasium.make("CarRacing-v3"), 20))

    theirs = VecTransposeImage(VecFrameStack(DummyVecEnv([make_stock]), n_stack=4))
    ours = TimeLimit(CarRacingWorld(renderer="exact", observation="gray84"), 20)
    stack = FrameStack(1)
    theirs.seed(11)
    expected: Any = theirs.reset()
    frame, _ = ours.reset(seed=11)
    rng = np.random.default_rng(0)
    for _ in range(50):
        np.testing.assert_array_equal(stack.push(frame[None]), expected)
        action = rng.uniform([-1, 0, 0], [1, 1, 0.3]).astype(np.float32)
        expected, _, done, _ = theirs.step(action[None])
        frame, _, terminated, truncated, _ = ours.step(action)
        assert bool(done[0]) == (terminated or truncated)
        if done[0]:  # both go on drawing tracks from the generator of the first seed
            frame, _ = ours.reset()
            stack.reset([0])


def test_a_stack_starts_at_zero_and_resets_cars_alone() -> None:
    stack = FrameStack(2, frames=3, shape=(1, 1))
    for value in (1, 2, 3, 4):
        pushed = stack.push(np.full((2, 1, 1), value, np.uint8))
        if value == 2:
            assert pushed[:, :, 0, 0].tolist() == [[0, 1, 2]] * 2
            early = pushed
    assert pushed[:, :, 0, 0].tolist() == [[2, 3, 4]] * 2
    stack.reset([1])
    assert pushed[1, :, 0, 0].tolist() == [2, 3, 4], "what was returned stays"
    pushed = stack.push(np.full((2, 1, 1, 1), 5, np.uint8))
    assert pushed[:, :, 0, 0].tolist() == [[3, 4, 5], [0, 0, 5]]
    stack.reset()
    assert stack.push(np.full((2, 1, 1), 6, np.uint8))[:, :2].max() == 0
    assert early[:, :, 0, 0].tolist() == [[0, 1, 2]] * 2


def test_a_stack_refuses_frames_of_another_shape() -> None:
    with pytest.raises(ValueError, match=r"frames have shape \(2, 84, 84\), not \(2, 96, 96\)"):
        FrameStack(2).push(np.zeros((2, 96, 96), np.uint8))


def test_warp_frame_is_opencvs_gray_area_average() -> None:
    rgb = np.random.default_rng(0).integers(0, 256, (96, 96, 3), dtype=np.uint8)
    gray = cv2.cvtColor(rgb, cv2.COLOR_RGB2GRAY)
    expected = cv2.resize(gray, (84, 84), interpolation=cv2.INTER_AREA)
    np.testing.assert_array_equal(warp_frame(rgb), expected)
    luma = rgb.astype(float) @ [0.299, 0.587, 0.114]
    assert warp_frame(rgb).mean() == pytest.approx(luma.mean(), abs=0.5)


def test_a_world_survives_a_pickle() -> None:
    world = CarRacingWorld(renderer="none", observation="gray84", map="seed:5")
    copy = pickle.loads(pickle.dumps(world))
    world.reset()
    copy.reset()
    assert copy.track == world.track
    assert copy.observation_space == world.observation_space


@pytest.mark.parametrize(
    "options", [{"renderer": "slow"}, {"observation": "rgb64"}, {"renderer": ""}]
)
def test_unknown_names_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="not '"):
        CarRacingWorld(**options)
