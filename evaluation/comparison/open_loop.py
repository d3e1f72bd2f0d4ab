"""Open loop: what each clone says of the test episodes, and how good that is."""

import hashlib
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import torch

from evaluation.comparison.clones import Clone
from evaluation.comparison.config import ComparisonConfig
from evaluation.comparison.recording import parts
from maps.files import parquet_file
from maps.files.parquet_file import CHECKSUMS
from maps.files.whole import whole
from nsac_core import fitting, metrics
from nsac_core.benchmarks.cells import frame, prediction_of
from nsac_core.benchmarks.processes import finished
from nsac_core.benchmarks.report import write_frame
from nsac_core.methods import Prediction
from policies import checkpoint
from policies.demonstrations import Demonstrations
from policies.protocol import ACTIONS

OVERALL = "overall"
_BATCH = 256
_CHECKPOINT = b"checkpoint_sha256"


@dataclass(frozen=True)
class _Job:
    clone: Clone
    checkpoint: Path
    file: Path


def predict_all(config: ComparisonConfig, clones: list[Clone]) -> Path:
    """Predicts the test episodes with every clone, and scores that.

    Writes ``open_loop/ARM/NAME.parquet``, one row a step and action as ``cells.frame`` makes them,
    and ``open_loop.parquet``, one row a score.

    Returns:
        The file of the scores: ``arm, method, seed, action`` (``overall`` for all), ``metric,
        value``.

    Raises:
        policies.PolicyError: A checkpoint is missing or cannot be read.
        policies.demonstrations.DemonstrationError: The demonstrations are not recorded.
    """
    jobs = [
        _Job(clone, clone.file(config), predictions_file(config.out, clone)) for clone in clones
    ]
    missing = [job for job in jobs if not _is_done(job)]
    if missing:
        test = parts(config).test
        for _ in finished(partial(_predict, test), missing, config.workers):
            pass
    scores = pd.DataFrame([row for job in jobs for row in _scored(job)])
    target = config.out / "open_loop.parquet"
    write_frame(target, scores)
    return target


def predictions_file(out: Path, clone: Clone) -> Path:
    """Where a clone's predictions of the test episodes are kept."""
    return out / "open_loop" / clone.arm / f"{clone.name}.parquet"


def _predict(test: Demonstrations, job: _Job) -> None:
    method, _ = checkpoint.load_method(job.checkpoint)
    batches = ((torch.from_numpy(x), torch.from_numpy(y)) for x, y in test.stacks(_BATCH))
    prediction, y = fitting.predicted(method, batches, seed=job.clone.seed)
    table = pa.Table.from_pandas(frame(prediction, y, sigma=0), preserve_index=False)
    metadata = {**table.schema.metadata, _CHECKPOINT: _digest(job.checkpoint)}
    job.file.parent.mkdir(parents=True, exist_ok=True)
    with whole(job.file) as aside:
        pq.write_table(table.replace_schema_metadata(metadata), aside, **CHECKSUMS)


def _is_done(job: _Job) -> bool:
    """Whether the predictions are there and those of this very checkpoint."""
    if not job.file.is_file():
        return False
    metadata: dict[bytes, bytes] = parquet_file.read_schema(job.file).metadata
    return metadata.get(_CHECKPOINT) == _digest(job.checkpoint)


def _digest(file: Path) -> bytes:
    if not file.is_file():
        return b""
    return hashlib.sha256(file.read_bytes()).hexdigest().encode()


def _scored(job: _Job) -> list[dict[str, Any]]:
    prediction, y = prediction_of(parquet_file.read(job.file))
    rows = []
    for column, action in enumerate((*ACTIONS, OVERALL)):
        chosen = slice(None) if action == OVERALL else slice(column, column + 1)
        part = Prediction(*(values[:, chosen] for values in vars(prediction).values()))
        for name, metric in metrics.METRICS.items():
            rows.append(
                {
                    "arm": job.clone.arm,
                    "method": job.clone.method,
                    "seed": job.clone.seed,
                    "action": action,
                    "metric": name,
                    "value": metric(part, y[:, chosen]),
                }
            )
    return rows
