"""``nsac-train``: its commands."""

import sys

from maps.command_line import Command, perform, run

CLONE = Command(
    "policies.train_config:TrainConfig",
    "policies.commands:clone",
    "Train a policy from demonstrations; repeat the command to resume. "
    "`nsac-train --expert ppo --help` tells of the expert that demonstrates.",
)
EXPERT = Command(
    "policies.ppo.config:PPOConfig",
    "policies.commands:expert",
    "Train the PPO expert; repeat the command to resume.",
)
COMMANDS = {
    "udacity": Command(
        "policies.udacity.train_config:UdacityTrainConfig",
        "policies.commands:udacity",
        "Train a policy from recordings of the Udacity simulator; repeat the command to resume.",
    ),
}


def main(arguments: list[str] | None = None) -> None:
    """Trains a policy, or with ``--expert`` the one that demonstrates."""
    given = sys.argv[1:] if arguments is None else arguments
    if any(argument.partition("=")[0] == "--expert" for argument in given):
        perform("nsac-train", EXPERT, given)
    else:
        run("nsac-train", CLONE.description, COMMANDS, given, default=CLONE)
