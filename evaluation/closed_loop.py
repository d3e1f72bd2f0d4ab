"""The closed loop: many laps in lock-step, one forward pass a step."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray

import maps as track_maps
import policies
from drive.carracing.observations import FrameStack
from drive.observation import ObservationSpec
from evaluation.errors import EvaluationError
from evaluation.lane import Lane
from evaluation.limits import MAX_STEPS, Renderer, check_positive
from evaluation.metrics import lap_table
from evaluation.observer import Moment, Observer
from evaluation.perturbations import CLEAN, Perturbed, with_clean
from maps import TrackMap
from maps.files.one_line_error import with_kind
from maps.limits import check_numbers
from policies import Decision, Policy, PolicyError
from policies.protocol import Watchful

FRAME_SHAPES = {"gray84": (84, 84), "rgb96": (96, 96, 3)}


@dataclass(frozen=True)
class Chunk:
    """Laps that are driven in lock-step; always the same ones, whoever drives them and when.

    Attributes:
        number: Which chunk of the list it is.
        first: Number of its first lap in the list.
        tracks: A map for each lap.
    """

    number: int
    first: int
    tracks: tuple[str | TrackMap, ...]


@dataclass(frozen=True)
class Conditions:
    """What holds for all laps alike.

    Attributes:
        renderer: Who draws the pictures.
        seed: Of everything random; a chunk's own is derived from it and the chunk's number.
        max_steps: Limit of an episode.
        perturbed: What is changed on every lap.
    """

    renderer: Renderer = "exact"
    seed: int = 0
    max_steps: int = MAX_STEPS
    perturbed: Perturbed = CLEAN

    def __post_init__(self) -> None:
        """Refuses numbers that cannot be."""
        check_positive("max_steps", self.max_steps)
        check_numbers(self, EvaluationError)


def drive_laps(
    policy: Policy | str | Path,
    maps: str | Sequence[str | TrackMap],
    *,
    renderer: Renderer = "exact",
    batch: int = 10,
    seed: int = 0,
    workers: int = 1,
    max_steps: int = MAX_STEPS,
    perturb: str = "",
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Drives one lap on each map; with perturbations, one more under each of them.

    The laps are driven in fixed chunks of the list, each with a policy seed of its own, and a lap
    that has ended keeps showing its last picture. So the laps depend on the arguments alone: not on
    timing, nor on ``workers``. They do depend on ``batch``: which laps share a forward pass.

    Args:
        policy: A policy, or what ``policies.load`` takes; a file that needs trust is loaded there.
        maps: Names or maps, or one string as in ``--maps``: ``"seed:2000-2099,oval"``.
        renderer: ``exact`` or ``fast``; a driver of kind ``world`` sees no picture.
        batch: Laps in lock-step.
        seed: Of everything random.
        workers: Processes, with one torch thread each.
        max_steps: Limit of an episode.
        perturb: Perturbations with commas between them, as in ``--perturb``: ``"colours,blur:2"``.
            The clean laps are driven always, before the perturbed ones.

    Returns:
        ``laps``, one row a lap, and ``steps``, one row a step: the decision, and the state it led
        to. Columns as in a run's ``laps.parquet`` and ``steps.parquet``.

    Raises:
        EvaluationError: No maps, no such perturbation, or a number that cannot be; or the policy
            failed.
        PolicyError: The policy cannot be loaded, or returned what cannot be driven.
        MapError: There is no such map.
    """
    driver = policies.load(policy) if isinstance(policy, str | Path) else policy
    check_observation(driver)
    chunks = split(track_maps.expand(maps) if isinstance(maps, str) else maps, batch)
    check_positive("workers", workers)
    conditions = Conditions(renderer, seed, max_steps)
    calls = [
        joblib.delayed(drive_chunk)(driver, chunk, replace(conditions, perturbed=perturbed))
        for perturbed in with_clean(perturb)
        for chunk in chunks
    ]
    frames = joblib.Parallel(n_jobs=min(workers, len(calls)))(calls)
    steps = pd.concat(frames, ignore_index=True)
    return lap_table(steps), steps


def split(maps: Sequence[str | TrackMap], batch: int) -> list[Chunk]:
    """Cuts the list of laps into chunks of ``batch``.

    Raises:
        EvaluationError: There is no map, or ``batch`` is not positive.
    """
    check_positive("batch", batch)
    if not maps:
        raise EvaluationError("no maps to drive on")
    starts = range(0, len(maps), batch)
    return [Chunk(i, first, tuple(maps[first : first + batch])) for i, first in enumerate(starts)]


