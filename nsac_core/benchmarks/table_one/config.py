"""What Table 1 is made from."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class TableOne:
    """The paper's Table 1 from whatever runs there are, beside the paper's numbers.

    Attributes:
        runs: Folder of the runs of `nsac-bench`, and of the open loop on Udacity.
        drivers: Folder of a study of `nsac-evaluate drivers`, for CarRacing.
        out: Folder for the tables and the figure.
        page: Page to fill, a Markdown file with blocks `<!-- begin table1/NAME -->` to
            `<!-- end -->`; none by default.
    """

    runs: Path = Path("runs/bench")
    drivers: Path = Path("runs/drivers")
    out: Path = Path("runs/table1")
    page: Path | None = None
