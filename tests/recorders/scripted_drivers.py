"""Drivers of known behaviour, loaded by name as a user's own driver is."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from drive.carracing.world import CarRacingWorld
from drive.observation import ObservationSpec
from policies.protocol import Decision


class Pursuit:
    """Steers at a point ahead on the centre line: a pure function of the world."""

    name = "pursuit"
    observation = ObservationSpec("world", 1)

    def reset(self, n: int, seed: int = 0) -> None:
        pass

    def act(self, observations: NDArray[np.uint8] | Sequence[Any]) -> Decision:
        return Decision.certain(np.array([self.aim(world) for world in observations], np.float32))

    @staticmethod
    def aim(world: CarRacingWorld) -> tuple[float, float, float]:
        track, hull = world.track_geometry, world.car.hull
        x, y = hull.position
        speed = hull.linearVelocity.length
        target = track.point_at(track.project((x, y)).arc_length + 5 + 0.2 * speed)
        angle = np.arctan2(target[1] - y, target[0] - x) - hull.angle - np.pi / 2
        steer = -2 * ((angle + np.pi) % (2 * np.pi) - np.pi)
        return float(np.clip(steer, -1, 1)), float(speed < 55), 0.0


class Breaks(Pursuit):
    """Fails in its own way."""

    def act(self, observations: NDArray[np.uint8] | Sequence[Any]) -> Decision:  # noqa: ARG002
        raise RuntimeError("two\nlines")


class Painter:
    """Drives by its pictures and by chance: what it does depends on the batch's every draw."""

    name = "painter"
    observation = ObservationSpec("gray84", 4)

    def reset(self, n: int, seed: int = 0) -> None:
        self.rng = np.random.default_rng(seed)
        self.n = n

    def act(self, observations: NDArray[np.uint8] | Sequence[Any]) -> Decision:
        pictures = np.asarray(observations)
        assert pictures.shape == (self.n, 4, 84, 84)
        light = pictures.mean(axis=(2, 3)) @ [0.1, -0.2, 0.3, -0.25] / 10
        steer = np.clip(light + 0.2 * self.rng.standard_normal(self.n), -1, 1)
        return Decision.certain(np.stack([steer, np.full(self.n, 0.4), 0 * steer], axis=1))


class Constant:
    """Always does the same."""

    name = "constant"
    observation = ObservationSpec("gray84", 1)

    def __init__(self, *action: float) -> None:
        self.action = action

    def reset(self, n: int, seed: int = 0) -> None:
        pass

    def act(self, observations: NDArray[np.uint8] | Sequence[Any]) -> Decision:
        action = np.array([self.action] * len(observations), np.float32)
        return Decision(action, action, 0 * action, 0 * action)


class ColourSeer(Constant):
    """Full gas where the last of two frames shows more green than blue, as grass does."""

    observation = ObservationSpec("rgb96", 2)

    def act(self, observations: NDArray[np.uint8] | Sequence[Any]) -> Decision:
        frames = np.asarray(observations)
        assert frames.shape == (len(frames), 2, 96, 96, 3)
        green, blue = (frames[:, -1, :84, :, channel].mean((1, 2)) for channel in (1, 2))
        self.action = (0.0, float((green > blue + 10).all()), 0.0)
        return super().act(observations)


def straight() -> Constant:
    return Constant(0.0, 0.5, 0.0)


def parked() -> Constant:
    return Constant(0.0, 0.0, 0.0)


def two_actions() -> Constant:
    return Constant(0.0, 0.0)


def undecided() -> Constant:
    return Constant(0.0, float("nan"), 0.0)


def colour_seer() -> ColourSeer:
    return ColourSeer(0.0, 0.0, 0.0)
