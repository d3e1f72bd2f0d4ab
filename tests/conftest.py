"""What holds for all tests."""

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from joblib.externals.loky import reusable_executor


@pytest.fixture(autouse=True)
def _own_processes() -> Iterator[None]:
    """Ends the processes that a test has started: the next one may have other modules to find."""
    yield
    if reusable_executor._executor is not None:
        reusable_executor._executor.shutdown(wait=True)


@pytest.fixture
def elsewhere() -> Iterator[Callable[[AbstractContextManager[None]], None]]:
    """Enters a lock in another thread, as another process would, until the test is over."""
    with ThreadPoolExecutor(1) as thread:
        held: list[AbstractContextManager[None]] = []

        def hold(lock: AbstractContextManager[None]) -> None:
            thread.submit(lock.__enter__).result()
            held.append(lock)

        yield hold
        for lock in held:
            thread.submit(lock.__exit__, None, None, None).result()


@pytest.fixture(scope="session")
def lake_recording() -> Path:
    """A person's drive of the Udacity simulator's lake track."""
    data = Path(os.environ.get("NSAC_DATA", Path(__file__).parents[2] / "shared" / "data"))
    folder = data / "udacity-lake"
    if not folder.is_dir():
        pytest.skip("no recording of the Udacity simulator: set NSAC_DATA")
    return folder
