"""The tables of a run: scores beside the paper's, the other scores, separation, lambda."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from nsac_core.benchmarks.cells import ONLY_PART
from nsac_core.benchmarks.contenders import title
from nsac_core.benchmarks.experiment import Presentation
from nsac_core.benchmarks.paper import published
from nsac_core.benchmarks.sheets import Direction, Field, Number, Sheet, with_best

LABELS: dict[str, tuple[str, Direction]] = {
    "mse": ("MSE", "low"),
    "mae": ("MAE", "low"),
    "nll": ("NLL", "low"),
    "crps": ("CRPS", "low"),
    "ece": ("ECE", "low"),
    "ece_paper": ("ECE, paper's", None),  # it mixes z with confidence: low is not better
    "auroc": ("AUROC", "high"),
    "coverage_90": ("90 % coverage", 0.9),
    "width_90": ("90 % width", None),
    "sharpness": ("mean std", None),
    "aurc": ("AURC", "low"),
    "rank_correlation": ("rank correlation", "high"),
}
"""How a metric is called in tables, and what is better."""

PAPERS = {"mse": "mse", "nll": "nll", "crps": "crps", "ece_paper": "ece", "auroc": "auroc"}
"""Our metrics that the paper reports too, and its names for them."""

_ERRORS = ("mse", "mae", "crps", "aurc")

_FACTS = {
    "parameters": ("parameters", 0),
    "epochs": ("epochs", 0),
    "best_epoch": ("best epoch", 0),
    "validation_mse": ("validation MSE", 4),
    "validation_nll": ("validation NLL", 4),
    "seconds": ("seconds", 1),
}


def sheets(
    data_set: str,
    all_scores: pd.DataFrame,
    all_separation: pd.DataFrame,
    shown: Presentation = Presentation(),  # noqa: B008 - frozen
) -> list[Sheet]:
    """All tables of a run; those that would have no row are left out.

    Args:
        data_set: The run's.
        all_scores: As from ``score``.
        all_separation: As from ``separate``.
        shown: How the run is shown.
    """
    scores, separation = (_of_part(frame, shown.main) for frame in (all_scores, all_separation))
    main = scores[~scores["model"].str.contains("_lambda_")]
    apart = separation[separation["model"].isin(main["model"])] if len(separation) else separation
    others = [str(part) for part in all_scores["part"].drop_duplicates() if part != shown.main]
    found = [
        beside_paper(shown.published.get(shown.main, data_set), main),
        *(part_scores(part, all_scores, shown.published.get(part)) for part in others),
        other_scores(main),
        _training(main),
        _separation(apart),
        _ratios(apart),
        _lambda_scores(scores),
        _lambda_separation(scores, separation),
    ]
    return [sheet for sheet in found if sheet.rows]


def beside_paper(data_set: str, scores: pd.DataFrame) -> Sheet:
    """The scores that the paper reports too, beside its numbers.

    Args:
        data_set: Its name in the paper's Table 1.
        scores: One row a cell: ``model``, ``seed``, and every metric.
    """
    names = ["mse", "nll", "crps", "ece", "ece_paper", "auroc"]
    models = _models(scores)
    head, columns = ["method"], []
    for name in names:
        head.append(LABELS[name][0])
        columns.append(_column(scores, models, name))
        if name in PAPERS:
            head.append("in the paper")
            columns.append([_published(data_set, model, PAPERS[name]) for model in models])
    return Sheet(
        "scores",
        f"Scores on {_tested(data_set, scores)}, mean and standard deviation over {_runs(scores)}, "
        "beside those the paper has published; the best in bold.",
        head,
        _rows(models, columns),
    )


def _tested(data_set: str, scores: pd.DataFrame) -> str:
    """The test rows, or the one part of them that the scores are of."""
    parts = set(scores["part"]) - {ONLY_PART, data_set} if "part" in scores else set()
    named = f"the part {', '.join(sorted(parts))}" if parts else "the test rows"
    return f"{named} of {data_set}"


def part_scores(part: str, scores: pd.DataFrame, published_as: str | None = None) -> Sheet:
    """The same scores on another part of the test.

    Args:
        part: Its name.
        scores: One row a cell and part.
        published_as: Its name in the paper's Table 1, or None.
    """
    rows = scores[(scores["part"] == part) & ~scores["model"].str.contains("_lambda_")]
    if published_as is not None:
        return replace(beside_paper(published_as, rows), name=f"scores_{part}")
    names = ["mse", "mae", "nll", "crps", "ece", "auroc", "coverage_90", "width_90"]
    models = _models(rows)
    return Sheet(
        f"scores_{part}",
        f"Scores on the part {part}, mean and standard deviation over {_runs(rows)}; the best in "
        "bold.",
        ["method", *(LABELS[name][0] for name in names)],
        _rows(models, [_column(rows, models, name) for name in names]),
    )


def other_scores(scores: pd.DataFrame) -> Sheet:
    """The scores that the paper does not report; ``scores`` as for ``beside_paper``."""
    shown = {"mse", "nll", "crps", "ece", "ece_paper", "auroc"}
    names = [name for name in LABELS if name not in shown and name in scores]
    models = _models(scores)
    return Sheet(
        "more",
        "Further scores: absolute error, share and width of the central 90 % intervals, mean "
        "predicted standard deviation, area under the risk-coverage curve, rank correlation of "
        "error and predicted standard deviation.",
        ["method", *(LABELS[name][0] for name in names)],
        _rows(models, [_column(scores, models, name) for name in names]),
    )


def _training(scores: pd.DataFrame) -> Sheet:
    trained = scores[scores["parameters"].notna()] if "parameters" in scores else scores[:0]
    models = _models(trained)
    columns = [
        [Number.of(_values(trained, model, name), digits) for model in models]
        for name, (_, digits) in _FACTS.items()
    ]
    return Sheet(
        "training",
        "What training came to; the seconds are of one thread, among other processes.",
        ["method", *(label for label, _ in _FACTS.values())],
        _rows(models, columns),
    )


def _separation(separation: pd.DataFrame) -> Sheet:
    models = _models(separation)
    head, columns = ["method"], []
    for sigma in _sigmas(separation):
        rows = separation[separation["sigma"] == sigma]
        for name, label in (("auroc_epistemic", "epistemic"), ("auroc_total", "total")):
            head.append(f"{label}, sigma {sigma:g}")
            numbers = [Number.of(_values(rows, model, name), 3) for model in models]
            columns.append(with_best(numbers, "high"))
    return Sheet(
        "separation",
        "Telling test rows with noise of standard deviation sigma from those as they are: area "
        "under the ROC curve by epistemic and by total variance.",
        head,
        _rows(models, columns),
    )


def _ratios(separation: pd.DataFrame) -> Sheet:
    models, sigmas = _models(separation), _sigmas(separation)
    # The same for every sigma.
    once = separation[separation["sigma"] == sigmas[0]] if sigmas else separation
    columns = [[Number.of(_values(once, model, "epistemic_id"), -3) for model in models]]
    for sigma in sigmas:
        rows = separation[separation["sigma"] == sigma]
        columns.append([Number.of(_values(rows, model, "ratio"), -3) for model in models])
    return Sheet(
        "ratios",
        "Mean epistemic variance of the test rows as they are, and how many times as large it is "
        "with noise of standard deviation sigma.",
        ["method", "as they are", *(f"sigma {sigma:g}" for sigma in sigmas)],
        _rows(models, columns),
    )


def _lambda_scores(scores: pd.DataFrame) -> Sheet:
    models = _lambda_models(scores)
    names = [name for name in ("mse", "nll", "crps", "ece") if name in scores]
    columns = [_column(scores, models, name) for name in names]
    return Sheet(
        "lambda_scores",
        "NSAC by the weight lambda of its regulariser.",
        ["lambda", *(LABELS[name][0] for name in names)],
        [
            [_lambda(scores, model), *row[1:]]
            for model, row in zip(models, _rows(models, columns), strict=True)
        ],
    )


def _lambda_separation(scores: pd.DataFrame, separation: pd.DataFrame) -> Sheet:
    models = _lambda_models(scores)
    names = {
        "epistemic_id": ("epistemic, as they are", -3),
        "epistemic_ood": ("epistemic, perturbed", -3),
        "ratio": ("ratio", -3),
        "auroc_epistemic": ("OOD AUROC, epistemic", 3),
        "auroc_total": ("OOD AUROC, total", 3),
    }
    rows: list[list[Field]] = []
    for sigma in _sigmas(separation):
        at = separation[separation["sigma"] == sigma]
        for model in models:
            numbers = [Number.of(_values(at, model, n), digits) for n, (_, digits) in names.items()]
            rows.append([f"{sigma:g}", _lambda(scores, model), *numbers])
    return Sheet(
        "lambda_separation",
        "What lambda does to the epistemic variance of NSAC, by the size sigma of the noise.",
        ["sigma", "lambda", *(label for label, _ in names.values())],
        rows if models else [],
    )


def _lambda_models(scores: pd.DataFrame) -> list[str]:
    """NSAC and its variants by weight; none where there is nothing to compare."""
    if "lambda_reg" not in scores:
        return []
    rows = scores[scores["lambda_reg"].notna()].sort_values("lambda_reg", kind="stable")
    models = _models(rows)
    return models if len(models) > 1 else []


def _lambda(scores: pd.DataFrame, model: str) -> str:
    return f"{_values(scores, model, 'lambda_reg')[0]:g}"


def digits_of(metric: str, means: Sequence[float]) -> int:
    """Digits to show of a column: the paper's four, unless they would show nothing of the least."""
    least = min(map(abs, means), default=1.0)
    return -3 if metric in _ERRORS and 0 < least < 5e-4 else 4


