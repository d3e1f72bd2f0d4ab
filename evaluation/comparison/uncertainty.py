"""What the stated uncertainty of the steering was worth, by method: errors, departures, alarms."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from numpy.typing import NDArray

from evaluation.comparison import uncertainty_figure
from evaluation.comparison.entrants import method_of, seed_of
from evaluation.comparison.ranked_steps import (
    CLASSES,
    FloatArray,
    Laps,
    auroc,
    classes,
    count,
    excess_risk,
    interval,
    risk,
    roc,
)
from evaluation.errors import EvaluationError
from evaluation.foresight import alarm_level, coming_error, lead_times, leaves_soon
from evaluation.metrics.base import column
from evaluation.metrics.uncertainty import PARTS, total_sigma
from evaluation.statistics import Interval
from maps.files import parquet_file
from nsac_core.benchmarks.contenders import order, title
from nsac_core.benchmarks.sheets import Field, Sheet
from policies.protocol import ACTIONS

Part = Literal["epistemic", "aleatoric", "total"]
Curve = tuple[FloatArray, FloatArray]

STEPS = ["policy", "lap", "lateral_error", "wheels_off_road", "epistemic_steer", "aleatoric_steer"]
"""Columns of steps that are needed."""
BLOCK = 250
"""Steps of an open-loop test that are resampled together: five seconds."""
MEASURES = {
    "auroc": "AUROC of leaving the road within 1 s",
    "warned": "departures warned of",
    "lead_time": "lead time, median (s)",
    "driving_risk": "excess risk, coming lateral error",
    "open_loop_risk": "excess risk, open-loop steering",
}
"""What is measured, and how tables call it."""


@dataclass(frozen=True)
class Rating:
    """What one part of a method's uncertainty was worth.

    Attributes:
        method: Whose.
        part: Of the steering's standard deviation.
        departures: On all its laps.
        measures: Keys of ``MEASURES``; NaN where undefined.
        curves: ``roc``, ``driving_risk`` and ``open_loop_risk``, those that are defined.
    """

    method: str
    part: Part
    departures: int
    measures: dict[str, Interval]
    curves: dict[str, Curve]


def rate(run: Path, open_loop: Path | None = None, seed: int = 0) -> list[Rating]:
    """Rates each part of the uncertainty of every method that drove.

    Models are ranked by themselves and then pooled; intervals are over models and tracks, in open
    loop over models and stretches of 5 s. A part that a model does not state, or states the same
    everywhere, has no measure.

    Args:
        run: Folder of a run.
        open_loop: Folder of the same models' predictions of test episodes, ``NAME.parquet`` each.
        seed: Of the bootstrap.

    Raises:
        EvaluationError: There are no steps.
    """
    file = run / "steps.parquet"
    if not file.is_file():
        raise EvaluationError(f"{run}: no steps.parquet, so no run")
    steps = parquet_file.read(file, columns=STEPS)
    ratings = []
    by_method = steps.groupby(steps["policy"].map(method_of), sort=False)
    for method in sorted(by_method.groups, key=lambda name: (order(str(name)), str(name))):
        own = by_method.get_group(method)
        predicted = _predictions(open_loop, list(own["policy"].unique())) if open_loop else None
        for part in get_args(Part):
            rng = np.random.default_rng(seed)
            departures, measures, curves = _driving(own, part, rng)
            if predicted is not None:
                measures["open_loop_risk"], found = _open_loop(predicted, part, rng)
                curves.update(found)
            ratings.append(Rating(str(method), part, departures, measures, curves))
    return ratings


def tables(run: Path, open_loop: Path | None = None) -> list[Sheet]:
    """One table: a row for each method and part that it states.

    Args:
        run: As for ``rate``.
        open_loop: Likewise.
    """
    ratings = [r for r in rate(run, open_loop) if any(map(_defined, r.measures.values()))]
    names = [name for name in MEASURES if any(name in r.measures for r in ratings)]
    rows: list[list[Field]] = [
        [title(r.method), r.part, str(r.departures), *(_shown(r.measures[name]) for name in names)]
        for r in ratings
    ]
    caption = (
        "What each part of the steering's standard deviation foresaw, with 95 % bootstrap "
        "intervals over models and tracks. AUROC: 0.5 is chance. An alarm sounds on a twentieth of "
        "a model's steps on the road; it warns of a departure in the 2 s before it, and one "
        "unannounced counts as 0 s. Excess risk: 0 is the best order of the steps, 1 chance."
    )
    head = ["method", "part", "departures", *(MEASURES[name] for name in names)]
    return [Sheet("uncertainty", caption, head, rows)]


def figures(run: Path, open_loop: Path | None = None) -> dict[str, Figure]:
    """One figure: ROC and risk-coverage curves of all methods, a column for each part.

    Args:
        run: As for ``rate``.
        open_loop: Likewise.
    """
    return {"uncertainty": uncertainty_figure.draw(rate(run, open_loop))}


def _defined(found: Interval) -> bool:
    return math.isfinite(found.estimate)


def _shown(found: Interval) -> str:
    if not _defined(found):
        return "-"
    if not math.isfinite(found.low):
        return f"{found.estimate:.2f}"
    return f"{found.estimate:.2f} [{found.low:.2f}, {found.high:.2f}]"


@dataclass(frozen=True)
class _Lap:
    """A lap's steps, and the class of each among all steps of its model that are compared."""

    steps: pd.DataFrame
    sigma: FloatArray
    leaves: NDArray[np.bool_]
    known: NDArray[np.bool_]
    coming: FloatArray


