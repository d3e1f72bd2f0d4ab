"""Laps per minute: a study's workers against a plain loop, side by side in one run.

The plain loop is what one writes first: gymnasium's CarRacing-v3 under stable-baselines3's
WarpFrame and frame stack, one car, one forward pass a step. All drive the same policy over the same
tracks, in turns, so that a busy machine slows all of them alike.

    python benchmarks/laps_per_minute.py --json benchmarks/results/laps_per_minute.json
"""

import io
import json
import os
import platform
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pandas as pd
import tyro
from rich.console import Console
from rich.progress import track
from rich.table import Table
from stable_baselines3.common.atari_wrappers import WarpFrame
from stable_baselines3.common.vec_env import DummyVecEnv, VecFrameStack, VecTransposeImage

import policies
from evaluation.limits import MAX_STEPS
from evaluation.study.backends import on_this_machine
from evaluation.study.drive_unit import Driven, drive_unit
from evaluation.study.plan import Plan
from evaluation.study.store import Store
from evaluation.study.units import Unit, drivers_of, units_of

PLAIN = "plain loop"
TARGETS = {"exact": 4.0, "fast": 15.0}
"""Times the plain loop's laps that are asked for on two cores."""


@dataclass(frozen=True)
class Options:
    """What to measure.

    Attributes:
        json: Also write the results to this file.
        policy: Who drives; sees frames.
        rounds: Turns of each contestant.
        laps: Of each renderer in a turn.
        plain_laps: Of the plain loop in a turn.
        workers: Processes of the study.
        batch: Laps in lock-step.
        max_steps: Limit of an episode.
    """

    json: Path | None = None
    policy: str = "nsac"
    rounds: int = 4
    laps: int = 20
    plain_laps: int = 2
    workers: int = 2
    batch: int = 10
    max_steps: int = MAX_STEPS


@dataclass
class Contestant:
    """One way to drive laps and what its turns came to.

    Attributes:
        name: A renderer, or `PLAIN`.
        laps: Driven, all turns together.
        steps: In each turn.
        seconds: Of each turn.
    """

    name: str
    laps: int = 0
    steps: list[int] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)

    @property
    def speeds(self) -> list[float]:
        """Steps/s of each turn."""
        return [n / seconds for n, seconds in zip(self.steps, self.seconds, strict=True)]

    @property
    def speed(self) -> float:
        """Steps/s of all turns together."""
        return sum(self.steps) / sum(self.seconds)


class PlainLoop:
    """One car of gymnasium's, seen through the wrappers of stable-baselines3."""

    def __init__(self, policy: str) -> None:
        self.policy = policies.load(policy)
        kind, frames = self.policy.observation.kind, self.policy.observation.frames
        if kind != "gray84":
            raise SystemExit(f"error: {policy} sees {kind}, and WarpFrame shows gray84")
        world = DummyVecEnv([self._world])
        self.world = VecTransposeImage(VecFrameStack(world, frames))

    @staticmethod
    def _world() -> gymnasium.Env[Any, Any]:
        return WarpFrame(gymnasium.make("CarRacing-v3"))

    def lap(self, seed: int, max_steps: int) -> int:
        """Drives a lap, or what there is of it.

        Returns:
            Steps of it.
        """
        self.world.seed(seed)
        frames: Any = self.world.reset()
        self.policy.reset(1, seed)
        for step in range(max_steps):
            action = self.policy.act(frames).action
            frames, _, ended, _ = self.world.step(action)
            if ended[0]:
                return step + 1
        return max_steps


def measure(options: Options) -> tuple[list[Contestant], list[Driven]]:
    """Lets all drive in turns."""
    plain = PlainLoop(options.policy)
    contestants = [Contestant(PLAIN), Contestant("exact"), Contestant("fast")]
    _warm_up(plain, options)
    driven: list[Driven] = []
    for number in track(range(options.rounds), "rounds", console=Console(stderr=True)):
        seed = 2000 + number * options.laps
        _plain_turn(contestants[0], plain, seed, options)
        for contestant in contestants[1:]:
            driven += _turn(contestant, seed, options)
    return contestants, driven


def _warm_up(plain: PlainLoop, options: Options) -> None:
    """Starts the workers, loads the policy and the compiled kernels in each."""
    plain.lap(0, 10)
    for renderer in TARGETS:
        short = replace(options, max_steps=5)
        list(on_this_machine(_units(renderer, 0, short), drive_unit, options.workers))


def _plain_turn(contestant: Contestant, plain: PlainLoop, seed: int, options: Options) -> None:
    start = time.perf_counter()
    laps = [plain.lap(seed + k, options.max_steps) for k in range(options.plain_laps)]
    _note(contestant, laps, time.perf_counter() - start)


