"""A file is there whole or not at all."""

import errno
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from maps.files.whole import copy_file, whole, write_text


def test_a_file_takes_its_name_when_all_of_it_is_written(tmp_path: Path) -> None:
    file = tmp_path / "laps.parquet"
    with whole(file) as aside:
        aside.write_text("new")
        assert not file.exists()
    assert file.read_text() == "new"
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize("fault", [OSError(errno.ENOSPC, "No space left"), RuntimeError("other")])
def test_where_writing_fails_the_former_file_stays(tmp_path: Path, fault: Exception) -> None:
    file = tmp_path / "laps.parquet"
    write_text(file, "former")
    with pytest.raises(type(fault)):
        write_half(file, fault)
    assert file.read_text() == "former"
    assert list(tmp_path.iterdir()) == [file]


def write_half(file: Path, fault: Exception) -> None:
    with whole(file) as aside:
        aside.write_text("half")
        raise fault


def test_a_full_disk_is_told_of_with_the_name_of_the_file(tmp_path: Path) -> None:
    file = tmp_path / "laps.parquet"
    with pytest.raises(OSError, match="No space left") as fault, whole(file):
        raise OSError(errno.ENOSPC, "No space left on device")
    assert fault.value.filename == str(file)


def test_a_copy_that_finds_no_room_names_itself_and_leaves_the_former(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, file = tmp_path / "source", tmp_path / "copy"
    source.write_bytes(b"new" * 100_000)
    file.write_bytes(b"former")

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(OSError, match="No space left") as fault:
            copy_file(source, file)
    assert fault.value.filename == str(file)
    assert file.read_bytes() == b"former"
    copy_file(source, file)
    assert file.read_bytes() == source.read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["copy", "source"]


def test_a_copy_of_what_is_not_there_names_that(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as fault:
        copy_file(tmp_path / "source", tmp_path / "copy")
    assert fault.value.filename == str(tmp_path / "source")


def test_a_link_stays_one(tmp_path: Path) -> None:
    file, link = tmp_path / "there" / "laps.json", tmp_path / "laps.json"
    file.parent.mkdir()
    link.symlink_to(file)
    for text in ("first", "second"):
        write_text(link, text)
        assert (link.is_symlink(), file.read_text()) == (True, text)
    assert {path.name for path in tmp_path.rglob("*")} == {"there", "laps.json"}


def test_a_pipe_stays_one(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with ThreadPoolExecutor() as threads:
        reader = threads.submit(pipe.read_text)
        write_text(pipe, "laps")
        assert reader.result(10) == "laps"
    assert pipe.is_fifo()
    assert list(tmp_path.iterdir()) == [pipe]
