"""Whose circuit is drawn."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class WiringConfig:
    """Whose circuit is drawn.

    Attributes:
        policy: As ``nsac-evaluate`` takes it.
        out: The picture: its ending says in which format, ``.png``, ``.svg`` or ``.pdf``.
        run: A run with laps of it that ``nsac-inspect traces`` has seen; without, the neurons are
            left blank.
        lap: Number of the lap in the run.
        step: Of the lap, from 0.
        trust: Load policy files that can run code of their own: stable-baselines3 archives,
            ``torch.export`` and TorchScript. Only for files of somebody you trust.
        member: Which member of an ensemble.
    """

    policy: str
    out: Path
    run: Path | None = None
    lap: int = 0
    step: int = 0
    trust: bool = False
    member: int = 0
