"""Recordings of the stand-in's training mode: by the scripted driver, and by keys."""

import itertools
import time
from dataclasses import astuple
from datetime import datetime
from pathlib import Path

import numpy as np
import pytest

from drive.udacity.cli import main
from drive.udacity.driving_log import DrivingLog
from drive.udacity.frames import decode
from drive.udacity.recordings import read
from drive.udacity.simulator import Simulator, SimulatorError
from drive.udacity.simulator.keyboard import MOST_TICKS, KeyDrive, Wheel, drive_by_keys
from drive.udacity.simulator.recording import RecordingConfig, Session, record
from drive.udacity.simulator.scripted_config import ScriptedConfig
from drive.udacity.simulator.window import Keys


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("recording")
    summary = record(RecordingConfig(folder, laps=0.03))
    assert summary.rows > 50
    assert summary.interventions == 0
    return folder


def test_rows_come_at_the_simulators_15_hertz(recorded: Path) -> None:
    rows = read(recorded).rows
    names = [row.centre.stem.removeprefix("center_") for row in rows]
    times = [datetime.strptime(f"{name}000+0000", "%Y_%m_%d_%H_%M_%S_%f%z") for name in names]
    gaps = {round((b - a).total_seconds(), 2) for a, b in itertools.pairwise(times)}
    assert gaps <= {0.06, 0.07, 0.08}
    assert np.mean(np.diff([time.timestamp() for time in times])) == pytest.approx(0.07, abs=2e-3)


def test_the_three_images_are_those_of_the_three_cameras(recorded: Path) -> None:
    row = read(recorded).rows[0]
    simulator = Simulator("lake", "training")
    paths = [path for path in (row.centre, row.left, row.right) if path]
    stored = [decode(path.read_bytes()).astype(int) for path in paths]
    for number, frame in enumerate(simulator.frames()):
        away = [np.abs(picture - frame).mean() for picture in stored]
        assert np.argmin(away) == number
        assert away[number] < 12, "JPEG and nothing more"


def test_a_disturbed_drive_wanders_and_shows_the_drivers_own_steering(tmp_path: Path) -> None:
    clean = record(RecordingConfig(tmp_path / "clean", laps=0.03))
    wild = ScriptedConfig(disturbance=0.3)
    disturbed = record(RecordingConfig(tmp_path / "wild", laps=0.03, driver=wild, seed=3))
    again = record(RecordingConfig(tmp_path / "again", laps=0.03, driver=wild, seed=3))
    assert disturbed.lateral_rmse > clean.lateral_rmse + 0.02
    assert astuple(disturbed) == astuple(again)
    wheel = [[row.steering for row in read(tmp_path / name).rows] for name in ("clean", "wild")]
    # White noise on the wheel would show from row to row; the driver's own steering is smooth.
    assert np.abs(np.diff(wheel[1])).max() < 0.2
    assert np.std(wheel[1]) > np.std(wheel[0])


def test_a_second_session_is_appended(tmp_path: Path) -> None:
    first = record(RecordingConfig(tmp_path, laps=0.01))
    second = record(RecordingConfig(tmp_path, track="jungle", laps=0.01))
    recording = read(tmp_path)
    assert len(recording.rows) == first.rows + second.rows
    assert not recording.faults


