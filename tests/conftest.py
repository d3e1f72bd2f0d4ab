"""What holds for all tests."""

from collections.abc import Iterator

import pytest
from joblib.externals.loky import reusable_executor


@pytest.fixture(autouse=True)
def _own_processes() -> Iterator[None]:
    """Ends the processes that a test has started: the next one may have other modules to find."""
    yield
    if reusable_executor._executor is not None:
        reusable_executor._executor.shutdown(wait=True)