def _turn(contestant: Contestant, seed: int, options: Options) -> list[Driven]:
    units = _units(contestant.name, seed, options)
    start = time.perf_counter()
    driven = list(on_this_machine(units, drive_unit, options.workers))
    seconds = time.perf_counter() - start
    _note(contestant, _laps(driven)["steps"].to_list(), seconds)
    return driven


def _note(contestant: Contestant, laps: Sequence[int], seconds: float) -> None:
    contestant.laps += len(laps)
    contestant.steps.append(sum(laps))
    contestant.seconds.append(seconds)


def _units(renderer: str, seed: int, options: Options) -> list[Unit]:
    plan = Plan(
        policies=(("", options.policy),),
        maps=tuple(f"seed:{seed + k}" for k in range(options.laps)),
        renderer="fast" if renderer == "fast" else "exact",
        batch=options.batch,
        max_steps=options.max_steps,
    )
    return units_of(plan, drivers_of(plan))


def _laps(driven: Sequence[Driven]) -> pd.DataFrame:
    """Of units that would have the same place in a study's folder."""
    frames = []
    for unit in driven:
        with tempfile.TemporaryDirectory() as folder:
            store = Store(Path(folder))
            store.write(unit)
            frames.append(store.read(unit.unit).laps)
    return pd.concat(frames, ignore_index=True)


def bytes_of_a_lap(driven: Sequence[Driven]) -> dict[str, float]:
    """On the disk, by what is kept; a Parquet file's own size is left out, as it is paid once."""
    laps = _laps(driven)
    half = len(laps) // 2
    sizes = []
    for part in (laps[:half], laps):
        buffer = io.BytesIO()
        part.to_parquet(buffer, index=False, compression="zstd")
        sizes.append(len(buffer.getvalue()))
    with_steps = drive_unit(replace(driven[-1].unit, steps=True))
    return {
        "units": sum(len(unit.laps) for unit in driven) / len(laps),
        "laps.parquet": (sizes[1] - sizes[0]) / (len(laps) - half),
        "steps": len(with_steps.steps or b"") / len(with_steps.unit.chunk.tracks),
    }


def report(
    options: Options, contestants: Sequence[Contestant], driven: Sequence[Driven]
) -> dict[str, Any]:
    """All results as plain values; a ratio is that of steps/s, of all turns together."""
    plain = contestants[0]
    steps_a_lap = sum(sum(c.steps) for c in contestants) / sum(c.laps for c in contestants)
    results = []
    for contestant in contestants:
        turns = np.array(contestant.speeds) / np.array(plain.speeds)
        workers = 1 if contestant is plain else options.workers
        results.append(
            {
                "name": contestant.name,
                "laps": contestant.laps,
                "processes": workers,
                "steps_per_second": contestant.speed,
                "laps_per_minute": contestant.speed * 60.0 / steps_a_lap,
                "laps_per_core_hour": contestant.speed * 3600.0 / steps_a_lap / workers,
                "ratio": contestant.speed / plain.speed,
                "ratio_low": float(turns.min()),
                "ratio_high": float(turns.max()),
                "target": TARGETS.get(contestant.name),
            }
        )
    packages = ("gymnasium", "numba", "numpy", "pygame-ce", "stable-baselines3", "torch")
    settings = {k: v for k, v in asdict(options).items() if k != "json"}
    return {
        "machine": platform.processor() or platform.machine(),
        "cores": os.cpu_count(),
        "load_average": os.getloadavg()[1],
        "python": platform.python_version(),
        "packages": {name: version(name) for name in packages},
        "settings": settings,
        "steps_a_lap": steps_a_lap,
        "bytes_a_lap": bytes_of_a_lap(driven),
        "results": results,
    }


def show(results: dict[str, Any]) -> None:
    """Print the results as a table."""
    settings = results["settings"]
    table = Table(
        title=f"Laps of {settings['policy']}, {results['steps_a_lap']:.0f} steps each",
        caption=f"load average {results['load_average']:.1f} on {results['cores']} cores",
    )
    columns = ("", "processes", "steps/s", "laps/min", "laps/core-h", "ratio", "in a turn", "asked")
    for title in columns:
        table.add_column(title, justify="right" if title else "left", no_wrap=True)
    for row in results["results"]:
        table.add_row(
            row["name"],
            f"{row['processes']}",
            f"{row['steps_per_second']:.0f}",
            f"{row['laps_per_minute']:.1f}",
            f"{row['laps_per_core_hour']:.0f}",
            f"{row['ratio']:.1f}",
            f"{row['ratio_low']:.1f}-{row['ratio_high']:.1f}",
            f">= {row['target']:.0f}" if row["target"] else "",
        )
    Console().print(table)


def main() -> None:
    """Measure, print and write."""
    options = tyro.cli(Options, description=__doc__)
    results = report(options, *measure(options))
    show(results)
    if options.json:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(json.dumps(results, indent=2) + "\n")
        print(f"written to {options.json}")


if __name__ == "__main__":
    main()
