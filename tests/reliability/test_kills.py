"""The long commands, killed and interrupted; ``make reliability`` kills each fifty times."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.reliability.killed_commands import ROOT

UNITS = {
    "record": "nothing is lost but the running episode",
    "train": "nothing is lost but the running epoch",
    "evaluate": "nothing is lost but the running batch of laps",
    "study": "nothing is lost but the running batch of laps",
}


def run(out: Path, *words: str) -> None:
    command = [sys.executable, "-m", "tests.reliability.kills", "--page", "None", "--out", str(out)]
    ended = subprocess.run(
        [*command, *words], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.fault("kill -9 at a random moment", name, outcome))
        for name, outcome in UNITS.items()
    ],
)
def test_killed_at_random_moments_it_ends_as_if_left_in_peace(name: str, tmp_path: Path) -> None:
    run(tmp_path, "--commands", name, "--kills", "2", "--seed", "1")


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(
            name,
            marks=pytest.mark.fault("Ctrl+C", name, f"status 130, one line; {outcome}"),
        )
        for name, outcome in UNITS.items()
    ],
)
def test_interrupted_it_says_one_line_and_goes_on(name: str, tmp_path: Path) -> None:
    run(tmp_path, "--commands", name, "--kills", "1", "--interrupt")
