"""Contestants in processes of their own, and the environment of the published package."""

import json
import os
import subprocess
import venv
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import Any

PEER = "torch-nac==0.0.2"
_FILE = Path(__file__).with_name("contestant.py")


class ContestantError(RuntimeError):
    """A contestant has ended before it answered."""


class Contestant:
    """A contestant in a process of its own.

    Args:
        python: Of an environment that holds it.
        name: ``ours`` or ``peer``.
    """

    def __init__(self, python: Path, name: str) -> None:
        # One thread for the libraries below torch too, and no word of theirs in the table.
        self.process = subprocess.Popen(
            [python, "-P", "-W", "ignore", _FILE, name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"},
        )

    def __enter__(self) -> "Contestant":
        return self

    def __exit__(self, *_: object) -> None:
        self.process.communicate()

    def ask(self, case: dict[str, Any], **request: Any) -> Any:  # noqa: ANN401 - JSON both ways
        """The answer to a request about a case, as ``contestant.py`` documents them.

        Raises:
            ContestantError: If the process ended.
        """
        assert self.process.stdin
        assert self.process.stdout
        answer = ""
        with suppress(BrokenPipeError):
            self.process.stdin.write(json.dumps({"case": case, **request}) + "\n")
            self.process.stdin.flush()
            answer = self.process.stdout.readline()
        if not answer:
            raise ContestantError(f"a contestant ended during {case}")
        return json.loads(answer)


def peer_environment() -> Path:
    """The Python of a cached environment with the published package and the torch of this one."""
    cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
    place = cache / "nsac-drive" / PEER
    python = place / "bin" / "python"
    ready = place / "ready"
    if not ready.exists():
        venv.create(place, with_pip=True, clear=True)
        torch = f"torch=={version('torch').partition('+')[0]}"
        # numpy: the peer imports it and does not declare it.
        needed = (PEER, torch, "numpy")
        subprocess.run([python, "-m", "pip", "install", "--quiet", *needed], check=True)
        ready.touch()
    return python
