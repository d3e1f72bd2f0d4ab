"""What holds for all tests."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from joblib.externals.loky import reusable_executor


@pytest.fixture(autouse=True)
def _own_processes() -> Iterator[None]:
    """Ends the processes that a test has started: the next one may have other modules to find."""
    yield
    if reusable_executor._executor is not None:
        reusable_executor._executor.shutdown(wait=True)


@pytest.fixture(scope="session")
def lake_recording() -> Path:
    """A person's drive of the Udacity simulator's lake track."""
    data = Path(os.environ.get("NSAC_DATA", Path(__file__).parents[2] / "shared" / "data"))
    folder = data / "udacity-lake"
    if not folder.is_dir():
        pytest.skip("no recording of the Udacity simulator: set NSAC_DATA")
    return folder
