"""What ``nsac-train`` does with a configuration: calls the library and prints."""

from drive.udacity.driving_log_error import DrivingLogError
from maps.faults import one_line
from policies.demonstrations import DemonstrationError
from policies.errors import PolicyError
from policies.ppo.config import PPOConfig
from policies.train import train
from policies.train_config import TrainConfig
from policies.udacity.train import train_udacity
from policies.udacity.train_config import UdacityTrainConfig


def clone(config: TrainConfig) -> None:
    """Trains a policy from demonstrations."""
    with one_line(PolicyError, DemonstrationError):
        print(f"trained {train(config)}")  # noqa: T201


def udacity(config: UdacityTrainConfig) -> None:
    """Trains a policy from recordings of the Udacity simulator."""
    with one_line(PolicyError, DrivingLogError):
        print(f"trained {train_udacity(config)}")  # noqa: T201


def expert(config: PPOConfig) -> None:
    """Trains the PPO expert; stable-baselines3 is loaded for it alone."""
    from policies.ppo.train import train_expert  # noqa: PLC0415

    with one_line(PolicyError, DemonstrationError):
        print(f"trained {train_expert(config)}")  # noqa: T201
