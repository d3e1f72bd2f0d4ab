"""What a worker does: drives one unit, and hands back what is kept of it as bytes."""

import io
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from evaluation.closed_loop import drive_chunk
from evaluation.errors import EvaluationError
from evaluation.identity import Entrant, digest_of
from evaluation.metrics import lap_table
from evaluation.study.laps_file import encode
from evaluation.study.units import Unit
from maps.files.parquet_file import CHECKSUMS
from policies import Policy

LOADED = 8
"""Policies that a worker keeps in memory."""


@dataclass(frozen=True)
class Driven:
    """A unit that is done.

    Attributes:
        unit: Which.
        seconds: That it took.
        laps: Contents of the file of its laps.
        steps: Contents of the Parquet file of its steps; None where they are not kept.
    """

    unit: Unit
    seconds: float
    laps: bytes
    steps: bytes | None = None


DriveUnit = Callable[[Unit], Driven]


def drive_unit(unit: Unit) -> Driven:
    """Drives the laps of a unit; writes nothing, so that workers need not share a disk.

    Raises:
        EvaluationError: The policy failed, or is not the one that the study began with.
        PolicyError: It cannot be loaded, or returned what cannot be driven.
    """
    policy = _policy(unit.driver)
    start = time.perf_counter()
    steps = drive_chunk(policy, unit.chunk, unit.conditions, unit.driver.label)
    laps = lap_table(steps)
    seconds = time.perf_counter() - start
    content = None
    if unit.steps:
        buffer = io.BytesIO()
        steps.to_parquet(buffer, index=False, compression="zstd", **CHECKSUMS)
        content = buffer.getvalue()
    return Driven(unit, seconds, encode(laps, unit.digest, seconds), content)


@lru_cache(maxsize=LOADED)
def _policy(driver: Entrant) -> Policy:
    policy = driver.load()
    if digest_of(driver.source, policy) != driver.sha256:
        raise EvaluationError(
            f"{driver.source}: is another version of the policy {driver.label} than the study "
            "began with; give it a label of its own"
        )
    return policy
