"""``nsac-evaluate --world udacity``: driven by a client of other make, shown, recorded, refused."""

import base64
import errno
import io
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import socketio
from numpy.typing import NDArray
from rich.console import Console

from drive.observation import ObservationSpec
from drive.udacity.bridge import Status
from drive.udacity.driving_log_error import DrivingLogError
from drive.udacity.frames import encode
from drive.udacity.recordings import read
from drive.udacity.reply_times import ReplySpeed
from evaluation.cli import main
from evaluation.udacity.live import drive_live
from evaluation.udacity.live_config import LiveConfig
from evaluation.udacity.screen import screen
from policies import Decision


class Steady:
    """Steers to the right by a tenth; slowly, if told so."""

    name = "steady"
    observation = ObservationSpec("camera", 1)
    delay = 0.0

    def reset(self, n: int, seed: int = 0) -> None:
        pass

    def act(self, observations: NDArray[np.uint8] | Sequence[Any]) -> Decision:
        time.sleep(self.delay)
        steer = np.full((len(observations), 1), 0.1, dtype=np.float32)
        return Decision(steer, steer, 0 * steer, 0 * steer)


@pytest.fixture
def jpegs() -> list[bytes]:
    return [encode(np.full((160, 320, 3), 10 * i, dtype=np.uint8)) for i in range(20)]


@pytest.fixture(autouse=True)
def _steady_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("policies.load", lambda _, trust: Steady())  # noqa: ARG005


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


def connect(client: socketio.Client, port: int, seconds: float = 60.0) -> None:
    """Connects as soon as somebody listens."""
    end = time.monotonic() + seconds
    while not client.connected:
        try:
            client.connect(f"http://127.0.0.1:{port}", transports=["websocket"])
        except socketio.exceptions.ConnectionError:
            if time.monotonic() > end:
                raise
            time.sleep(0.05)


def drive(config: LiveConfig, jpegs: list[bytes]) -> tuple[list[Any], Status, str]:
    """A simulator that shows these pictures; its replies, the final status and the screen."""
    replies: list[Any] = []
    client = socketio.Client(reconnection=False)
    shown = Console(file=io.StringIO(), width=120)

    def show() -> None:
        image = base64.b64encode(jpegs[min(len(replies), len(jpegs) - 1)]).decode()
        data = {"steering_angle": "2,5000", "throttle": "0,3000", "speed": "4,0000"}
        client.emit("telemetry", {**data, "image": image})

    def on_steer(data: dict[str, str]) -> None:
        replies.append(data)
        if len(replies) < len(jpegs):
            show()
        else:
            client.disconnect()

    def simulate() -> None:
        client.on("steer", on_steer)
        connect(client, config.port)
        show()

    simulator = threading.Thread(target=simulate, daemon=True)
    simulator.start()
    status = drive_live(config, shown)
    simulator.join(5)
    assert isinstance(shown.file, io.StringIO)
    return replies, status, shown.file.getvalue()


def test_whatever_connects_is_driven_shown_and_recorded(tmp_path: Path, jpegs: list[bytes]) -> None:
    folder = tmp_path / "seen"
    config = LiveConfig("steady", port=free_port(), seconds=2.5, stale_after=10.0, record=folder)
    replies, status, shown = drive(config, jpegs)
    assert len(replies) == len(jpegs)
    assert {reply["steering_angle"] for reply in replies} == {"0,1000"}
    assert all(reply["throttle"] == "1,0000" for reply in replies)  # 4 mph where 20 are wanted
    assert status.speed.replies == len(jpegs)
    assert "per second" in shown
    recording = read(folder, decode=True)
    assert recording.faults == ()
    assert [row.centre.read_bytes() for row in recording.rows] == jpegs
    for row in recording.rows:
        numbers = (row.steering, row.throttle, row.brake, row.speed)
        assert numbers == pytest.approx((0.1, 1.0, 0.0, 4.0))


