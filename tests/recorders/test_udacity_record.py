"""Recording through the bridge, and checking what was recorded."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

import numpy as np
import pytest
from websockets.sync.client import ClientConnection, connect

from drive.udacity import frames, protocol
from drive.udacity.frame_shape import FRAME_SHAPE
from drive.udacity.protocol import Telemetry
from drive.udacity.simulator import stand_in
from drive.udacity.simulator.config import StandInConfig
from recorders import cli
from recorders.udacity import DrivingLog, read, record_udacity
from recorders.udacity_check import CheckConfig, check
from recorders.udacity_config import UdacityRecordConfig


@contextmanager
def recording(config: UdacityRecordConfig) -> Iterator[tuple[int, threading.Thread]]:
    """Records in a thread; gives its port."""
    opened = threading.Event()
    ports: list[int] = []

    def ready(port: int) -> None:
        ports.append(port)
        opened.set()

    thread = threading.Thread(target=record_udacity, args=(config, None, ready))
    thread.start()
    assert opened.wait(10)
    yield ports[0], thread
    thread.join(10)
    assert not thread.is_alive()


@contextmanager
def enter(port: int) -> Iterator[ClientConnection]:
    """A simulator's connection, with the greetings read."""
    url = f"ws://127.0.0.1:{port}/socket.io/?EIO=4&transport=websocket"
    with connect(url, compression=None, ping_interval=None) as socket:
        assert isinstance(protocol.read(str(socket.recv(5))), protocol.Open)
        assert isinstance(protocol.read(str(socket.recv(5))), protocol.Connect)
        yield socket


def tell(socket: ClientConnection, row: int, jpeg: bytes) -> protocol.Message:
    telemetry = Telemetry(row - 10.0, 0.25, 10.0 + row, jpeg)
    socket.send(protocol.write_telemetry(telemetry))
    return protocol.read(str(socket.recv(5)))


def test_each_telemetry_is_a_row_and_the_wheel_is_left_alone(tmp_path: Path) -> None:
    jpegs = [frames.encode(np.full(FRAME_SHAPE, 9 * row, np.uint8)) for row in range(20)]
    config = UdacityRecordConfig(tmp_path / "a", rows=20, port=0)
    with recording(config) as (port, _), enter(port) as socket:
        answers = [tell(socket, row, jpeg) for row, jpeg in enumerate(jpegs)]
    for row, answer in enumerate(answers):
        assert isinstance(answer, protocol.Command)
        assert answer.steering == pytest.approx((row - 10) / 25, abs=1e-4)
        assert answer.throttle == pytest.approx(0.25)
    found = read(tmp_path / "a", decode=True)
    assert found.faults == ()
    assert [row.steering for row in found.rows] == pytest.approx(np.arange(-10, 10) / 25)
    assert [row.speed for row in found.rows] == pytest.approx(np.arange(10, 30))
    assert [row.centre.read_bytes() for row in found.rows] == jpegs
    assert found.rows[0].left is None


def test_no_more_rows_are_written_than_asked_for(tmp_path: Path) -> None:
    jpeg = frames.encode(np.zeros(FRAME_SHAPE, np.uint8))
    with (
        recording(UdacityRecordConfig(tmp_path, rows=3, port=0)) as (port, _),
        enter(port) as socket,
    ):
        for row in range(8):
            tell(socket, row, jpeg)
    assert [row.speed for row in read(tmp_path).rows] == [10.0, 11.0, 12.0]


def test_the_stand_ins_own_drive_is_recorded(tmp_path: Path) -> None:
    with recording(UdacityRecordConfig(tmp_path, rows=30, port=0)) as (port, _):
        stand_in.run(
            StandInConfig(driver="scripted", clock="lockstep", port=port, seconds=4, track="jungle")
        )
    rows = read(tmp_path, decode=True).rows
    assert len(rows) == 30
    assert rows[-1].speed > 10
    assert rows[-1].throttle >= 0


