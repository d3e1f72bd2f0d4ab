"""The selective drivers: how much of the driving a supervisor must take over to keep a clone right.

Three runs under one folder: ``validation``, in which the clones drive alone on tracks of their own,
whence the thresholds come; ``sweep``, the clones alone and with each threshold; and ``random``, in
which each threshold has a control that takes over as often and as long, but at random times.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd

import policies
from evaluation import run_description
from evaluation.comparison.entrants import method_of, seed_of
from evaluation.config import EvaluateConfig
from evaluation.errors import EvaluationError
from evaluation.limits import MAX_STEPS
from evaluation.metrics.base import column
from evaluation.metrics.uncertainty import total_sigma
from evaluation.run import Run, drive
from maps.files import parquet_file
from nsac_core.benchmarks.report import write_frame
from policies.selective import Handover, Part, spell

SETTINGS = "settings.parquet"
"""What is known of each driver: the columns ``COLUMNS``, a row each."""

COLUMNS = [
    *("source", "clone", "method", "model", "part", "quantile"),
    *("threshold", "hold", "release", "control"),
]
"""What loads the driver, the clone that is supervised, its method and seed, and when it hands over;
the part of a clone alone is ``none``, and the control of others than controls empty."""


@dataclass(frozen=True)
class SelectiveConfig:
    """A study of selective drivers.

    Attributes:
        policies: The clones, as `nsac-evaluate --policy` takes them.
        out: Folder of the study. The same call goes on where it stopped.
        parts: Which standard deviations of the steering decide, each by itself. Where a clone does
            not state the part, or the same everywhere, its total is taken.
        quantiles: Of that deviation on the validation laps: the thresholds.
        hold: Steps that the supervisor drives at least.
        release: Share of the threshold at which it gives back.
        validation: Tracks of the validation laps, no test tracks.
        tracks: Tracks that are driven.
        renderer: Who draws what the clones see.
        batch: Laps in lock-step.
        seed: Of everything random.
        max_steps: Limit of an episode.
        workers: Processes, of one thread each; they do not change the results.
        trust: Load policy files that can run code of their own: stable-baselines3 archives,
            `torch.export` and TorchScript. Only for files of somebody you trust.
        quiet: No progress bars.
    """

    policies: tuple[str, ...]
    out: Path = Path("runs/selective")
    parts: tuple[Literal["epistemic", "aleatoric", "total"], ...] = ("epistemic",)
    quantiles: tuple[float, ...] = (0.9, 0.95, 0.98, 0.995)
    hold: int = 25
    release: float = 0.8
    validation: str = "seed:5000-5019"
    tracks: str = "seed:2000-2019"
    renderer: Literal["exact", "fast"] = "exact"
    batch: int = 10
    seed: int = 0
    max_steps: int = MAX_STEPS
    workers: int = 1
    trust: bool = False
    quiet: bool = False

    def check(self) -> None:
        """Checks what no run checks by itself.

        Raises:
            EvaluationError: A quantile is none, or there is nothing to sweep.
        """
        if not self.parts or not self.quantiles:
            raise EvaluationError("no part or no quantile to hand over at")
        for quantile in self.quantiles:
            if not 0.0 < quantile < 1.0:
                raise EvaluationError(f"quantile is {quantile:g}, expected between 0 and 1")


def drive_selective(config: SelectiveConfig) -> None:
    """Drives what is missing of the three runs.

    Raises:
        EvaluationError: The configuration cannot be, or a folder holds another run.
        policies.PolicyError: A clone cannot be loaded.
        maps.MapError: There is no such map.
    """
    config.check()
    alone = drive(_run(config, "validation", list(config.policies), config.validation))
    settings = thresholds(config, alone)
    swept = drive(_run(config, "sweep", [*config.policies, *settings["source"]], config.tracks))
    controls = random_controls(settings, swept, config.trust)
    if len(controls):
        drive(_run(config, "random", list(controls["source"].unique()), config.tracks))
    write_frame(config.out / SETTINGS, pd.concat([_alone(config), settings, controls]))


def thresholds(config: SelectiveConfig, validation: Run) -> pd.DataFrame:
    """The selective drivers to be driven, at quantiles of each clone's own deviation.

    Args:
        config: Parts and quantiles.
        validation: The clones alone.

    Returns:
        One row a driver, with the columns ``COLUMNS``; of equal thresholds the first. A clone
        that states no uncertainty has none.
    """
    rows = []
    for policy, steps in _by_source(validation):
        sigmas = {
            "total": total_sigma(steps),
            **{part: column(steps, f"{part}_steer") for part in ("epistemic", "aleatoric")},
        }
        stated = [part for part, sigma in sigmas.items() if np.ptp(sigma) > 0]
        parts = dict.fromkeys(part if part in stated else "total" for part in config.parts)
        for part in parts if stated else ():
            for quantile in config.quantiles:
                threshold = float(np.quantile(sigmas[part], quantile))
                rule = Handover(threshold, _part(part), config.hold, config.release)
                rows.append(_row(policy, rule, part, quantile, trust=config.trust))
    return pd.DataFrame(rows, columns=COLUMNS).drop_duplicates("source", ignore_index=True)


def random_controls(settings: pd.DataFrame, swept: Run, trust: bool = False) -> pd.DataFrame:
    """For each driver that was taken over from, one that is so as often and as long, at random.

    A control is matched to what its driver came to on these very laps, so that they differ in
    nothing but when.

    Args:
        settings: As from ``thresholds``.
        swept: Their laps.
        trust: Whether the clones may run code of their own while they are loaded.

    Returns:
        As ``settings``.
    """
    laps = dict(_by_source(swept, "laps"))
    rows = []
    for setting in settings.itertuples():
        own = laps[str(setting.source)]
        taken = float((own["takeover_share"] * own["steps"]).sum())
        if taken == 0:
            continue
        rule = matched(taken / float(own["steps"].sum()), taken / float(own["takeovers"].sum()))
        clone = str(setting.clone)
        part, quantile = str(setting.part), float(str(setting.quantile))
        rows.append(_row(clone, rule, part, quantile, "random", trust))
    return pd.DataFrame(rows, columns=COLUMNS)


def matched(share: float, length: float) -> Handover:
    """The random rule that takes over a share of the steps, in stretches of a length.

    Free steps between two takeovers are geometric with mean ``(1 - p) / p`` for a chance p a step,
    so that the share is ``length / (length + (1 - p) / p)``.

    Args:
        share: Of the steps, above 0 and at most 1.
        length: Mean of the takeovers, steps.
    """
    hold = max(round(length), 1)
    chance = share / (share + hold * (1.0 - share))
    return Handover(1.0 - chance, "random", hold, 1.0)


def read(out: Path) -> pd.DataFrame:
    """All laps of a study, each with the settings of its driver.

    A control that matches several settings is there once for each.

    Returns:
        Columns of ``laps.parquet`` and ``COLUMNS``.

    Raises:
        EvaluationError: The study is not finished.
    """
    if not (out / SETTINGS).is_file():
        raise EvaluationError(f"{out}: no {SETTINGS}, so no finished study of selective drivers")
    settings = parquet_file.read(out / SETTINGS)
    frames = []
    for name in ("sweep", "random"):
        if (out / name / "laps.parquet").is_file():
            laps = parquet_file.read(out / name / "laps.parquet")
            run = Run(out / name, laps, run_description.read(out / name).sources)
            frames += [own.assign(source=source) for source, own in _by_source(run, "laps")]
    return pd.concat(frames, ignore_index=True).merge(settings, on="source")


def _row(
    clone: str,
    rule: Handover | None,
    part: str,
    quantile: float,
    control: str = "",
    trust: bool = False,
) -> dict[str, object]:
    name = policies.load(clone, trust=trust).name
    return {
        "source": clone if rule is None else spell(clone, rule),
        "clone": clone,
        "method": method_of(name),
        "model": seed_of(name) or 0,
        "part": part,
        "quantile": quantile,
        "threshold": rule.threshold if rule else np.inf,
        "hold": rule.hold if rule else 0,
        "release": rule.release if rule else 1.0,
        "control": control,
    }


def _alone(config: SelectiveConfig) -> pd.DataFrame:
    """The clones alone: their threshold is never reached."""
    rows = [_row(clone, None, "none", 1.0, trust=config.trust) for clone in config.policies]
    return pd.DataFrame(rows)


def _by_source(run: Run, table: str = "steps") -> list[tuple[str, pd.DataFrame]]:
    """The laps or the steps of each driver of a run, with what loads it."""
    if table == "laps":
        frame = run.laps
    else:
        frame = run.steps(["policy", "epistemic_steer", "aleatoric_steer"])
    return [(run.sources[str(label)], own) for label, own in frame.groupby("policy", sort=False)]


def _run(config: SelectiveConfig, name: str, drivers: list[str], tracks: str) -> EvaluateConfig:
    return EvaluateConfig(
        policy=tuple(drivers),
        maps=tracks,
        out=config.out / name,
        renderer=config.renderer,
        batch=config.batch,
        seed=config.seed,
        max_steps=config.max_steps,
        workers=config.workers,
        trust=config.trust,
        quiet=config.quiet,
    )


def _part(name: str) -> Part:
    parts: dict[str, Part] = {p: p for p in ("epistemic", "aleatoric", "total")}
    return parts[name]
