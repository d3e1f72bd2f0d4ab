"""``nsac-train``: parses the command line and calls the library."""

import sys

import tyro

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
    try:
        path = train(config)
    except (PolicyError, DemonstrationError) as error:
        print(f"error: {error}", file=sys.stderr)  # noqa: T201
        sys.exit(2)
    print(f"trained {path}")  # noqa: T201
