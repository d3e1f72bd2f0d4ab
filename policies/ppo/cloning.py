"""Gives the actor a start: it imitates demonstrations before PPO begins."""

import copy
from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor

from policies.augmentation import Augmentation
from policies.demonstrations import Demonstrations
from policies.ppo.config import CloningConfig
from policies.ppo.network import Actor, Critic


def clone(
    actor: Actor,
    demonstrations: Demonstrations,
    config: CloningConfig,
    rng: np.random.Generator,
    report: Callable[[str], None],
) -> float:
    """Trains the modes on the labels, then sets the spread that PPO explores with.

    Args:
        actor: Changed in place.
        demonstrations: With stacks of as many frames as the actor reads.
        config: How.
        rng: Draws order and augmentation.
        report: Told a line after each epoch.

    Returns:
        Mean squared error over both actions in the last epoch.
    """
    optimiser = torch.optim.Adam(actor.parameters(), lr=config.learning_rate)
    batches = demonstrations.count_batches(config.batch)
    total = config.epochs * batches
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: 1.0 - step / total)
    weights = torch.tensor([config.steer_weight, 1.0])
    error = float("nan")
    for epoch in range(config.epochs):
        errors = []
        for stacks, labels in demonstrations.stacks(config.batch, rng):
            Augmentation()(stacks, labels[:, None], rng)
            squared = (actor(torch.from_numpy(stacks)) - steer_and_pedal(labels)).square()
            optimiser.zero_grad()
            (squared * weights).mean().backward()
            torch.nn.utils.clip_grad_norm_(actor.parameters(), 1.0)
            optimiser.step()
            schedule.step()
            errors.append(squared.mean().item())
        error = float(np.mean(errors))
        report(f"cloning, epoch {epoch + 1} of {config.epochs}: squared error {error:.5f}")
    actor.explore(config.steer_spread, config.pedal_spread)
    return error


def share_start(actor: Actor, critic: Critic) -> None:
    """Starts the critic's encoder from the actor's weights."""
    critic.encoder.load_state_dict(copy.deepcopy(actor.encoder.state_dict()))


def steer_and_pedal(labels: np.ndarray) -> Tensor:
    """Steer, and gas less brake, ``(n, 2)``, of labels ``(n, 3)``."""
    return torch.from_numpy(np.stack([labels[:, 0], labels[:, 1] - labels[:, 2]], axis=1))
