"""The long commands, killed and interrupted; ``make reliability`` kills each fifty times."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.reliability.killed_commands import ROOT

UNITS = {
    "record": "nothing is lost but the running episode",
    "train": "nothing is lost but the running epoch",
    "evaluate": "nothing is lost but the running batch of laps",
    "study": "nothing is lost but the running batch of laps",
}


def marked(name: str, outcome: str) -> Any:  # noqa: ANN401 - pytest does not name the type
    """A command with the two rows that its test shows."""
    killed = pytest.mark.fault("kill -9 at a random moment", name, outcome)
    interrupted = pytest.mark.fault("Ctrl+C", name, f"status 130, one line; {outcome}")
    return pytest.param(name, marks=[killed, interrupted])


@pytest.mark.slow
@pytest.mark.parametrize("name", [marked(*row) for row in UNITS.items()])
def test_killed_or_interrupted_it_ends_as_if_left_in_peace(name: str, tmp_path: Path) -> None:
    for words in (["--kills", "1"], ["--kills", "1", "--interrupt"]):
        command = [sys.executable, "-m", "tests.reliability.kills", "--commands", name, *words]
        command += ["--page", "None", "--out", str(tmp_path)]
        ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        assert ended.returncode == 0, ended.stdout + ended.stderr