def drive_chunk(
    policy: Policy,
    chunk: Chunk,
    conditions: Conditions,
    name: str | None = None,
    observer: Observer | None = None,
) -> pd.DataFrame:
    """Drives the laps of one chunk.

    Args:
        policy: Who drives.
        chunk: The laps.
        conditions: Under which all chunks are driven.
        name: What the column ``policy`` says; the policy's own name by default.
        observer: Who looks on. A lap that is looked at is driven even where its uncertainty is NaN.

    Returns:
        The steps of the laps, one lap after the other.
    """
    driver = policies.checked(policy, nan_sigma=observer is not None)
    tracks = [track_maps.load(t) if isinstance(t, str) else t for t in chunk.tracks]
    renderer, seed = conditions.renderer, conditions.seed
    lanes = [
        Lane(
            *(track, driver.observation, renderer, seed, conditions.max_steps),
            conditions.perturbed,
        )
        for track in tracks
    ]
    with one_thread():
        driver.reset(len(lanes), _chunk_seed(seed, chunk.number))
        _drive(driver, lanes, observer)
    frames = []
    for offset, (lane, track) in enumerate(zip(lanes, chunk.tracks, strict=True)):
        identity = {
            "policy": name or driver.name,
            "lap": chunk.first + offset,
            "map": track if isinstance(track, str) else track.name,
            "seed": seed,
            "renderer": lane.renderer,
            "perturbation": conditions.perturbed.name,
            "severity": conditions.perturbed.severity,
        }
        frames.append(lane.steps(identity))
        lane.close()
    return pd.concat(frames, ignore_index=True)


def check_observation(policy: Policy) -> None:
    """Refuses a policy that wants to see what no world shows.

    Raises:
        PolicyError: In one line that names what there is.
    """
    policies.checked(policy)
    spec = policy.observation
    if isinstance(spec, ObservationSpec) and spec.kind == "camera":
        raise PolicyError(
            f"{policy.name}: is for the Udacity simulator; nsac-evaluate udacity drives it, or "
            "--world udacity"
        )
    kinds = (*FRAME_SHAPES, "world")
    if not isinstance(spec, ObservationSpec) or spec.kind not in kinds:
        raise PolicyError(
            f"{policy.name}: observation is {spec!r}, expected kind {', '.join(kinds)}"
        )
    if not isinstance(spec.frames, int) or spec.frames < 1:
        raise PolicyError(
            f"{policy.name}: observation.frames is {spec.frames!r}, expected 1 or more"
        )


@contextmanager
def one_thread() -> Iterator[None]:
    """Computes with one torch thread: sums keep their order, and processes do not fight."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _drive(policy: Policy, lanes: Sequence[Lane], observer: Observer | None) -> None:
    """Drives all lanes to their ends."""
    spec = policy.observation
    stack = (
        None
        if spec.kind == "world"
        else FrameStack(len(lanes), spec.frames, FRAME_SHAPES[spec.kind])
    )
    step = 0
    while not all(lane.finished for lane in lanes):
        observations: NDArray[np.uint8] | Sequence[Any] = [lane.world for lane in lanes]
        if stack is not None:
            observations = stack.push(np.stack([lane.frame for lane in lanes]))
        if isinstance(policy, Watchful):
            policy.watch([lane.world for lane in lanes])
        start = time.perf_counter()
        decision = _decide(policy, observations, step)
        latency_ms = 1e3 * (time.perf_counter() - start)
        if observer is not None:
            running = np.array([not lane.finished for lane in lanes])
            worlds = [lane.world for lane in lanes]
            observer.seen(Moment(step, observations, worlds, decision, running))
        for car, lane in enumerate(lanes):
            if not lane.finished:
                lane.step(decision, car, latency_ms)
        step += 1


def _decide(policy: Policy, observations: NDArray[np.uint8] | Sequence[Any], step: int) -> Decision:
    try:
        return policy.act(observations)
    except PolicyError as fault:
        raise PolicyError(f"{fault} (step {step})") from None
    except (Exception, SystemExit) as fault:  # a user's policy may raise anything
        raise EvaluationError(
            f"{policy.name}: act() failed at step {step}: {with_kind(fault)}"
        ) from fault


def _chunk_seed(seed: int, chunk: int) -> int:
    return int(np.random.SeedSequence([seed, chunk]).generate_state(1)[0])
