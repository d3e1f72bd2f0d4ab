"""Records what the neurons of a driver did, from the very passes that drove."""

from contextlib import ExitStack
from pathlib import Path

import pandas as pd

from evaluation.inspection.learned import learned_driver
from evaluation.inspection.recorder import LapRecorder
from evaluation.inspection.trace_columns import Record, of_car, table
from evaluation.observer import Moment
from maps.files import parquet_file
from maps.files.parquet_file import CHECKSUMS
from nsac_core.recording import layers, recording
from policies import Policy


class TraceRecorder(LapRecorder):
    """Keeps the neurons and the attention of every decision, a row a step.

    The columns are those of ``trace_columns.table``.
    """

    file = "traces.parquet"

    def __init__(self, policy: Policy, n: int) -> None:
        super().__init__(policy, n)
        driver = learned_driver(policy)
        assert driver is not None
        self._stack = ExitStack()
        self._records = self._stack.enter_context(recording(driver.method))
        self._passes: list[list[list[Record]]] = [[] for _ in range(n)]

    @classmethod
    def sees(cls, policy: Policy) -> bool:
        """Only of a learned driver with an attention circuit in it."""
        driver = learned_driver(policy)
        return driver is not None and bool(layers(driver.method))

    def seen(self, moment: Moment) -> None:
        """Takes the records of the pass that has just decided."""
        for car in moment.cars:
            self._passes[car].append([of_car(record, car) for record in self._records])
        self._records.clear()

    def save(self, car: int, file: Path) -> None:
        """Writes the table."""
        table(self._passes[car]).to_parquet(file, index=False, **CHECKSUMS)

    def close(self) -> None:
        """Ends the recording."""
        self._stack.close()


def read(folder: Path) -> pd.DataFrame | None:
    """The traces in the folder of a seen lap; None of a driver without a circuit."""
    file = folder / TraceRecorder.file
    return parquet_file.read(file) if file.is_file() else None
