"""Which tables and figures are written anew."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro


@dataclass(frozen=True)
class ReportRun:
    """Write the tables and figures of a run anew, from the cells it has.

    Attributes:
        run: Its folder.
    """

    run: Annotated[Path, tyro.conf.Positional]


@dataclass(frozen=True)
class Page:
    """Fill the tables and figures of a page from the runs that it names.

    Attributes:
        page: A Markdown file with blocks `<!-- begin RUN/NAME -->` to `<!-- end -->`.
        runs: Folder that holds the folders RUN.
    """

    page: Annotated[Path, tyro.conf.Positional]
    runs: Path = Path("runs/bench")
