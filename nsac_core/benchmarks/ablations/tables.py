"""Tables of the studies: a line a value."""

from collections.abc import Sequence

import pandas as pd

from nsac_core.benchmarks.ablations.config import StudyName
from nsac_core.benchmarks.ablations.studies import LENGTHS, STUDIES, TOP_KS, by_length
from nsac_core.benchmarks.experiment import Run
from nsac_core.benchmarks.sheets import Field, Number, Sheet, with_best
from nsac_core.benchmarks.spiral.parts import EXTRAPOLATION, INTERPOLATION
from nsac_core.benchmarks.tables import LABELS

REGIMES = (INTERPOLATION, EXTRAPOLATION)
_METRICS = ("mse", "mae", "nll", "crps")


def sheets(run: Run) -> list[Sheet]:
    """A table for each study that has run."""
    found = [_study(run, name) for name in STUDIES]
    found.append(_lengths(run))
    return [sheet for sheet in found if sheet.rows]


def values_of(scores: pd.DataFrame, model: str, part: str, metric: str) -> list[float]:
    """A score of a variant, one value a seed; none where it has not run."""
    rows = scores[(scores["model"] == model) & (scores["part"] == part)]
    return rows[metric].astype(float).tolist()


def _study(run: Run, name: StudyName) -> Sheet:
    study = STUDIES[name]
    models = [study.contender(value).name for value in study.values]
    has_run = [model in set(run.scores["model"]) for model in models]
    columns: list[list[Number]] = []
    head = [study.label]
    for part in REGIMES:
        for metric in _METRICS:
            numbers = [Number.of(values_of(run.scores, m, part, metric), -3) for m in models]
            columns.append(with_best(numbers, "low"))
            head.append(f"{part}: {LABELS[metric][0]}")
    rows: list[list[Field]] = [
        [f"{value:g}", *(column[place] for column in columns)]
        for place, value in enumerate(study.values)
        if has_run[place]
    ]
    around = ", ".join(f"{option} {value}" for option, value in study.base.items())
    return Sheet(
        name,
        f"NSAC on the spiral by {study.label}{f' ({around})' if around else ''}, mean and standard "
        f"deviation over {_runs(run, models)}.",
        head,
        rows if sum(has_run) > 1 else [],
    )


def _lengths(run: Run) -> Sheet:
    known = set(run.scores["model"])
    rows: list[list[Field]] = []
    all_models: list[str] = []
    for length in LENGTHS:
        models = [by_length(top_k, length).name for top_k in TOP_KS]
        all_models += models
        if known.isdisjoint(models):
            continue
        numbers = [
            Number.of(values_of(run.scores, model, INTERPOLATION, "mse"), -3) for model in models
        ]
        rows.append([f"{length:,}", *with_best(numbers, "low")])
    return Sheet(
        "length",
        "Interpolation MSE of NSAC by the length of the sequence and the number K of keys that a "
        f"query attends to, mean and standard deviation over {_runs(run, all_models)}.",
        ["length", *(f"K = {top_k}" for top_k in TOP_KS)],
        rows,
    )


def _runs(run: Run, models: Sequence[str]) -> str:
    rows = run.scores[run.scores["model"].isin(models)]
    number = rows["seed"].nunique()
    return f"{number} run{'s' if number != 1 else ''}"
