"""Recordings in a folder of their own, by drivers that are found by name."""

import os
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest
import torch

from recorders import RecordConfig, record
from recorders.data_set import RecordedDataSet

MakeConfig = Callable[..., RecordConfig]
NAME = "carracing/test-v0"


@pytest.fixture(autouse=True)
def _drivers_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    torch.set_num_threads(1)


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Minari's own folder, so that stock Minari finds what is recorded."""
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "datasets"))
    return tmp_path / "datasets"


@pytest.fixture(scope="module")
def record_aside(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Path]]:
    """Records data sets once for all tests of a module, into a folder to copy or to read."""
    folder = tmp_path_factory.mktemp("recorded")

    def record_there(**changes: object) -> Path:
        changes = {"driver": "scripted_drivers:Pursuit", "data_root": folder, **changes}
        record(RecordConfig(quiet=True, **changes))  # type: ignore[arg-type]
        return folder

    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(Path(__file__).parent))
        yield record_there


@pytest.fixture
def make(root: Path) -> MakeConfig:
    """A configuration of few short episodes."""

    def make_config(**changes: object) -> RecordConfig:
        defaults: dict[str, Any] = {
            "out": NAME,
            "driver": "scripted_drivers:Pursuit",
            "episodes": 3,
            "max_steps": 25,
            "quiet": True,
        }
        return RecordConfig(**{**defaults, **changes})

    return make_config


@pytest.fixture
def recorded_by_another(root: Path) -> Callable[[str], AbstractContextManager[None]]:
    """Makes a data set one that somebody records just now."""

    @contextmanager
    def recorded(name: str) -> Iterator[None]:
        held, over = Event(), Event()

        def record_on() -> None:
            with RecordedDataSet(root, name).locked():
                held.set()
                over.wait(20)

        recorder = Thread(target=record_on)
        recorder.start()
        held.wait(20)
        try:
            yield
        finally:
            over.set()
            recorder.join()

    return recorded


@pytest.fixture
def arm() -> Callable[[Sequence[tuple[Any, str]], int], None]:
    """Makes this process, a child's, kill itself before one of its calls of some functions."""

    def arm_at(functions: Sequence[tuple[Any, str]], moment: int) -> None:
        calls = 0

        def deadly(function: Callable[..., Any]) -> Callable[..., Any]:
            def call(*args: object, **kwargs: object) -> object:
                nonlocal calls
                if calls == moment:
                    os.kill(os.getpid(), signal.SIGKILL)
                calls += 1
                return function(*args, **kwargs)

            return call

        for owner, name in functions:
            setattr(owner, name, deadly(getattr(owner, name)))

    return arm_at
