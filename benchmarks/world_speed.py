"""Speed and fidelity of the CarRacing worlds, measured interleaved in one run on one thread.

Every world drives the same laps with the same actions, a chunk of steps in turn, so that a busy
machine slows all of them alike. The physics are equal, hence so are the frames but for the
renderer, and their differences to gymnasium's are its fidelity.

    python benchmarks/world_speed.py --json world_speed.json
"""

import json
import platform
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import cv2
import gymnasium
import numpy as np
import tyro
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

import drive.carracing  # noqa: F401 - registers the world

CHUNK = 25
PLAIN = "gymnasium"
Actions = NDArray[np.float64]
Frame = NDArray[np.uint8]


@dataclass(frozen=True)
class Options:
    """What to measure.

    Attributes:
        json: Also write the results to this file.
        steps: Steps a seed.
        seeds: Tracks.
        off_road: Share of the steps, at the end of each lap, that steer at random.
    """

    json: Path | None = None
    steps: int = 500
    seeds: tuple[int, ...] = (42, 43, 44)
    off_road: float = 0.3


@dataclass
class Contestant:
    """One world and what was seen of it.

    Attributes:
        make: Builds the world.
        warp: Turns gymnasium's frame into the one to compare with; None: nothing to compare.
        speeds: Steps/s of each chunk.
        differences: How often each absolute difference to gymnasium's frame, 0-255, was seen.
    """

    name: str
    make: Callable[[], Any]
    warp: Callable[[Frame], Frame] | None
    speeds: list[float] = field(default_factory=list)
    differences: NDArray[np.int64] = field(default_factory=lambda: np.zeros(256, np.int64))


@dataclass(frozen=True)
class Fidelity:
    """Absolute differences to gymnasium's frames, in grey levels; shares of all values."""

    mean: float
    p99: int
    share_off_by_more_than_16: float
    maximum: int
    share_identical: float


def warp_frame(rgb: Frame) -> Frame:
    """SB3's WarpFrame, (84, 84, 1)."""
    gray = cv2.cvtColor(rgb, cv2.COLOR_RGB2GRAY)
    small = cv2.resize(gray, (84, 84), interpolation=cv2.INTER_AREA)
    return np.asarray(small, dtype=np.uint8)[..., None]


def contestants() -> list[Contestant]:
    """Gymnasium's world, ours with each renderer, and EnvPool's where it is installed."""

    def ours(renderer: str, observation: str) -> Callable[[], Any]:
        return lambda: gymnasium.make(
            "nsac/CarRacing-v0", renderer=renderer, observation=observation
        )

    found = [
        Contestant(PLAIN, lambda: gymnasium.make("CarRacing-v3"), lambda rgb: rgb),
        Contestant("exact, RGB 96", ours("exact", "rgb96"), lambda rgb: rgb),
        Contestant("fast, RGB 96", ours("fast", "rgb96"), lambda rgb: rgb),
        Contestant("fast, gray 84", ours("fast", "gray84"), warp_frame),
    ]
    if find_spec("envpool"):
        found.append(Contestant("EnvPool", EnvPoolWorld, None))
    return found


class EnvPoolWorld:
    """One of EnvPool's CarRacing-v3, stepped like a gymnasium environment."""

    def __init__(self) -> None:
        self.pool: Any = None

    def reset(self, seed: int) -> tuple[Frame, dict[str, Any]]:
        """Start again; EnvPool takes its seed when it is made."""
        import envpool  # noqa: PLC0415 - optional

        self.pool = envpool.make(
            "CarRacing-v3", env_type="gymnasium", num_envs=1, num_threads=1, seed=seed
        )
        return self.pool.reset()[0][0], {}

    def step(self, action: Actions) -> tuple[Frame, float, bool, bool, dict[str, Any]]:
        """One step of the only environment."""
        frame, reward, terminated, truncated, _ = self.pool.step(action[None].astype(np.float32))
        return frame[0], float(reward[0]), bool(terminated[0]), bool(truncated[0]), {}


def driven(seed: int, steps: int, off_road: float) -> Actions:
    """Actions (n, 3) along a seed's track: pure pursuit, then at random; n <= steps."""
    world = gymnasium.make("nsac/CarRacing-v0", renderer="none")
    _, info = world.reset(seed=seed)
    track = world.unwrapped.track_geometry  # type: ignore[attr-defined]
    rng = np.random.default_rng(seed)
    actions: list[NDArray[np.float64]] = []
    action = np.zeros(3)
    for step in range(steps):
        if step >= (1.0 - off_road) * steps:
            if step % 10 == 0:
                action = rng.uniform((-1.0, 0.0, -1.0), (1.0, 1.0, 0.5)).clip((-1, 0, 0), 1)
        else:
            ahead = track.point_at(track.project(info["position"]).arc_length + 15.0)
            dx, dy = ahead - info["position"]
            error = (np.arctan2(dy, dx) - info["heading"] + np.pi) % (2 * np.pi) - np.pi
            action = np.array((np.clip(-2.0 * error, -1, 1), 0.5 if info["speed"] < 45 else 0, 0.0))
        actions.append(action)
        _, _, terminated, truncated, info = world.step(action)
        if terminated or truncated:
            break
    return np.array(actions)


