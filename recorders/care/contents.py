"""Checks the arrays of one episode against each other, the limits, and its metadata."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from minari import EpisodeData
from numpy.typing import NDArray

from policies.minari_files import FRAME_SHAPE
from policies.protocol import ACTION_HIGH, ACTION_LOW, ACTIONS

SCALARS = (
    *("heading", "speed", "lateral_error", "heading_error", "curvature", "progress"),
    *("lap_complete", "wheels_off_road", "tiles_visited", "tiles_total", "learner_drove"),
)
SHAPES: dict[str, tuple[int, ...]] = {
    **dict.fromkeys(SCALARS, ()),
    "position": (2,),
    "executed_action": (3,),
}
"""Shape of each info at one frame."""

Fault = tuple[str, str]
"""A field, and what is wrong with it."""


def faults(episode: EpisodeData, entry: dict[str, Any]) -> Iterator[Fault]:
    """Everything that is wrong with an episode.

    Args:
        episode: Its arrays.
        entry: Its metadata.

    Yields:
        The field, and what is wrong with it.
    """
    steps = len(episode.actions)
    if steps == 0:
        yield "actions", "none: an episode has at least one step"
        return
    if entry.get("total_steps") != steps:
        yield "metadata.json, total_steps", f"{entry.get('total_steps')}, but {steps} actions"
    yield from _frames(episode.observations, steps)
    yield from _actions("actions", episode.actions)
    yield from _rewards(episode.rewards, steps, entry)
    yield from _ends(episode, steps)
    yield from _infos(episode.infos, steps)
    yield from _outcome(known_infos(episode), entry)


def _frames(frames: NDArray[np.uint8], steps: int) -> Iterator[Fault]:
    expected = (steps + 1, *FRAME_SHAPE)
    if frames.shape != expected or frames.dtype != np.uint8:
        yield "observations", f"{frames.dtype} {frames.shape}, expected uint8 {expected}"
        return
    flat = frames.reshape(len(frames), -1)
    if (frames == frames[0]).all():
        yield "observations", "all frames are the same"
    uniform = np.flatnonzero(flat.min(axis=1) == flat.max(axis=1))
    if len(uniform):
        yield "observations", f"{_count(uniform, 'frame')} of one gray only, first {uniform[0]}"


def _actions(field: str, actions: NDArray[np.float32]) -> Iterator[Fault]:
    if actions.shape[1:] != (len(ACTIONS),) or actions.dtype != np.float32:
        yield field, f"{actions.dtype} {actions.shape}, expected float32 (steps, {len(ACTIONS)})"
        return
    for i, name in enumerate(ACTIONS):
        column, low, high = actions[:, i], ACTION_LOW[i], ACTION_HIGH[i]
        strange = np.flatnonzero(~np.isfinite(column))
        if len(strange):
            yield field, f"{name} not finite in {_count(strange, 'step')}, first {strange[0]}"
        beyond = np.flatnonzero((column < low) | (column > high))
        if len(beyond):
            first = f"{column[beyond[0]]:.3g} at step {beyond[0]}"
            yield field, f"{name} beyond [{low:g}, {high:g}] in {_count(beyond, 'step')}: {first}"


def _rewards(rewards: NDArray[np.float64], steps: int, entry: dict[str, Any]) -> Iterator[Fault]:
    if len(rewards) != steps:
        yield "rewards", f"{len(rewards)}, expected {steps}"
    strange = np.flatnonzero(~np.isfinite(rewards))
    if len(strange):
        yield "rewards", f"not finite in {_count(strange, 'step')}, first {strange[0]}"
    stated, total = entry.get("return"), float(rewards.sum())
    if stated is not None and not abs(stated - total) < 1e-6:
        yield "metadata.json, return", f"{stated}, but the rewards come to {total}"


def _ends(episode: EpisodeData, steps: int) -> Iterator[Fault]:
    for field in ("terminations", "truncations"):
        if len(getattr(episode, field)) != steps:
            yield field, f"{len(getattr(episode, field))}, expected {steps}"
            return
    ends = np.flatnonzero(episode.terminations | episode.truncations)
    if not len(ends) or ends[-1] != steps - 1:
        yield "terminations, truncations", "the last step is no end"
    early = ends[ends < steps - 1]
    if len(early):
        yield "terminations, truncations", f"an end at step {early[0]} of {steps}, before the last"


def known_infos(episode: EpisodeData) -> dict[str, NDArray[Any]]:
    """The infos that are what the recorder writes; another program may give others its names."""
    steps = len(episode.actions)
    return {
        name: episode.infos[name]
        for name in SHAPES
        if name in episode.infos and not _misfit(episode.infos[name], name, steps)
    }


def is_plain(values: object) -> bool:
    """Whether it is an array of numbers, or of truths."""
    return isinstance(values, np.ndarray) and values.dtype.kind in "biuf"


def _misfit(values: NDArray[Any], name: str, steps: int) -> str:
    """What is wrong with the type or the shape of an info; empty where nothing is."""
    expected = (steps + 1, *SHAPES[name])
    if not is_plain(values):
        return "holds no plain numbers"
    return "" if values.shape == expected else f"shape {values.shape}, expected {expected}"


def _infos(infos: dict[str, NDArray[Any]], steps: int) -> Iterator[Fault]:
    for name in SHAPES:
        values = infos.get(name)
        if values is None:
            yield f"infos, {name}", "missing"
        elif misfit := _misfit(values, name, steps):
            yield f"infos, {name}", misfit
        elif not np.isfinite(values).all():
            first = np.flatnonzero(~np.isfinite(values.reshape(steps + 1, -1)).all(axis=1))[0]
            yield f"infos, {name}", f"not finite, first at frame {first}"
        elif name == "executed_action":
            yield from _actions(f"infos, {name}", values)


def _outcome(infos: dict[str, NDArray[Any]], entry: dict[str, Any]) -> Iterator[Fault]:
    """What the metadata say of the end against the last frame."""
    outcome, complete = entry.get("outcome"), entry.get("lap_complete")
    if outcome == "" or (outcome == "lap" and complete is False):
        yield "metadata.json, outcome", f"{outcome!r}, with lap_complete = {complete}"
    for name in ("progress", "lap_complete"):
        values = infos.get(name)
        if name in entry and values is not None and entry[name] != values[-1]:
            yield f"metadata.json, {name}", f"{entry[name]}, but {values[-1]} at the last frame"


def _count(found: NDArray[Any], noun: str) -> str:
    return f"{len(found)} {noun}{'' if len(found) == 1 else 's'}"
