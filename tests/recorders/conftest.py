"""Recordings in a folder of their own, by drivers that are found by name."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from recorders import RecordConfig, record

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
