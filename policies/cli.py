"""``nsac-train``: parses the command line and calls the library."""

import tyro

from maps.faults import one_line
from policies.demonstrations import DemonstrationError
from policies.errors import PolicyError
from policies.train import train
from policies.train_config import TrainConfig


def main(arguments: list[str] | None = None) -> None:
    """Trains a policy; a fault is one line on stderr and exit status 2."""
    config = tyro.cli(
        TrainConfig,
        prog="nsac-train",
        description="Train a policy from demonstrations; repeat the command to resume.",
        args=arguments,
    )
    with one_line(PolicyError, DemonstrationError):
        path = train(config)
    print(f"trained {path}")  # noqa: T201
