import os
import signal
import subprocess
import sys
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from drive.udacity import frames
from drive.udacity.driving_log import DrivingLog
from drive.udacity.driving_log_error import DrivingLogError
from drive.udacity.frame_shape import FRAME_SHAPE, Frame

MOMENT = datetime(2026, 3, 4, 5, 6, 7, 89_123)  # noqa: DTZ001 - the simulator's is local
STILL = {"steering": 0.0, "throttle": 0.0, "brake": 0.0, "speed": 0.0}


def picture(level: int) -> Frame:
    return np.full(FRAME_SHAPE, level, np.uint8)


def test_a_row_is_what_the_simulator_writes(tmp_path: Path) -> None:
    with DrivingLog(tmp_path) as log:
        images = [picture(10), picture(20), picture(30)]
        numbers = {"steering": -0.009433962, "throttle": 1e-5, "brake": 0, "speed": 24.59518}
        log.append(images, **numbers, moment=MOMENT)
    stamp = "2026_03_04_05_06_07_089"
    paths = [f"{tmp_path}/IMG/{camera}_{stamp}.jpg" for camera in ("center", "left", "right")]
    text = (tmp_path / "driving_log.csv").read_bytes().decode()
    assert text == ",".join([*paths, "-0.009433962", "0.00001", "0", "24.59518"]) + "\n"
    levels = [frames.decode(Path(path).read_bytes()).mean() for path in paths]
    assert levels == pytest.approx([10, 20, 30], abs=1)


def test_jpegs_are_kept_byte_for_byte(tmp_path: Path) -> None:
    jpeg = frames.encode(picture(77), quality=31)
    with DrivingLog(tmp_path) as log:
        log.append([jpeg], **STILL, moment=MOMENT)
    (image,) = (tmp_path / "IMG").iterdir()
    assert image.read_bytes() == jpeg
    row = (tmp_path / "driving_log.csv").read_text().strip().split(",")
    assert row[1:3] == ["", ""]


def test_sessions_are_appended_and_no_picture_is_overwritten(tmp_path: Path) -> None:
    for session in range(2):
        with DrivingLog(tmp_path) as log:
            for i in range(3):
                log.append([picture(100 * session + i)], **STILL, moment=MOMENT)
    table = pd.read_csv(tmp_path / "driving_log.csv", header=None)
    assert table.shape == (6, 7)
    shown = [frames.decode(Path(path).read_bytes()).mean() for path in table[0]]
    assert shown == pytest.approx([0, 1, 2, 100, 101, 102], abs=1)


def test_a_line_without_an_end_spoils_no_row(tmp_path: Path) -> None:
    (tmp_path / "driving_log.csv").write_text("/a/center.jpg,/a/left")
    with DrivingLog(tmp_path) as log:
        log.append([picture(0)], **STILL, moment=MOMENT)
    first, second = (tmp_path / "driving_log.csv").read_text().splitlines()
    assert first == "/a/center.jpg,/a/left"
    assert second.endswith(",,,0,0,0,0")


def test_a_full_disk_is_named_and_spoils_no_later_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = os.write
    with DrivingLog(tmp_path) as log:
        with monkeypatch.context() as full:
            full.setattr(os, "write", lambda file, line: write(file, line[:9]))
            with pytest.raises(DrivingLogError, match="cannot be written"):
                log.append([picture(0)], **STILL, moment=MOMENT)
        with monkeypatch.context() as full:
            full.setattr(Path, "write_bytes", lambda *_: os.close(-1))  # an OSError
            with pytest.raises(DrivingLogError, match="cannot be written"):
                log.append([picture(0)], **STILL, moment=MOMENT)
        log.append([picture(0)], **STILL, moment=MOMENT)
        assert log.rows == 1
    (row,) = (tmp_path / "driving_log.csv").read_text().splitlines()
    assert row.endswith(",,,0,0,0,0")
    assert [str(path) for path in (tmp_path / "IMG").iterdir()] == [row.partition(",")[0]]


def test_a_recording_without_a_row_leaves_nothing(tmp_path: Path) -> None:
    DrivingLog(tmp_path).close()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "value"),
    [("steering", 1.01), ("throttle", -0.1), ("brake", 2.0), ("speed", -1), ("speed", np.inf)],
)
def test_a_number_out_of_range_is_named_and_leaves_nothing(
    tmp_path: Path, name: str, value: float
) -> None:
    with DrivingLog(tmp_path) as log, pytest.raises(DrivingLogError, match=name):
        log.append([picture(0)], **{**STILL, name: value}, moment=MOMENT)
    assert not (tmp_path / "IMG").exists()
    assert not (tmp_path / "driving_log.csv").exists()


def test_nan_is_no_number_to_record(tmp_path: Path) -> None:
    with DrivingLog(tmp_path) as log, pytest.raises(DrivingLogError, match="steering"):
        log.append([picture(0)], **{**STILL, "steering": float("nan")}, moment=MOMENT)


ENDLESS = """
import sys, itertools
from datetime import datetime, timedelta
from pathlib import Path
import numpy as np
from drive.udacity.driving_log import DrivingLog
log = DrivingLog(Path(sys.argv[1]))
for i in itertools.count():
    moment = datetime(2026, 1, 1) + timedelta(milliseconds=66 * i)
    frame = np.random.default_rng(i).integers(0, 256, (160, 320, 3), dtype=np.uint8)
    log.append([frame] * 3, steering=0.1, throttle=0.2, brake=0.0, speed=9.0, moment=moment)
    print(i, flush=True)
"""


def test_a_killed_recording_is_whole(tmp_path: Path) -> None:
    command = [sys.executable, "-c", ENDLESS, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        while int(process.stdout.readline()) < 40:
            pass
        os.kill(process.pid, signal.SIGKILL)
    table = pd.read_csv(tmp_path / "driving_log.csv", header=None)
    assert len(table) > 40
    assert not table.isna().any().any()
    for path in table[[0, 1, 2]].to_numpy().ravel():
        frames.decode(Path(path).read_bytes())
    with DrivingLog(tmp_path) as log:
        log.append([picture(0)], **STILL, moment=MOMENT + timedelta(days=1))
    assert len(pd.read_csv(tmp_path / "driving_log.csv", header=None)) == len(table) + 1


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(DrivingLogError, match="file/below"):
        DrivingLog(tmp_path / "file" / "below")
