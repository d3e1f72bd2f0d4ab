"""Which runs are put side by side."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro


@dataclass(frozen=True)
class CompareConfig:
    """Runs and where their comparison goes.

    Attributes:
        runs: Folders of runs and studies; the first policy of the first is what the others are
            compared with.
        out: Folder of the comparison; what is in it of an earlier one is replaced.
    """

    runs: Annotated[tuple[Path, ...], tyro.conf.Positional, tyro.conf.arg(metavar="RUN [RUN ...]")]
    out: Path
