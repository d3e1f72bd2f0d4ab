"""``nsac-record``: one clear line for each fault, and a command that resumes after a kill."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import minari
import pytest

from recorders.cli import main

NAME = "carracing/test-v0"
ARGUMENTS = [
    "carracing",
    "--driver",
    "scripted_drivers:Pursuit",
    "--out",
    NAME,
    "--max-steps",
    "30",
]


def run(*arguments: str) -> None:
    main([*ARGUMENTS, *arguments])


def test_a_recording_says_where_it_is(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run("--episodes", "2", "--noise.steer", "0.3")
    output = capsys.readouterr()
    assert f"recorded {NAME} in {root / NAME}" in output.out
    assert "2/2 episodes" in output.err
    assert "60 frames" in output.err
    assert minari.load_dataset(NAME).total_steps == 60


def test_another_data_root(root: Path, tmp_path: Path) -> None:
    run("--episodes", "1", "--quiet", "--data-root", str(tmp_path / "elsewhere"))
    assert (tmp_path / "elsewhere" / NAME / "data" / "metadata.json").is_file()
    assert not root.exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--driver", "nobody"], "nobody"),
        (["--driver", "scripted_drivers:nobody"], "nobody"),
        (["--driver", "scripted_drivers:two_actions"], "(1, 2)"),
        (["--driver", "scripted_drivers:undecided"], "nan"),
        (["--learner", "nowhere.safetensors"], "nowhere.safetensors"),
        (["--out", "carracing/no version"], "-v and a number"),
        (["--out", "carracing/unversioned"], "-v and a number"),
        (["--out", "../escape-v0"], "-v and a number"),
        (["--maps", "atlantis"], "atlantis"),
        (["--episodes", "0"], "episodes must lie in [1, 1000000], not 0"),
        (["--learner-share", "1.5"], "learner_share must lie in [0, 1]"),
        (["--noise.kick-rate", "2"], "noise.kick_rate must lie in [0, 1]"),
        (["--noise.steer", "-1"], "noise.steer must lie in [0, 10], not -1"),
    ],
)
def test_each_fault_is_one_line(
    root: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], words: str
) -> None:
    with pytest.raises(SystemExit) as stop:
        run("--batch", "1", "--quiet", *arguments)
    assert stop.value.code == 2
    error = capsys.readouterr().err
    assert error.startswith("error: ")
    assert words in error
    assert error.count("\n") == 1
    # Nothing half-made is left for Minari or for the next try to stumble over.
    assert not list(root.rglob("*.json"))


def test_another_configuration_under_the_same_name(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run("--episodes", "1", "--quiet")
    with pytest.raises(SystemExit) as stop:
        run("--episodes", "1", "--quiet", "--noise.steer", "0.5")
    assert stop.value.code == 2
    error = capsys.readouterr().err
    assert error.startswith(f"error: data set {NAME} was recorded with noise.steer = 0.05, not 0.5")
    assert error.count("\n") == 1


@pytest.mark.slow
def test_the_command_resumes_after_kill_9(root: Path) -> None:
    """The same as a user sees it: two processes, killed between them."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", "from recorders.cli import main; main()", *ARGUMENTS]
    command += ["--episodes", "10000", "--workers", "2", "--quiet"]  # more than it can record
    process = subprocess.Popen(command, env=environment, start_new_session=True)
    growing = root / NAME / ".recording"
    while len(list(growing.glob("[0-9]*"))) < 3:
        assert process.poll() is None
        time.sleep(0.005)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    there = max(int(path.name) for path in growing.glob("[0-9]*")) + 1
    with pytest.raises(FileNotFoundError):
        minari.load_dataset(NAME)
    run("--episodes", str(there + 10), "--quiet")
    data = minari.load_dataset(NAME)
    assert (data.total_episodes, data.total_steps) == (there + 10, 30 * (there + 10))
    assert not list((root / NAME).glob("data/[!0-9mr]*"))
    shutil.rmtree(root)