def test_the_command_records_without_a_window(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(f"--mode training --driver scripted --laps 0.01 --out {tmp_path}".split())
    assert f"rows: {len(read(tmp_path).rows)}" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("--mode training --laps 1", "needs --out"),
        ("--mode training --out x", "--laps says how many"),
        ("--mode training --out x --driver controller", "autonomous mode only"),
        ("--driver keyboard", "--mode training"),
        ("--period 0.05", "multiple of 0.02"),
        ("--period inf", "multiple of 0.02"),
        ("--port 0", "port is 0"),
        ("--host [", "host is '['"),
        ("--host host:99", "expected a name or an address"),
        ("--host=", "host is ''"),
        (
            "--mode training --out {out} --laps 1 --start nan",
            "start must lie in [-1000000000, 1000000000], not nan",
        ),
        ("--mode training --out x --laps 1 --scripted.speed inf", "speed must be positive"),
        ("--laps -1", "laps must not be negative"),
        ("--seed -1", "seed must lie in [0, 4294967295], not -1"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(
    line: str, fault: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(line.format(out=tmp_path).split())
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert fault in said
    assert said.count("\n") == 1


def test_the_wheel_follows_the_keys_and_centres_without_them() -> None:
    wheel = Wheel()
    wheel.follow(Keys(right=True, gas=True), 0.25)
    assert (wheel.steering, wheel.throttle) == (0.5, 1.0)
    wheel.follow(Keys(right=True), 10.0)
    assert wheel.steering == 1.0
    wheel.follow(Keys(brake=True), 0.1)
    assert wheel.steering == pytest.approx(0.6)
    assert wheel.throttle == -1.0
    wheel.follow(Keys(left=True, right=True), 10.0)
    assert wheel.steering == 0.0


def test_rows_are_written_only_while_recording(tmp_path: Path) -> None:
    with DrivingLog(tmp_path) as log:
        drive = KeyDrive(Session(RecordingConfig(tmp_path), log))
        for tick in range(70):
            drive.recording = tick >= 35
            drive.tick(Keys(gas=True))
        assert drive.session.summary().rows == log.rows == 10
    rows = read(tmp_path).rows
    assert [row.throttle for row in rows] == [1.0] * 10
    assert rows[-1].speed > rows[0].speed > 5.0


def test_the_window_shows_reads_keys_and_closes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pygame = pytest.importorskip("pygame")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    flip, shown = pygame.display.flip, []

    def flip_and_press() -> None:
        flip()
        shown.append(pygame.surfarray.array3d(pygame.display.get_surface()).copy())
        event = pygame.QUIT if len(shown) > 20 else pygame.KEYDOWN
        if len(shown) in (3, 21):
            pygame.event.post(pygame.event.Event(event, key=pygame.K_r))

    monkeypatch.setattr(pygame.display, "flip", flip_and_press)
    summary = drive_by_keys(RecordingConfig(tmp_path, laps=0))
    assert summary.rows == len(read(tmp_path).rows) > 0
    assert shown[0].shape == (960, 480, 3)
    assert tuple(shown[0][24, 24]) != (230, 30, 30)
    assert tuple(shown[-1][24, 24]) == (230, 30, 30), "a red dot while it records"


def test_a_machine_that_is_too_slow_drives_in_slow_motion(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A minute passes between two pictures; the car moves for a fifth of a second."""
    pygame = pytest.importorskip("pygame")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    minutes = itertools.count(step=60.0)
    monkeypatch.setattr(time, "monotonic", lambda: next(minutes))
    flip, shown = pygame.display.flip, itertools.count(1)

    def flip_and_close() -> None:
        flip()
        if next(shown) == 10:
            pygame.event.post(pygame.event.Event(pygame.QUIT))

    monkeypatch.setattr(pygame.display, "flip", flip_and_close)
    driven: list[Keys] = []
    monkeypatch.setattr(KeyDrive, "tick", lambda _, keys: driven.append(keys))
    drive_by_keys(RecordingConfig(tmp_path, laps=0))
    assert len(driven) == 11 * MOST_TICKS  # the close is read before the last ticks


def test_without_a_display_there_is_no_window(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pygame = pytest.importorskip("pygame")
    monkeypatch.delenv("SDL_VIDEODRIVER", raising=False)
    monkeypatch.setattr(pygame.display, "init", lambda: None)
    monkeypatch.setattr(pygame.display, "set_mode", lambda _: None)
    monkeypatch.setattr(pygame.display, "get_driver", lambda: "offscreen")
    with pytest.raises(SimulatorError, match="no window can be opened"):
        drive_by_keys(RecordingConfig(tmp_path / "mine", laps=0))
    assert not (tmp_path / "mine").exists()


def test_training_mode_refuses_no_laps(tmp_path: Path) -> None:
    with pytest.raises(SimulatorError, match="laps must be positive"):
        record(RecordingConfig(tmp_path, laps=0))
