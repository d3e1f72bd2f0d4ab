"""What sets one experiment apart from the others: its data, its encoder, how it is shown."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol

import pandas as pd
from matplotlib.figure import Figure
from torch import Tensor

from nsac_core.benchmarks.cells import ONLY_PART
from nsac_core.benchmarks.parts import Split
from nsac_core.benchmarks.sheets import Sheet
from nsac_core.methods import Prediction


class Encoder(Protocol):
    """A ``torch.nn.Module`` from a part's rows to tokens ``(rows, time, token_dim)``."""

    @property
    def token_dim(self) -> int:
        """Features of a token."""

    @property
    def n_tokens(self) -> int | Literal["last", "each"]:
        """Tokens of a row, for SDE-Net: it reads all, the ``"last"``, or ``"each"`` for itself."""

    def __call__(self, x: Tensor) -> Tensor:
        """Tokens of rows."""


@dataclass(frozen=True)
class Run:
    """All of a run that its tables and figures are made from.

    Attributes:
        folder: Of the run.
        settings: What it was made with.
        predictions: ``model, seed, part, sigma, row, output, y, mean, aleatoric, epistemic``.
        scores: One row a cell and part: ``model, seed, part``, every metric, what training came to.
        separation: One row a cell, part and size of perturbation.
    """

    folder: Path
    settings: dict[str, Any]
    predictions: pd.DataFrame
    scores: pd.DataFrame
    separation: pd.DataFrame


Picture = tuple[Figure, str]
"""A figure, and in words what it shows."""


@dataclass(frozen=True)
class Presentation:
    """How the runs of an experiment are shown.

    Attributes:
        main: The part of the main tables and the overview.
        published: Names in the paper's Table 1 of the parts that are in it; by default the main
            part is there by the name of the experiment.
        pools: Further parts, each the rows of several.
        target: What an error is of, for the axis of a figure.
        usual: Whether the tables and the overview are made that suit a comparison of methods.
        sheets: Further tables.
        figures: Further figures by name; ``figure`` is the main one.
    """

    main: str = ONLY_PART
    published: Mapping[str, str] = field(default_factory=dict)
    pools: Mapping[str, Sequence[str]] = field(default_factory=dict)
    target: str = "the scaled target"
    usual: bool = True
    sheets: Callable[[Run], list[Sheet]] | None = None
    figures: Callable[[Run], dict[str, Picture]] | None = None


@dataclass(frozen=True)
class Experiment:
    """What a benchmark trains on; goes to other processes, so all of it can be pickled.

    Attributes:
        split: From a seed to the parts.
        encoder: From a split to a fresh encoder.
        layer: Options of the attention layers beyond the configuration's.
        restore: From a method's prediction of test rows to one of their targets, for parts whose
            training batches hold other targets.
        settings: What the data add to the settings of the run, as JSON holds it: a folder does not
            go on with others.
        presentation: How it is shown.
    """

    split: Callable[[int], Split]
    encoder: Callable[[Split], Encoder]
    layer: Mapping[str, Any] = field(default_factory=dict)
    restore: Callable[[Split, Tensor, Prediction], Prediction] | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    presentation: Presentation = field(default_factory=Presentation)