def test_a_second_simulator_has_a_recording_of_its_own(tmp_path: Path) -> None:
    jpeg = frames.encode(np.zeros(FRAME_SHAPE, np.uint8))
    with (
        recording(UdacityRecordConfig(tmp_path, rows=5, port=0)) as (port, _),
        enter(port) as first,
        enter(port) as second,
    ):
        for row in range(3):
            tell(first, row, jpeg)
        for row in range(2):
            tell(second, row, jpeg)
    assert len(read(tmp_path).rows) == 3
    assert len(read(tmp_path / "simulator-2").rows) == 2


def test_a_damaged_image_gives_no_row_and_the_recording_goes_on(tmp_path: Path) -> None:
    jpeg = frames.encode(np.zeros(FRAME_SHAPE, np.uint8))
    with (
        recording(UdacityRecordConfig(tmp_path, rows=2, port=0)) as (port, _),
        enter(port) as socket,
    ):
        for row, image in enumerate((jpeg, jpeg[:-20], jpeg)):
            assert isinstance(tell(socket, row, image), protocol.Command)
    assert [row.speed for row in read(tmp_path).rows] == [10.0, 12.0]


def test_a_recording_ends_after_its_time(tmp_path: Path) -> None:
    with recording(UdacityRecordConfig(tmp_path, seconds=0.2, port=0)) as (_, thread):
        thread.join(5)
        assert not thread.is_alive()
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def faulty(tmp_path: Path) -> Path:
    """A recording with a header in the middle, a missing image and two damaged ones."""
    with DrivingLog(tmp_path) as log:
        for row in range(5):
            frame = np.full(FRAME_SHAPE, row, np.uint8)
            numbers = {"steering": row / 10, "throttle": 0.0, "brake": 0.0, "speed": 5.0}
            moment = datetime(2026, 1, 1, 0, 0, row)  # noqa: DTZ001
            log.append([frame] * 3, **numbers, moment=moment)
    images = tmp_path / "IMG"
    (images / "center_2026_01_01_00_00_01_000.jpg").unlink()
    (images / "center_2026_01_01_00_00_02_000.jpg").write_bytes(b"")
    right = images / "right_2026_01_01_00_00_03_000.jpg"
    right.write_bytes(right.read_bytes()[:-30])
    log_file = tmp_path / "driving_log.csv"
    lines = log_file.read_text().splitlines()
    lines.insert(4, "center,left,right,steering,throttle,brake,speed")
    log_file.write_text("\n".join(lines))
    return tmp_path


def test_a_check_names_every_row_that_is_lost(faulty: Path) -> None:
    finding = check(CheckConfig(faulty))
    assert not finding.sound
    report = "\n".join(finding.lines)
    assert "3 rows can be used" in report
    assert "line 2: missing image" in report
    assert "line 3: empty image" in report
    assert "line 4: damaged image: right: " in report
    assert "used without that image" in report
    assert "line 5: header" in report
    assert "all three cameras in 2" in report


def test_the_command_says_by_its_status_whether_anything_is_lost(
    faulty: Path, tmp_path_factory: pytest.TempPathFactory, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        cli.main(["check", str(faulty)])
    assert caught.value.code == 1
    assert "line 2: missing image" in capsys.readouterr().out
    sound = tmp_path_factory.mktemp("sound")
    (sound / "driving_log.csv").touch()
    cli.main(["check", str(sound)])
    assert "0 rows can be used" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["check", "no/such/folder"], "driving_log.csv"),
        (["udacity", "--out", "a", "--rows", "-1"], "rows"),
        (["udacity", "--out", "a", "--seconds", "nan"], "seconds"),
        (["udacity", "--out", "a", "--host", "0.0.0.0"], "public"),
    ],
)
def test_a_fault_of_the_command_is_one_line(
    arguments: list[str], named: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        cli.main(arguments)
    assert caught.value.code == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert named in error
