"""Windows of consecutive rows, scaled, in parts that share none."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.preprocessing import StandardScaler

from nsac_core.benchmarks.bearings.recordings import Bearing
from nsac_core.benchmarks.parts import Part, Split

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class Cut:
    """How windows are cut.

    Attributes:
        length: Rows of a window; the label is that of its last.
        stride: Rows from one training window to the next.
        test_stride: The same for test windows.
        time: Whether the time since the start is a column, the last.
        block: Consecutive rows that are of the training or of the validation together.
        cut_off: Columns end at so many standard deviations of the rows that scale them, or never.
    """

    length: int = 16
    stride: int = 4
    test_stride: int = 8
    time: bool = True
    block: int = 100
    cut_off: float | None = None

    def columns(self, bearing: Bearing) -> FloatArray:
        """What a method sees of each row, in its own units.

        There is no temperature: it is one number a bearing, the same for all those of the training.
        """
        if not self.time:
            return bearing.features
        return np.column_stack([bearing.features, bearing.time])

    def starts(self, rows: int, stride: int) -> NDArray[np.int64]:
        """First rows of the windows of a bearing of that many rows."""
        return np.arange(0, rows - self.length + 1, stride)

    def part(self, bearing: Bearing, scaler: StandardScaler, starts: NDArray[np.int64]) -> Part:
        """Windows of a bearing that begin at these rows."""
        rows = starts[:, None] + np.arange(self.length)
        columns = scaler.transform(self.columns(bearing))
        if self.cut_off is not None:
            columns = columns.clip(-self.cut_off, self.cut_off)
        return Part(
            torch.as_tensor(columns[rows], dtype=torch.float32),
            torch.as_tensor(bearing.label[rows[:, -1], None], dtype=torch.float32),
        )

    def tested(self, bearing: Bearing, scaler: StandardScaler) -> Part:
        """Windows of a whole bearing."""
        return self.part(bearing, scaler, self.starts(len(bearing), self.test_stride))


def held_out(
    train: Sequence[Bearing], tests: dict[str, Bearing], cut: Cut, seed: int, share: float = 0.1
) -> Split:
    """Whole bearings are held out; what scales the columns is the training rows alone.

    A window of neighbours of a training window would be no validation: blocks of rows are drawn
    for it, and windows over the edge of a block of another kind are left out.

    Args:
        train: Bearings to learn from.
        tests: Those to test on by the name of their part.
        cut: How windows are cut.
        seed: Of the draw of blocks.
        share: Of the blocks that validate.
    """
    generator = np.random.default_rng(seed)
    chosen = [_drawn(len(bearing), cut.block, share, generator) for bearing in train]
    learning = [cut.columns(b)[~out] for b, out in zip(train, chosen, strict=True)]
    scaler = StandardScaler().fit(np.concatenate(learning))
    parts: dict[bool, list[Part]] = {False: [], True: []}
    for bearing, out in zip(train, chosen, strict=True):
        starts = cut.starts(len(bearing), cut.stride)
        seen = out[starts[:, None] + np.arange(cut.length)]
        for kind, pieces in parts.items():
            inside = starts[(seen == kind).all(axis=1)]
            pieces.append(cut.part(bearing, scaler, inside))
    return Split(
        _joined(parts[False]),
        _joined(parts[True]),
        {name: cut.tested(bearing, scaler) for name, bearing in tests.items()},
    )


def leaking(
    train: Sequence[Bearing], tests: dict[str, Bearing], cut: Cut, seed: int, share: float = 0.1
) -> Split:
    """As the paper's published code has it, to show what that is worth.

    Validation windows are drawn at random among those that overlap training windows, and each
    test bearing is scaled by its own rows: its last rows then have the same scaled time as the last
    rows of the training, whenever its end comes.

    Args:
        train: Bearings to learn from.
        tests: Those to test on by the name of their part; may be among the former.
        cut: How windows are cut.
        seed: Of the draw of windows.
        share: Of the windows that validate.
    """
    scaler = StandardScaler().fit(np.concatenate([cut.columns(b) for b in train]))
    windows = _joined([cut.part(b, scaler, cut.starts(len(b), cut.stride)) for b in train])
    order = np.random.default_rng(seed).permutation(len(windows))
    few = round(share * len(windows))
    validation, learning = (
        Part(windows.x[rows], windows.y[rows]) for rows in (order[:few], order[few:])
    )
    own = {name: StandardScaler().fit(cut.columns(b)) for name, b in tests.items()}
    return Split(
        learning, validation, {name: cut.tested(b, own[name]) for name, b in tests.items()}
    )


def _drawn(
    rows: int, block: int, share: float, generator: np.random.Generator
) -> NDArray[np.bool_]:
    """Whether each row is of a block that is drawn."""
    blocks = -(-rows // block)
    drawn = np.zeros(blocks, dtype=bool)
    drawn[generator.permutation(blocks)[: max(1, round(share * blocks))]] = True
    return np.repeat(drawn, block)[:rows]


def _joined(parts: Sequence[Part]) -> Part:
    return Part(torch.cat([part.x for part in parts]), torch.cat([part.y for part in parts]))
