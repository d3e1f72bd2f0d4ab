"""Folders go again in which no file came to be."""

from pathlib import Path

import pytest

from maps.files.folders import made_folder
from maps.files.locks import locked_file, locked_folder
from maps.files.whole import writable


def test_what_is_written_to_stays_with_all_above_it(tmp_path: Path) -> None:
    with made_folder(tmp_path / "runs" / "first"):
        (tmp_path / "runs" / "first" / "laps.parquet").touch()
    assert (tmp_path / "runs" / "first" / "laps.parquet").is_file()


def test_of_the_new_ones_only_those_go_that_hold_no_file(tmp_path: Path) -> None:
    (tmp_path / "old").mkdir()
    with made_folder(tmp_path / "old" / "runs" / "first"):
        (tmp_path / "old" / "runs" / "first" / "figures").mkdir()
        (tmp_path / "old" / "runs" / "notes.txt").touch()
    assert [path.name for path in (tmp_path / "old" / "runs").iterdir()] == ["notes.txt"]
    with made_folder(tmp_path / "old"):
        (tmp_path / "old" / "runs" / "notes.txt").unlink()
    assert (tmp_path / "old" / "runs").is_dir()


@pytest.mark.parametrize("hold", [locked_folder, locked_file, writable])
def test_who_gives_up_leaves_nothing(hold: type, tmp_path: Path) -> None:
    with pytest.raises(RuntimeError), hold(tmp_path / "runs" / "bench" / "boston"):
        raise RuntimeError("no data")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_below_a_file_is_not_made(tmp_path: Path) -> None:
    (tmp_path / "runs").touch()
    with pytest.raises(NotADirectoryError), made_folder(tmp_path / "runs" / "first"):
        pass
    assert (tmp_path / "runs").is_file()
