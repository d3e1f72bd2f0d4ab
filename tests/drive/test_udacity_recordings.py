import shutil
from datetime import datetime
from pathlib import Path

import numpy as np
import pytest

from drive.udacity import frames, recordings
from drive.udacity.driving_log import DrivingLog
from drive.udacity.driving_log_error import DrivingLogError
from drive.udacity.frame_shape import FRAME_SHAPE
from drive.udacity.log_lines import LineError, parse

NUMBERS = (-0.05, 0.2, 0.0, 22.4)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of images of three moments, without a log."""
    (tmp_path / "IMG").mkdir()
    jpeg = frames.encode(np.full(FRAME_SHAPE, 90, np.uint8))
    for moment in range(3):
        for camera in ("center", "left", "right"):
            (tmp_path / "IMG" / f"{camera}_{moment}.jpg").write_bytes(jpeg)
    return tmp_path


def read(folder: Path, *lines: str, decode: bool = False) -> recordings.Recording:
    (folder / "driving_log.csv").write_text("".join(f"{line}\n" for line in lines))
    return recordings.read(folder, decode)


def line(
    prefix: str, moment: int = 0, separator: str = ",", numbers: str = "-0.05,0.2,0,22.4"
) -> str:
    paths = [f"{prefix}{camera}_{moment}.jpg" for camera in ("center", "left", "right")]
    return separator.join([*paths, numbers.replace(",", separator)])


VARIANTS = {
    "simulator": line("{folder}/IMG/"),
    "spaces": line("{folder}/IMG/", separator=", "),
    "spaces on both sides": line("{folder}/IMG/", separator=" , "),
    "relative": line("IMG/"),
    "relative with spaces": line("IMG/", separator=", "),
    "moved folder": line("/root/Desktop/data/IMG/"),
    "windows": line("C:\\Users\\me\\data\\IMG\\"),
    "mixed slashes": line("C:\\Users\\me/data\\IMG/"),
    "relative windows": line("IMG\\"),
    "names alone": line(""),
    "carriage return": line("IMG/") + "\r",
    "comma decimals, spaced": "IMG/center_0.jpg, IMG/left_0.jpg, IMG/right_0.jpg, "
    "-0,05, 0,2, 0, 22,4",
    "comma decimals": "IMG/center_0.jpg,IMG/left_0.jpg,IMG/right_0.jpg,-0,05,0,2,0,0,22,4",
    "quoted": '"IMG/center_0.jpg","IMG/left_0.jpg","IMG/right_0.jpg","-0,05","0,2","0","22,4"',
    "exponents": line("IMG/", numbers="-5E-02,2e-1,0.0E+00,2.24E1"),
}


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_variant_gives_the_same_row(folder: Path, variant: str) -> None:
    recording = read(folder, VARIANTS[variant].format(folder=folder))
    assert recording.faults == ()
    (row,) = recording.rows
    assert (row.steering, row.throttle, row.brake, row.speed) == pytest.approx(NUMBERS)
    images = [row.centre, row.left, row.right]
    assert images == [folder / "IMG" / f"{camera}_0.jpg" for camera in ("center", "left", "right")]


def test_a_comma_in_a_path_is_no_separator(tmp_path: Path) -> None:
    folder = tmp_path / "a,b"
    (folder / "IMG").mkdir(parents=True)
    (folder / "IMG" / "c.jpg").write_bytes(b"\xff\xd8")
    for row in (
        "{0}/IMG/c.jpg, , , 0,5, 0, 0, 1,5",
        "{0}/IMG/c.jpg,,,0.5,0,0,1.5",
        "C:\\x, y\\c.jpg, C:\\x, y\\c.jpg, , 0,5, 0, 0, 1,5",
        '"{0}/IMG/c.jpg", "{0}/IMG/c.jpg", "{0}/IMG/c.jpg", 0.5, 0, 0, 1.5',
        "{0}/IMG/c.jpg,{0}/IMG/c.jpg,{0}/IMG/c.jpg,0,5,0,0,0,0,1,5",
    ):
        recording = read(folder, row.format(folder))
        assert recording.faults == ()
        assert [(row.steering, row.speed) for row in recording.rows] == [(0.5, 1.5)]


def test_a_recording_in_a_folder_with_commas_is_read(tmp_path: Path) -> None:
    frame = np.zeros(FRAME_SHAPE, np.uint8)
    with DrivingLog(tmp_path / "a, b,c") as log:
        log.append([frame] * 3, steering=0.5, throttle=0.1, brake=0, speed=9, moment=datetime.now())  # noqa: DTZ005
    recording = recordings.read(tmp_path / "a, b,c")
    assert recording.faults == ()
    assert [(row.steering, row.left is None) for row in recording.rows] == [(0.5, False)]


def test_headers_are_counted_wherever_they_stand_and_no_first_row_is_lost(folder: Path) -> None:
    header = "center,left,right,steering,throttle,brake,speed"
    recording = read(folder, header, line("IMG/", 0), header, line("IMG/", 1), "", line("IMG/", 2))
    assert [row.line for row in recording.rows] == [2, 4, 6]
    assert recording.causes() == {"header": 2, "blank line": 1}
    without = read(folder, line("IMG/", 0), line("IMG/", 1))
    assert [row.line for row in without.rows] == [1, 2]
    assert without.faults == ()


def test_a_log_with_a_byte_order_mark_keeps_its_first_row(folder: Path) -> None:
    (folder / "driving_log.csv").write_bytes(b"\xef\xbb\xbf" + line("IMG/").encode())
    assert len(recordings.read(folder).rows) == 1


def test_centre_only_rows_are_rows(folder: Path) -> None:
    (row,) = read(folder, "IMG/center_1.jpg,,,0.1,0,0,9").rows
    assert (row.centre.name, row.left, row.right) == ("center_1.jpg", None, None)


def test_repeated_rows_are_listed_and_told_from_new_ones(folder: Path) -> None:
    session = [line("IMG/", 0), line("IMG/", 1)]
    recording = read(folder, *session, *session, line("IMG/", 2))
    assert [row.line for row in recording.rows] == [1, 2, 5]
    assert [(fault.line, fault.cause) for fault in recording.faults] == [
        (3, "repeated row"),
        (4, "repeated row"),
    ]


def test_a_repeated_row_is_known_however_its_path_is_written(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [line(f"{folder}/IMG/"), line("IMG/"), line("C:\\data\\IMG\\", separator=", ")]
    monkeypatch.chdir(folder.parent)
    read(folder, *lines)
    recording = recordings.read(Path(folder.name))
    assert [row.line for row in recording.rows] == [1]
    assert recording.causes() == {"repeated row": 2}


@pytest.mark.parametrize(
    ("text", "cause", "named"),
    [
        ("a.jpg,b.jpg,c.jpg,0,0", "columns", "5 columns"),
        ("a.jpg,b.jpg,c.jpg,0,1,0,2,0,22", "columns", "9 columns"),
        ("a.jpg,b.jpg,c.jpg,0,1,0,2,0,1,22", "columns", "10 columns"),
        ("/a,b/c.jpg,,,0,0,5183,0,0000,19,2151", "columns", "10 columns"),
        ("/a,b/c,,,x,0,0,1,2,c.jpg", "columns", "1 columns"),
        ('a"\rb', "columns", "cannot be split"),
        ('"' + "x" * 200_000, "columns", "cannot be split"),
        ("a.jpg,b.jpg,c.jpg,left,0,0,1", "number", "steering is 'left'"),
        ("a.jpg,b.jpg,c.jpg,0,x,0,1", "number", "throttle is 'x'"),
        ("a.jpg,b.jpg,c.jpg,nan,0,0,1", "number", "finite"),
        ("a.jpg,b.jpg,c.jpg,0,0,0,inf", "number", "speed is 'inf'"),
        ("a.jpg,b.jpg,c.jpg,12.5,0,0,1", "range", "steering is 12.5, expected -1 to 1"),
        ("a.jpg,b.jpg,c.jpg,0,0,0,-3", "range", "speed is -3"),
        (",b.jpg,c.jpg,0,0,0,1", "no centre image", "centre"),
        ("   ", "blank line", "blank"),
        ("center, left, right, steering, throttle, brake, speed", "header", "columns"),
    ],
)
def test_a_line_that_is_no_row_says_why(text: str, cause: str, named: str) -> None:
    with pytest.raises(LineError, match=named) as caught:
        parse(text)
    assert caught.value.cause == cause


def test_missing_empty_and_truncated_images_are_told_apart(folder: Path) -> None:
    images = folder / "IMG"
    (images / "center_0.jpg").unlink()
    (images / "center_1.jpg").write_bytes(b"")
    (images / "center_2.jpg").write_bytes((images / "center_2.jpg").read_bytes()[:-9])
    lines = [line("IMG/", moment) for moment in range(3)]
    recording = read(folder, *lines, decode=True)
    assert recording.rows == ()
    assert [(fault.line, fault.cause, fault.skipped) for fault in recording.faults] == [
        (1, "missing image", True),
        (2, "empty image", True),
        (3, "damaged image", True),
    ]
    assert "the image is truncated after" in recording.faults[2].detail


def test_a_row_goes_without_the_side_image_that_is_missing(folder: Path) -> None:
    (folder / "IMG" / "left_0.jpg").unlink()
    recording = read(folder, line("IMG/"))
    assert [(row.left, row.right is not None) for row in recording.rows] == [(None, True)]
    (fault,) = recording.faults
    assert (fault.cause, fault.skipped) == ("missing image", False)
    assert fault.detail.startswith("left: ")


def test_a_relative_path_is_the_logs_and_not_the_programs(
    folder: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    shutil.copytree(folder / "IMG", elsewhere / "IMG")
    monkeypatch.chdir(elsewhere)
    (row,) = read(folder, line("IMG/")).rows
    assert row.centre == folder / "IMG" / "center_0.jpg"


def test_odd_bytes_are_named_and_not_fatal(folder: Path) -> None:
    odd = bytes(np.random.default_rng(0).integers(128, 256, 100, dtype=np.uint8))
    text = b"\x00\x00\x00\n" + odd + b"\n" + line("IMG/").encode()
    (folder / "driving_log.csv").write_bytes(text)
    recording = recordings.read(folder)
    assert [row.line for row in recording.rows] == [3]
    assert len(recording.faults) == 2


def test_a_folder_without_a_log_is_named(tmp_path: Path) -> None:
    with pytest.raises(
        DrivingLogError, match=r"no recording, expected a folder with driving_log\.csv"
    ):
        recordings.read(tmp_path)


def test_the_real_recording_is_read_whole(lake_recording: Path) -> None:
    recording = recordings.read(lake_recording)
    assert len(recording.rows) == 2400
    assert recording.faults == ()
    assert recording.rows[0].steering == pytest.approx(0.009433962)
    assert recording.rows[0].speed == pytest.approx(24.59518)
