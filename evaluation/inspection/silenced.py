"""Which neurons matter: each is silenced in turn, and the same laps are driven again."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import torch
from rich.console import Console
from rich.progress import track

import maps as track_maps
import policies
from evaluation.closed_loop import Chunk, Conditions, drive_chunk, split
from evaluation.errors import EvaluationError
from evaluation.inspection.learned import learned_driver
from evaluation.inspection.seen_laps import config_of
from evaluation.inspection.trace_columns import NEURON
from evaluation.metrics import lap_table
from maps.files import parquet_file
from nsac_core.benchmarks.processes import finished
from nsac_core.circuit_attention import CircuitAttention
from nsac_core.recording import layers
from policies import Policy

FILE = "silenced.parquet"
MEASURES = ("lateral_rmse", "return", "completed", "progress")
"""Lap metrics that are kept of the laps with a neuron silenced."""


def silence(policy: Policy, neuron: str) -> None:
    """Lets a neuron of a learned driver send nothing: as if its potential were 0 always.

    Args:
        policy: Is changed.
        neuron: Name of its column in the traces, such as ``command_07``.

    Raises:
        EvaluationError: The driver has no such neuron.
    """
    driver = learned_driver(policy)
    named = NEURON.fullmatch(neuron)
    found = layers(driver.method) if driver is not None else []
    if not found or named is None:
        raise EvaluationError(f"{policy.name}: has no neuron {neuron!r}")
    member, index = named["member"], int(named["index"])
    try:
        with torch.no_grad():
            for synapses, axis in _synapses(found[0], named["group"]):
                own = synapses if member is None else synapses[int(member)]
                own.select(axis, index).zero_()
    except IndexError:
        raise EvaluationError(f"{policy.name}: has no neuron {neuron!r}") from None


def drive_silenced(
    run: Path,
    chosen: pd.DataFrame,
    sources: Mapping[str, str],
    workers: int = 1,
    trust: bool = False,
) -> pd.DataFrame:
    """Drives the laps of a run again, with one neuron silenced at a time.

    What has been driven before is kept in the run's folder, and not driven again.

    Args:
        run: Folder of a finished run.
        chosen: ``policy`` and ``neuron``, one row each.
        sources: What ``policies.load`` takes for each policy, by the run's name of it.
        workers: Processes.
        trust: Whether the policies may run code of their own while they are loaded.

    Returns:
        A row a neuron and lap: ``policy, neuron, lap, map``, each of ``MEASURES``, and the same of
        the intact driver, ``intact_<measure>``.

    Raises:
        EvaluationError: It is no finished run, or there is no such neuron.
    """
    config = config_of(run)
    tracks = track_maps.expand(config.maps)
    driven = _driven_before(run, len(tracks))
    known = {(own["policy"].iloc[0], own["neuron"].iloc[0]) for own in driven}
    jobs = [
        _Job(sources[policy], trust, policy, neuron, chunk, config.conditions)
        for policy, neuron in zip(chosen["policy"], chosen["neuron"], strict=True)
        if (policy, neuron) not in known
        for chunk in split(tracks, config.batch)
    ]
    again = track(
        finished(_drive, jobs, workers),
        "driving with a neuron silenced",
        total=len(jobs),
        console=Console(stderr=True),
        disable=not jobs,
    )
    for laps in again:
        driven.append(laps)
        parquet_file.write(run / FILE, pd.concat(driven, ignore_index=True))
    laps = pd.concat(driven, ignore_index=True)
    return _beside_intact(laps.merge(chosen[["policy", "neuron"]], on=["policy", "neuron"]), run)


def _driven_before(run: Path, laps: int) -> list[pd.DataFrame]:
    """The laps of each neuron of which all have been driven."""
    if not (run / FILE).is_file():
        return []
    groups = parquet_file.read(run / FILE).groupby(["policy", "neuron"], sort=False)
    return [own for _, own in groups if len(own) == laps]


@dataclass(frozen=True)
class _Job:
    """A chunk of laps with one neuron silenced."""

    source: str
    trust: bool
    policy: str
    neuron: str
    chunk: Chunk
    conditions: Conditions


def _drive(job: _Job) -> pd.DataFrame:
    driver = policies.load(job.source, trust=job.trust)
    silence(driver, job.neuron)
    laps = lap_table(drive_chunk(driver, job.chunk, job.conditions, job.policy))
    kept = laps[["policy", "lap", "map", *MEASURES]]
    return kept.assign(neuron=job.neuron)


def _beside_intact(laps: pd.DataFrame, run: Path) -> pd.DataFrame:
    intact = parquet_file.read(run / "laps.parquet")
    intact = intact[intact["severity"] == 0][["policy", "lap", *MEASURES]]
    names = {name: f"intact_{name}" for name in MEASURES}
    return laps.merge(intact.rename(columns=names), on=["policy", "lap"], how="left")


def _synapses(layer: CircuitAttention, group: str) -> Sequence[tuple[torch.Tensor, int]]:
    """What to set to zero to silence a neuron, and the axis that counts the group's neurons."""
    circuit = layer.backbone
    if group == "inter":
        return [(circuit.command.weight, -1)]
    if group == "command":
        return [(circuit.motor.weight, -1)]
    own = circuit.motor if group == "motor" else getattr(layer, f"{group}_gate")
    return [(own.weight, -2), (own.bias, -1)]
