"""The command line of a study."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from maps.limits import Processes


@dataclass(frozen=True)
class StudyConfig:
    """A study and where it is done.

    Attributes:
        file: The study, a TOML file.
        out: Folder of its laps. The same command again goes on where it stopped, and drives what
            the file has been extended by.
        workers: Processes, with one torch thread each; they do not change the laps. On a cluster:
            how many of its CPUs.
        backend: Who spreads the units over processes: ``joblib`` on this machine, or ``ray``.
        address: Of the Ray cluster, as in ``10.0.0.1:6379``.
        trust: Load policy files that can run code of their own: stable-baselines3 archives,
            ``torch.export`` and TorchScript. Only for files of somebody you trust.
        quiet: No progress.
    """

    file: Annotated[Path, tyro.conf.Positional]
    out: Path
    workers: Processes = 1
    backend: str = "joblib"
    address: str | None = None
    trust: bool = False
    quiet: bool = False
