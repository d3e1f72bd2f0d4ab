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


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """The folder of the episodes of a data set, as Minari lays it out."""
    data = tmp_path / "carracing" / "expert-v0" / "data"
    (data / "0").mkdir(parents=True)
    for file in (data / "metadata.json", data / "0" / "metadata.json"):
        file.write_text("{}")
    return data


@pytest.mark.parametrize("hold", [locked_folder, locked_file, writable])
@pytest.mark.parametrize("place", ["runs/first", "0/laps", "0/../laps/all", "../pictures/all"])
def test_nothing_is_written_into_a_data_set(hold: type, place: str, data: Path) -> None:
    before = sorted(data.parent.rglob("*"))
    for folder in (data / place, data / "0"):
        with pytest.raises(OSError, match="lies in the data set"), hold(folder / "out"):
            pass
    with pytest.raises(OSError, match="lies in the data set") as refused, hold(data / place):
        pass
    assert str(data.parent) in str(refused.value)
    assert sorted(data.parent.rglob("*")) == before


def test_nothing_is_written_into_a_data_set_through_a_link(data: Path, tmp_path: Path) -> None:
    (tmp_path / "runs").symlink_to(data / "0")
    with pytest.raises(OSError, match="lies in the data set"), made_folder(tmp_path / "runs/first"):
        pass


def test_what_stands_beside_data_of_another_kind_is_written(data: Path, tmp_path: Path) -> None:
    """A project may well have a ``data/metadata.json`` of its own, and a data set be locked."""
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "metadata.json").write_text("{}")
    for folder in (tmp_path / "data" / "runs", tmp_path / "runs", data.parent):
        with made_folder(folder):
            (folder / "laps").touch()