def _column(scores: pd.DataFrame, models: Sequence[str], name: str) -> list[Number]:
    values = [_values(scores, model, name) for model in models]
    digits = digits_of(name, [float(np.mean(own)) for own in values if own])
    return with_best([Number.of(own, digits) for own in values], LABELS[name][1])


def _published(data_set: str, model: str, metric: str) -> Number:
    number = published(data_set, model, metric)
    return Number(math.nan) if number is None else number


def _rows(models: Sequence[str], columns: Sequence[Sequence[Number]]) -> list[list[Field]]:
    return [
        [title(model), *(column[number] for column in columns)]
        for number, model in enumerate(models)
    ]


def _of_part(frame: pd.DataFrame, part: str) -> pd.DataFrame:
    return frame[frame["part"] == part] if len(frame) else frame


def _models(frame: pd.DataFrame) -> list[str]:
    return [str(model) for model in frame["model"].drop_duplicates()]


def _sigmas(separation: pd.DataFrame) -> list[float]:
    return sorted(separation["sigma"].unique()) if len(separation) else []


def _values(frame: pd.DataFrame, model: str, name: str) -> list[float]:
    return frame.loc[frame["model"] == model, name].astype(float).tolist()


def _runs(scores: pd.DataFrame) -> str:
    counts = scores.groupby("model").size()
    least, most = int(counts.min()), int(counts.max())
    return f"{most} runs" if least == most else f"{least} to {most} runs"
