"""Who spreads the units of a study over processes or machines, by name.

A backend drives every unit it is given exactly once, in whatever order, and yields what each came
to as soon as it is over. It does not decide anything about the laps: their results are the same
whichever backend drove them.
"""

from collections.abc import Callable, Iterator, Sequence

from joblib.externals.loky.process_executor import TerminatedWorkerError

from evaluation.errors import EvaluationError
from evaluation.study.drive_unit import Driven, DriveUnit
from evaluation.study.ray_cluster import on_a_cluster
from evaluation.study.units import Unit
from nsac_core.benchmarks.processes import finished

Backend = Callable[[Sequence[Unit], DriveUnit, int, str | None], Iterator[Driven]]
"""Takes the units, what drives one (it can be pickled), the number of workers, and an address."""


def on_this_machine(
    units: Sequence[Unit],
    drive_unit: DriveUnit,
    workers: int,
    address: str | None = None,
) -> Iterator[Driven]:
    """Processes of joblib's loky, of one torch thread each; one worker is this process itself.

    Raises:
        EvaluationError: An address was given, or a worker died.
    """
    if address is not None:
        raise EvaluationError(f"address is {address}, but joblib works on this machine only")
    try:
        yield from finished(drive_unit, units, workers)
    except TerminatedWorkerError:
        raise EvaluationError(
            "a worker was killed, perhaps for want of memory; the same command, with fewer "
            "workers, goes on where it stopped"
        ) from None


BACKENDS: dict[str, Backend] = {"joblib": on_this_machine, "ray": on_a_cluster}
"""All backends by name."""


def backend(name: str) -> Backend:
    """A backend by its name.

    Raises:
        EvaluationError: There is none of that name.
    """
    if name not in BACKENDS:
        raise EvaluationError(f"backend is {name!r}, expected {', '.join(BACKENDS)}")
    return BACKENDS[name]