def test_a_drive_whose_rows_find_no_room_ends(
    tmp_path: Path, jpegs: list[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    config = LiveConfig("steady", port=free_port(), seconds=60.0, record=tmp_path / "seen")
    with pytest.raises(DrivingLogError, match=r"seen: cannot be written \(No space left"):
        drive(config, jpegs)
    assert list(tmp_path.iterdir()) == []


def test_a_slow_policy_shows_on_the_screen(
    jpegs: list[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Steady, "delay", 0.25)
    config = LiveConfig("steady", port=free_port(), seconds=2.5, stale_after=10.0)
    _, status, shown = drive(config, jpegs[:4])
    assert 0.25 <= status.speed.median < 0.45
    assert f"median {1e3 * status.speed.median:.1f} ms" in shown


def test_faults_are_shown_with_their_meaning() -> None:
    console = Console(file=io.StringIO(), width=120)
    status = Status(1, ReplySpeed(3, 14.96, 0.0123, 0.0456), None, None, {"image": 2})
    console.print(screen(status, "steady", "127.0.0.1:4567"))
    assert isinstance(console.file, io.StringIO)
    shown = console.file.getvalue()
    for words in ("15.0 per second", "12.3 ms", "45.6 ms", "image", "2", "truncated"):
        assert words in shown


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--speed", "31"], "expected up to 30"),
        (["--speed", "0"], "expected up to 30"),
        (["--seconds", "-1"], "seconds is -1"),
        (["--seconds", "nan"], "seconds is nan"),
        (["--stale-after", "0"], "stale_after is 0"),
        (["--stale-after", "nan"], "stale_after is nan"),
        (["--seed", "-1"], "seed must lie in [0, 4294967295], not -1"),
        (["--port", "70000"], "expected 0 to 65535"),
        (["--host", "0.0.0.0"], "other machines"),
    ],
)
def test_what_cannot_be_is_one_line(
    options: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--world", "udacity", "--policy", "steady", *options])
    assert ended.value.code == 2
    error = capsys.readouterr().err
    assert words in error
    assert error.count("\n") == 1


def test_a_policy_of_another_world_is_one_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Steady, "observation", ObservationSpec("gray84", 4))
    with pytest.raises(SystemExit):
        main(["--world=udacity", "--policy", "steady"])
    assert capsys.readouterr().err.startswith("error: steady: reads gray84")


def test_a_port_that_is_taken_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        with pytest.raises(SystemExit):
            main(["--world", "udacity", "--policy", "steady", "--port", port])
    error = capsys.readouterr().err
    assert port in error
    assert error.count("\n") == 1


POLICY = """
import numpy as np
from drive.observation import ObservationSpec
from policies import Decision

class Right:
    name = "right"
    observation = ObservationSpec("camera", 1)
    def reset(self, n, seed=0):
        pass
    def act(self, observations):
        return Decision.certain(np.full((len(observations), 1), 0.1))
"""


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
def test_an_interruption_brings_the_car_to_rest(tmp_path: Path, jpegs: list[bytes]) -> None:
    (tmp_path / "right.py").write_text(POLICY, encoding="utf-8")
    port = free_port()
    words = ["--world", "udacity", "--policy", "right:Right", "--port", str(port)]
    command = f"from evaluation.cli import main; main({words!r})"
    process = subprocess.Popen([sys.executable, "-c", command], cwd=tmp_path)
    speeds = iter(["20.0000"] * 3 + ["14.0000", "8.0000", "4.9000"])
    throttles: list[str] = []
    client = socketio.Client(reconnection=False)

    def show() -> None:
        data = {"steering_angle": "0.0000", "throttle": "0.0000", "speed": next(speeds)}
        client.emit("telemetry", {**data, "image": base64.b64encode(jpegs[0]).decode()})

    def on_steer(data: dict[str, str]) -> None:
        throttles.append(data["throttle"])
        if len(throttles) == 3:
            process.send_signal(signal.SIGINT)
            time.sleep(0.5)
        if len(throttles) < 6:
            show()

    client.on("steer", on_steer)
    connect(client, port)
    show()
    assert process.wait(timeout=30) == 0
    client.disconnect()
    assert throttles[3:] == ["-1.0000", "-1.0000", "0.0000"]
    assert all(float(throttle) > -1.0 for throttle in throttles[:3])
