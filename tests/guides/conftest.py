"""A reader's empty working folder: no display, no network, no home, and small data."""

import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from filelock import FileLock
from matplotlib.figure import Figure

from tests.guides import granted, made_up, python_blocks


@pytest.fixture(scope="session")
def granted_folder(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """What the guides take for granted, made once for all processes of the tests."""
    base = tmp_path_factory.getbasetemp()
    folder = (base if worker_id == "master" else base.parent) / "granted"
    folder.mkdir(exist_ok=True)
    with FileLock(folder / "lock"):
        if not (folder / "made").is_file():
            (folder / "cache" / "nsac-drive").mkdir(parents=True, exist_ok=True)
            made_up.write_data(folder / "cache" / "nsac-drive")
            with pytest.MonkeyPatch.context() as patch:
                _enter(folder, folder, patch)
                granted.make()
            (folder / "made").touch()
    return folder


@pytest.fixture
def reader(granted_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The working folder of a reader, with nothing in it but what is granted later."""
    _enter(tmp_path, granted_folder, monkeypatch)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path
    for file in python_blocks.FILES:
        sys.modules.pop(Path(file).stem, None)


def _enter(folder: Path, granted_folder: Path, patch: pytest.MonkeyPatch) -> None:
    torch.set_num_threads(1)
    patch.chdir(folder)
    patch.setenv("HOME", str(folder / "home"))
    patch.setenv("XDG_CACHE_HOME", str(granted_folder / "cache"))
    patch.setenv("MINARI_DATASETS_PATH", str(folder / "datasets"))
    patch.setenv("SDL_VIDEODRIVER", "dummy")
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "NSAC_DATA"):
        patch.delenv(name, raising=False)
    patch.setattr(socket.socket, "connect", _connect_here)
    made_up.accept(granted_folder / "cache" / "nsac-drive", patch)
    made_up.make_few(patch)
    patch.setattr(Figure, "savefig", _save_blank)


_connect = socket.socket.connect
_save = Figure.savefig


def _connect_here(own: socket.socket, address: Any) -> None:  # noqa: ANN401 - any family's
    """Connects to this machine and to no other."""
    if own.family != socket.AF_UNIX and address[0] not in ("127.0.0.1", "::1", "localhost"):
        raise OSError(f"a guide wants to connect to {address}")
    _connect(own, address)


def _save_blank(own: Figure, file: Any, **options: Any) -> None:  # noqa: ANN401 - as savefig's
    """Saves an empty picture: to draw them takes most of the time, and is tested elsewhere."""
    kept = {name: options[name] for name in ("format", "metadata") if name in options}
    _save(Figure(figsize=(1, 1)), file, dpi=10, **kept)
