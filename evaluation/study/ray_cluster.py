"""The units of a study on a Ray cluster, which may lose machines on the way and gain others."""

import importlib
import os
import platform
import re
import socket
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

from evaluation.errors import EvaluationError
from evaluation.study.drive_unit import Driven, DriveUnit
from evaluation.study.installation import difference, installation
from evaluation.study.units import Unit

RETRIES = 5
"""Times that a unit is driven anew because its machine or process was lost."""
PATIENCE = 10.0
"""Seconds to wait for an answer from the cluster's address."""


def on_a_cluster(
    units: Sequence[Unit],
    drive_unit: DriveUnit,
    workers: int,
    address: str | None = None,
) -> Iterator[Driven]:
    """Tasks of one CPU each; a machine that is lost has its units driven by others.

    Every machine has this package installed, of the same version, and finds the policies and maps
    that are files under the same paths. What is driven comes back through Ray.

    Args:
        units: To drive.
        drive_unit: Drives one.
        workers: Units given to the cluster at once.
        address: Of the cluster, as ``ray.init`` takes it; without one Ray starts on this machine,
            or is used as this process has it.

    Raises:
        EvaluationError: Ray is not installed, the cluster is not there or has other versions
            installed, or a unit took its process down time and again; or the policy failed.
    """
    ray = _ray()
    with _connected(ray, workers, address):
        task = ray.remote(num_cpus=1, max_retries=RETRIES)(_drive)
        here = ray.put((drive_unit, installation(), Path.cwd()))
        waiting = iter(units)
        running = [task.remote(unit, here) for unit in islice(waiting, workers)]
        try:
            while running:
                (done, *_), running = ray.wait(running)
                running += [task.remote(unit, here) for unit in islice(waiting, 1)]
                yield _outcome(ray, done)
        finally:
            for reference in running:
                ray.cancel(reference, force=True)


def _drive(unit: Unit, here: tuple[DriveUnit, Mapping[str, str], Path]) -> Driven:
    """What a process of the cluster does."""
    drive_unit, expected, folder = here
    if other := difference(expected, installation()):
        raise EvaluationError(f"machine {platform.node()} of the cluster has {other}")
    if folder.is_dir():
        os.chdir(folder)  # where relative paths start
    return drive_unit(unit)


def _outcome(ray: Any, reference: Any) -> Driven:  # noqa: ANN401 - Ray is not there for mypy
    try:
        driven: Driven = ray.get(reference)
    except ray.exceptions.RayTaskError as fault:
        raise fault.cause from None
    except ray.exceptions.RayError as fault:
        words = str(fault).split("\n", maxsplit=1)[0]
        raise EvaluationError(
            f"Ray gave a unit up: {type(fault).__name__}: {words}; the same command goes on where "
            "it stopped"
        ) from None
    return driven


def _ray() -> Any:  # noqa: ANN401 - Ray is not there for mypy
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        return importlib.import_module("ray")
    except ImportError:
        raise EvaluationError(
            "backend ray: Ray is not installed; pip install 'nsac-drive[ray]'"
        ) from None


@contextmanager
def _connected(ray: Any, workers: int, address: str | None) -> Iterator[None]:  # noqa: ANN401
    """A cluster to work on; one that this process is connected to already is left as it is."""
    if ray.is_initialized():
        yield
        return
    options: dict[str, Any] = {"log_to_driver": False, "logging_level": "ERROR"}
    if address is None:
        options |= {"num_cpus": workers, "include_dashboard": False}
    try:
        _knock(address or "")
        ray.init(address or "local", **options)
    except (OSError, RuntimeError, ValueError) as fault:
        words = str(fault).split("\n", maxsplit=1)[0]
        raise EvaluationError(f"no Ray cluster at {address}: {words}") from None
    try:
        yield
    finally:
        ray.shutdown()


def _knock(address: str) -> None:
    """Makes sure that someone listens, for Ray would try for minutes and then end the process."""
    place = re.fullmatch(r"(?:ray://)?(.+):(\d+)", address)
    if place:
        socket.create_connection((place[1], int(place[2])), timeout=PATIENCE).close()