def run_chunk(world: Any, actions: Actions) -> tuple[float, list[Frame]]:  # noqa: ANN401
    """Steps/s and frames of some steps."""
    start = time.perf_counter()
    frames = [world.step(action)[0] for action in actions]
    return len(actions) / (time.perf_counter() - start), frames


def measure(options: Options) -> list[Contestant]:
    """Drive all seeds with all worlds, a chunk each in turn."""
    entries = contestants()
    worlds = [entry.make() for entry in entries]
    for world in worlds:  # compile before the clock runs
        world.reset(seed=0)
        world.step(np.zeros(3))
    for seed in options.seeds:
        actions = driven(seed, options.steps, options.off_road)
        for world in worlds:
            world.reset(seed=seed)
        for chunk in _chunks(actions):
            _measure_chunk(entries, worlds, chunk)
    return entries


def _chunks(actions: Actions) -> Iterator[Actions]:
    for start in range(0, len(actions), CHUNK):
        yield actions[start : start + CHUNK]


def _measure_chunk(entries: list[Contestant], worlds: list[Any], actions: Actions) -> None:
    plain: list[Frame] = []
    for entry, world in zip(entries, worlds, strict=True):
        speed, frames = run_chunk(world, actions)
        entry.speeds.append(speed)
        if entry.name == PLAIN:
            plain = frames
        if entry.warp is not None:
            for frame, reference in zip(frames, plain, strict=True):
                difference = np.abs(frame.astype(np.int16) - entry.warp(reference))
                entry.differences += np.bincount(difference.ravel(), minlength=256)


def fidelity(entry: Contestant) -> Fidelity | None:
    """The differences of a world's frames in numbers; None where nothing was compared."""
    counts, total = entry.differences, int(entry.differences.sum())
    if not total:
        return None
    return Fidelity(
        mean=float(counts @ np.arange(256) / total),
        p99=int(np.searchsorted(np.cumsum(counts), 0.99 * total)),
        share_off_by_more_than_16=float(counts[17:].sum() / total),
        maximum=int(np.flatnonzero(counts)[-1]),
        share_identical=float(counts[0] / total),
    )


def report(entries: list[Contestant]) -> dict[str, Any]:
    """All results as plain values; a ratio is the median over chunks."""
    plain = np.array(entries[0].speeds)
    results = []
    for entry in entries:
        ratios = np.array(entry.speeds) / plain
        seen = fidelity(entry)
        results.append(
            {
                "world": entry.name,
                "steps_per_second": float(np.median(entry.speeds)),
                "ratio": float(np.median(ratios)),
                "ratio_p10": float(np.quantile(ratios, 0.1)),
                "ratio_p90": float(np.quantile(ratios, 0.9)),
                "ratio_of_total_time": float(
                    (1 / plain).sum() / (1 / np.array(entry.speeds)).sum()
                ),
                "fidelity": asdict(seen) if seen else None,
            }
        )
    packages = ("gymnasium", "pygame-ce", "numba", "numpy", "opencv-python-headless")
    return {
        "machine": platform.processor() or platform.machine(),
        "python": platform.python_version(),
        "packages": {name: version(name) for name in packages},
        "chunks": len(plain),
        "results": results,
    }


def show(results: list[dict[str, Any]]) -> None:
    """Print the results as a table."""
    table = Table(
        title="A whole step: physics, picture, truth",
        caption="ratio to gymnasium's steps/s; differences to its frames in grey levels",
    )
    for title in ("world", "steps/s", "ratio", "mean", "p99", "> 16", "max", "same"):
        table.add_column(title, justify="left" if title == "world" else "right", no_wrap=True)
    for row in results:
        cells = [row["world"], f"{row['steps_per_second']:.0f}", f"{row['ratio']:.1f}"]
        seen = row["fidelity"]
        if seen:
            off = seen["share_off_by_more_than_16"]
            cells += [f"{seen['mean']:.3f}", str(seen["p99"]), f"{off:.4%}"]
            cells += [str(seen["maximum"]), f"{seen['share_identical']:.2%}"]
        table.add_row(*cells)
    Console().print(table)


def main() -> None:
    """Measure, print and write."""
    options = tyro.cli(Options, description=__doc__)
    cv2.setNumThreads(1)
    results = report(measure(options))
    show(results["results"])
    if options.json:
        options.json.write_text(json.dumps(results, indent=2) + "\n")
        print(f"written to {options.json}")


if __name__ == "__main__":
    main()