def _driving(
    steps: pd.DataFrame, part: Part, rng: np.random.Generator
) -> tuple[int, dict[str, Interval], dict[str, Curve]]:
    """Departures, measures and curves of a method's laps."""
    keys, laps = _laps(steps, part)
    ids = Laps(*(np.array([key[i] for key in keys], dtype=np.int64) for i in (0, 1)))
    leads = _leads(ids, laps)
    departures = sum(map(len, leads))
    if not _stated(ids.models, [lap.sigma for lap in laps]):
        undefined = Interval(math.nan, math.nan, math.nan)
        return departures, dict.fromkeys(list(MEASURES)[:4], undefined), {}
    weights = ids.weights(rng)
    known = [lap.known for lap in laps]
    leaves = [lap.leaves[lap.known].astype(float) for lap in laps]
    sigma = [lap.sigma[kept] for lap, kept in zip(laps, known, strict=True)]
    positive = _counts(ids.models, sigma, leaves)
    negative = _counts(ids.models, sigma, [1.0 - values for values in leaves])
    measures = {
        "auroc": _resampled(lambda w: auroc(w @ positive, w @ negative), weights),
        "warned": _resampled(lambda w: _warned(w, leads), weights),
        "lead_time": _resampled(lambda w: _median_lead(w, leads), weights),
    }
    curves = {}
    if positive.sum() and negative.sum():
        curves["roc"] = roc(positive.sum(0), negative.sum(0))
    seen = [np.isfinite(lap.coming) for lap in laps]
    sigma = [lap.sigma[kept] for lap, kept in zip(laps, seen, strict=True)]
    error = [lap.coming[kept] for lap, kept in zip(laps, seen, strict=True)]
    measures["driving_risk"], curves["driving_risk"] = _risk(ids.models, sigma, error, weights)
    return departures, measures, curves


def _laps(steps: pd.DataFrame, part: Part) -> tuple[list[tuple[int, int]], list[_Lap]]:
    """Model and track of each lap, and the lap."""
    keys, laps = [], []
    for _, own in steps.groupby(["policy", "lap"], sort=False):
        first = own.iloc[0]
        keys.append((seed_of(first["policy"]) or 0, int(first["lap"])))
        sigma = total_sigma(own) if part == "total" else column(own, f"{part}_steer")
        laps.append(_Lap(own, sigma, *leaves_soon(own), coming_error(own)))
    return keys, laps


def _stated(models: NDArray[np.int64], sigma: list[FloatArray]) -> bool:
    """Whether every model's is finite and varies."""
    pooled = [np.concatenate([sigma[i] for i in np.flatnonzero(models == m)]) for m in set(models)]
    return all(np.isfinite(s).all() and len(s) > 0 and np.ptp(s) > 0 for s in pooled)


