"""Tables of run time: one a device and kind of prediction, beside the paper's Table 4."""

from typing import Any

import pandas as pd

from nsac_core.benchmarks.contenders import title
from nsac_core.benchmarks.sheets import Field, Number, Sheet

PUBLISHED_PACKAGE = "torch_nac"
"""What the published package is called in the results."""

_PUBLISHED = {
    "nsac": (14.14, 0.46, 75.94, 37278),
    "gmle": (14.47, 0.21, 75.78, 36218),
    "deep_ensemble": (14.02, 0.18, 75.98, 36218),
    "mc_dropout": (14.09, 0.23, 75.89, 36218),
    "evidential": (14.21, 0.23, 76.00, 36416),
}
"""Table 4 of the paper, on one T4: seconds, their deviation, megabytes, parameters and masks."""


def sheets(settings: dict[str, Any], scores: pd.DataFrame) -> list[Sheet]:
    """One table for each device and kind of prediction.

    Args:
        settings: Of the run.
        scores: One row a repeat.
    """
    return [
        _sheet(str(device), str(positions), rows, settings)
        for (device, positions), rows in scores.groupby(["device", "positions"], sort=False)
    ]


def _sheet(device: str, positions: str, rows: pd.DataFrame, settings: dict[str, Any]) -> Sheet:
    samples = sorted(rows["samples"].unique())
    head = ["method", "parameters", "with masks"]
    head += [f"{number} passes, ms" if number > 1 else "1 pass, ms" for number in samples]
    head += ["a second", "memory, MB", "in the paper: s", "MB", "with masks"]
    lines = [_line(str(model), own, samples) for model, own in rows.groupby("model", sort=False)]
    what = "the last position" if positions == "last" else "every position"
    processor = f"one thread of {settings['processor']}" if device == "cpu" else settings["gpu"]
    return Sheet(
        f"{device}_{positions}",
        f"A prediction of {what} of one sequence of {settings['length']} points of one feature, "
        f"width {settings['width']}, {settings['heads']} heads, on {processor}: trained "
        "parameters, and with masks; mean and standard deviation over "
        f"{rows.groupby(['model', 'samples']).size().max()} predictions; predictions a second and "
        "rise of the peak memory at the most passes; the paper's own, on a T4.",
        head,
        lines,
    )


def _line(model: str, rows: pd.DataFrame, samples: list[int]) -> list[Field]:
    times = [
        Number.of((1000 * rows.loc[rows["samples"] == number, "seconds"]).tolist(), -3)
        for number in samples
    ]
    most = rows[rows["samples"] == samples[-1]]
    line: list[Field] = [
        "torch-nac 0.0.2" if model == PUBLISHED_PACKAGE else title(model),
        Number(float(most["trained"].iloc[0]), digits=0),
        Number(float(most["held"].iloc[0]), digits=0),
        *times,
        Number(float(1 / most["seconds"].mean()), digits=1),
        Number(float(most["megabytes"].iloc[0]), digits=1),
    ]
    published = _PUBLISHED.get(model)
    if published is None:
        return [*line, "-", "-", "-"]
    seconds, spread, megabytes, held = published
    return [
        *line,
        Number(seconds, spread, digits=2),
        Number(megabytes, digits=2),
        Number(held, digits=0),
    ]
