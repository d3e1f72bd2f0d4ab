"""The command as a person meets it: a window on a display, and keys that are really pressed."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import gymnasium
import minari
import numpy as np
import pytest

import drive.carracing  # noqa: F401 - registers the world

NAME = "carracing/test-v0"
PATIENCE = 60.0
"""Seconds; the first picture waits for compiled functions where there are none yet."""


@pytest.fixture
def display() -> Iterator[str]:
    """A display of its own."""
    for program in ("Xvfb", "xdotool"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")
    read, write = os.pipe()
    command = ["Xvfb", "-displayfd", str(write), "-screen", "0", "1280x1024x24"]
    # It would begin anew whenever nobody is connected, and be gone for a moment.
    command += ["-nolisten", "tcp", "-noreset"]
    server = subprocess.Popen(command, pass_fds=(write,), stderr=subprocess.DEVNULL)
    os.close(write)
    with os.fdopen(read) as number:
        yield f":{number.readline().strip()}"
    server.terminate()
    server.wait()


class Person:
    """Starts the command and presses keys in its window."""

    def __init__(self, display: str, *arguments: str) -> None:
        self._environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("SDL_")},
            "DISPLAY": display,
            "PYTHONPATH": os.pathsep.join(sys.path),
        }
        command = [sys.executable, "-c", "from recorders.cli import main; main()", "carracing"]
        command += ["--driver", "human", "--out", NAME, "--quiet", *arguments]
        self.process = subprocess.Popen(
            command, env=self._environment, stderr=subprocess.PIPE, text=True
        )
        self._window = ""

    def do(self, *words: str) -> str:
        """One command of xdotool."""
        done = subprocess.run(
            ["xdotool", *words], env=self._environment, capture_output=True, text=True, check=False
        )
        return done.stdout.strip()

    def press(self, *keys: str) -> None:
        for key in keys:
            self.do("key", key)

    def hold(self, key: str, seconds: float) -> None:
        """Holds a key for some time on top of what is held."""
        self.do("keydown", key)
        time.sleep(seconds)
        self.do("keyup", key)

    def sees(self, words: str) -> None:
        """Waits until the window's name says so."""
        end = time.monotonic() + PATIENCE
        while words not in (name := self._name()):
            assert time.monotonic() < end, f"{name} does not say {words}"
            assert self.process.poll() is None, self.process.communicate()
            time.sleep(0.02)

    def leave(self) -> int:
        """Looks away: no window has the keys."""
        root = self.do("search", "--maxdepth", "0", "").splitlines()[-1]
        self.do("windowfocus", root)
        return int(self._window)

    def end(self) -> tuple[int, str]:
        """How the command ended."""
        _, error = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, error

    def _name(self) -> str:
        self._window = self._window or self.do("getwindowfocus")
        name = self.do("getwindowname", self._window)
        if NAME not in name:
            self._window = ""
        return name


def check_episode(episode: minari.EpisodeData, seed: int) -> None:
    """Its frames are those of its actions, and these are what the ramps of held keys can be."""
    env = gymnasium.make("nsac/CarRacing-v0", renderer="fast", observation="gray84")
    frames = [env.reset(seed=seed)[0], *(env.step(action)[0] for action in episode.actions)]
    np.testing.assert_array_equal(episode.observations, np.stack(frames)[..., 0])
    changes = np.abs(np.diff(episode.actions, axis=0, prepend=np.zeros((1, 3)))).max(axis=0)
    # Rates 6 and 9 of the wheel (full lock is 0.4), 3 and 5 of the gas, in a fiftieth of a second.
    assert (changes <= np.array([3.6, 5, 5]) / 50 + 1e-6).all()


@pytest.mark.slow
def test_a_person_drives_pauses_takes_back_stops_and_goes_on(display: str, root: Path) -> None:
    arguments = ["--episodes", "2", "--max-steps", "900", "--human.discard-seconds", "2.5"]
    person = Person(display, *arguments)
    person.sees("episode 1 of 2, seed:10000: paused")
    person.press("h")  # the help goes away
    person.do("keydown", "Up")
    person.sees("recording")
    person.hold("Left", 0.5)
    person.press("p")
    person.sees("paused")
    person.press("p")
    person.sees("recording")
    person.leave()
    person.sees("paused")
    person.do("keyup", "Up")
    person.do("windowfocus", str(person.leave()))
    # A mistake, which is taken back.
    person.do("keydown", "Up", "keydown", "Right")
    person.sees("recording")
    time.sleep(0.4)
    person.do("keyup", "Up", "keyup", "Right")
    person.press("BackSpace")
    person.sees("paused")
    person.do("keydown", "w")
    person.hold("a", 0.6)
    person.do("keyup", "w")
    person.press("Return")
    person.sees("episode 2 of 2, seed:10001: paused")
    person.hold("w", 0.3)
    person.press("Escape", "Return")
    status, error = person.end()
    assert (status, "the same command goes on" in error) == (130, True)
    assert [path.name for path in (root / NAME / ".recording").glob("[0-9]*")] == ["0"]

    person = Person(display, *arguments)
    person.sees("episode 2 of 2, seed:10001: paused")
    person.press("h")
    person.hold("d", 0.5)
    person.press("r")
    person.sees("paused")
    person.hold("Up", 0.5)
    person.press("n")
    assert person.end() == (0, "")

    data = minari.load_dataset(NAME)
    assert data.total_episodes == 2
    first, second = data
    check_episode(first, 10_000)
    check_episode(second, 10_001)
    # Right was held in what was taken back, and before the restart, and nowhere else.
    assert first.actions[:, 0].min() < -0.2
    assert first.actions[:, 0].max() <= 0
    assert not second.actions[:, 0].any()
    assert second.actions[:, 1].max() == 1
    assert 10 <= len(second.actions) <= 150