def _leads(ids: Laps, laps: list[_Lap]) -> list[FloatArray]:
    """Lead times of the departures of each lap; the alarm's level is each model's own."""
    leads: list[FloatArray] = [np.empty(0)] * len(laps)
    for model in set(ids.models):
        own = np.flatnonzero(ids.models == model)
        level = alarm_level([laps[i].sigma for i in own], [laps[i].steps for i in own])
        for i in own:
            leads[i] = np.array(lead_times(laps[i].sigma, laps[i].steps, level))
    return leads


def _counts(
    models: NDArray[np.int64], sigma: list[FloatArray], value: list[FloatArray]
) -> FloatArray:
    """Sums of a value by lap and by class of sigma among the steps of its model."""
    total = np.zeros((len(models), CLASSES))
    for model in set(models):
        own = np.flatnonzero(models == model)
        lap = np.repeat(own, [len(sigma[i]) for i in own])
        rank = classes(np.concatenate([sigma[i] for i in own]))
        total += count(lap, rank, np.concatenate([value[i] for i in own]), len(models))
    return total


def _risk(
    models: NDArray[np.int64],
    sigma: list[FloatArray],
    error: list[FloatArray],
    weights: FloatArray,
) -> tuple[Interval, Curve]:
    one = [np.ones(len(values)) for values in error]
    ranked = _counts(models, sigma, one), _counts(models, sigma, error)
    best = _counts(models, error, one), _counts(models, error, error)

    def statistic(w: FloatArray) -> FloatArray:
        first, second = ((w @ steps, w @ sums) for steps, sums in (ranked, best))
        return excess_risk(first, second)

    return _resampled(statistic, weights), risk(ranked[0].sum(0), ranked[1].sum(0))


def _resampled(statistic: Callable[[FloatArray], FloatArray], weights: FloatArray) -> Interval:
    """A statistic of weighted laps ``(resamples, laps)``, and its interval."""
    estimate = float(statistic(np.ones((1, weights.shape[1])))[0])
    return interval(estimate, statistic(weights))


def _warned(weights: FloatArray, leads: list[FloatArray]) -> FloatArray:
    """Share of the departures with an alarm before them, ``(resamples,)``."""
    warned, all_of_them = (
        weights @ np.array([f(own) for own in leads], dtype=float) for f in (np.count_nonzero, len)
    )
    with np.errstate(invalid="ignore"):
        return np.asarray(warned / all_of_them)


def _median_lead(weights: FloatArray, leads: list[FloatArray]) -> FloatArray:
    """Median lead time of the departures, ``(resamples,)``."""
    lap = np.repeat(np.arange(len(leads)), list(map(len, leads)))
    if not len(lap):
        return np.full(len(weights), math.nan)
    times = np.concatenate(leads)
    drawn = weights[:, lap].astype(np.int64)
    return np.array([np.median(np.repeat(times, n)) if n.any() else math.nan for n in drawn])


def _predictions(folder: Path, policies: list[str]) -> list[pd.DataFrame]:
    """What each model said of the test episodes: rows of the steering, in order."""
    frames = []
    for policy in policies:
        file = folder / f"{policy}.parquet"
        if file.is_file():
            rows = parquet_file.read(file)
            frames.append(rows[rows["output"] == ACTIONS.index("steer")].sort_values("row"))
    return frames


def _open_loop(
    predictions: list[pd.DataFrame], part: Part, rng: np.random.Generator
) -> tuple[Interval, dict[str, Curve]]:
    """Excess risk of the squared error of the steering, and its curve."""
    models, blocks, sigma, error = [], [], [], []
    for model, rows in enumerate(predictions):
        parts = [column(rows, name) for name in (PARTS if part == "total" else [part])]
        variance, square = (
            np.sum(parts, axis=0),
            np.square(column(rows, "mean") - column(rows, "y")),
        )
        cuts = range(BLOCK, len(rows), BLOCK)
        for block, pair in enumerate(
            zip(np.split(variance, cuts), np.split(square, cuts), strict=True)
        ):
            models.append(model)
            blocks.append(block)
            sigma.append(pair[0])
            error.append(pair[1])
    ids = Laps(np.array(models, dtype=np.int64), np.array(blocks, dtype=np.int64))
    if not models or not _stated(ids.models, sigma):
        return Interval(math.nan, math.nan, math.nan), {}
    found, curve = _risk(ids.models, sigma, error, ids.weights(rng))
    return found, {"open_loop_risk": curve}
