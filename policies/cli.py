"""``nsac-train``: parses the command line and calls the library."""

import sys
from pathlib import Path

import tyro

from drive.udacity.driving_log import DrivingLogError
from maps.faults import one_line
from policies.demonstrations import DemonstrationError
from policies.errors import PolicyError
from policies.ppo.config import PPOConfig
from policies.train import train as train_clone
from policies.train_config import TrainConfig
from policies.udacity.train import train_udacity
from policies.udacity.train_config import UdacityTrainConfig

UDACITY = "udacity"
"""First word of the command that trains from recordings of the Udacity simulator."""


def main(arguments: list[str] | None = None) -> None:
    """Trains a policy, or with ``--expert`` the PPO expert; a fault is one line and status 2."""
    given = sys.argv[1:] if arguments is None else arguments
    config: TrainConfig | PPOConfig | UdacityTrainConfig
    if given and given[0] == UDACITY:
        config = _udacity(given[1:])
    else:
        config = _expert(given) if _names_expert(given) else _policy(given)
    with one_line(PolicyError, DemonstrationError, DrivingLogError, OSError):
        path = train(config)
    print(f"trained {path}")  # noqa: T201


def train(config: TrainConfig | PPOConfig | UdacityTrainConfig) -> Path:
    """Trains what the configuration is of; stable-baselines3 is loaded for the expert alone."""
    if isinstance(config, TrainConfig):
        return train_clone(config)
    if isinstance(config, UdacityTrainConfig):
        return train_udacity(config)
    from policies.ppo.train import train_expert  # noqa: PLC0415

    return train_expert(config)


def _policy(arguments: list[str]) -> TrainConfig:
    return tyro.cli(
        TrainConfig,
        prog="nsac-train",
        description="Train a policy from demonstrations; repeat the command to resume. "
        "`nsac-train --expert ppo --help` tells of the expert that demonstrates, "
        f"`nsac-train {UDACITY} --help` of policies for the Udacity simulator.",
        args=arguments,
    )


def _udacity(arguments: list[str]) -> UdacityTrainConfig:
    return tyro.cli(
        UdacityTrainConfig,
        prog=f"nsac-train {UDACITY}",
        description="Train a policy from recordings of the Udacity simulator; repeat the command "
        "to resume.",
        args=arguments,
    )


def _expert(arguments: list[str]) -> PPOConfig:
    return tyro.cli(
        PPOConfig,
        prog="nsac-train",
        description="Train the PPO expert; repeat the command to resume.",
        args=arguments,
    )


def _names_expert(arguments: list[str]) -> bool:
    return any(argument.partition("=")[0] == "--expert" for argument in arguments)
