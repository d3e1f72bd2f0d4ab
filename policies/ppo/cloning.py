"""Gives the actor a start: it imitates demonstrations before PPO begins."""

from collections.abc import Callable, Iterator

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from policies.augmentation import mirror
from policies.augmentation_config import Augmentation
from policies.demonstrations import Demonstrations
from policies.ppo.config import CloningConfig
from policies.ppo.network import Actor, Critic, FixedEncoder

Batches = Callable[[], Iterator[tuple[Tensor, NDArray[np.float32]]]]


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
    batches = _batches(actor, demonstrations, config.batch, rng)
    trained = [weight for weight in actor.parameters() if weight.requires_grad]
    optimiser = torch.optim.Adam(trained, lr=config.learning_rate)
    total = config.epochs * demonstrations.count_batches(config.batch)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: 1.0 - step / total)
    weights = torch.tensor([config.steer_weight, 1.0])
    error = float("nan")
    for epoch in range(config.epochs):
        errors = []
        for seen, labels in batches():
            squared = (actor(seen) - steer_and_pedal(labels)).square()
            optimiser.zero_grad()
            (squared * weights).mean().backward()
            torch.nn.utils.clip_grad_norm_(trained, 1.0)
            optimiser.step()
            schedule.step()
            errors.append(squared.mean().item())
        error = float(np.mean(errors))
        report(f"cloning, epoch {epoch + 1} of {config.epochs}: squared error {error:.5f}")
    actor.explore(config.steer_spread, config.pedal_spread)
    return error


def _batches(
    actor: Actor, demonstrations: Demonstrations, batch: int, rng: np.random.Generator
) -> Batches:
    """One epoch at a call: stacks, or features where the encoder is fixed, and labels."""
    if isinstance(actor.encoder, FixedEncoder):
        return _feature_batches(actor.encoder, demonstrations, batch, rng)

    def stacks() -> Iterator[tuple[Tensor, NDArray[np.float32]]]:
        augment = Augmentation()
        for seen, labels in demonstrations.stacks(batch, rng):
            augment(seen, labels[:, None], rng)
            yield torch.from_numpy(seen), labels

    return stacks


def _feature_batches(
    encoder: FixedEncoder, demonstrations: Demonstrations, batch: int, rng: np.random.Generator
) -> Batches:
    """Each frame is encoded once as it is and once mirrored; half of each batch is mirrored."""
    tables = [_tokens(encoder, demonstrations.frames, mirrored=side) for side in (False, True)]
    episodes = demonstrations.episodes
    rows = np.concatenate([e.start + np.arange(e.steps) for e in episodes])
    actions = np.concatenate([e.first_action + np.arange(e.steps) for e in episodes])
    window = np.arange(demonstrations.stack)

    def features() -> Iterator[tuple[Tensor, NDArray[np.float32]]]:
        order = rng.permutation(len(rows))
        for begin in range(0, len(order), batch):
            chosen = order[begin : begin + batch]
            labels = demonstrations.actions[actions[chosen]].copy()
            half = len(chosen) // 2
            labels[half:, 0] *= -1.0
            frames = torch.from_numpy(rows[chosen, None] + window)
            seen = torch.cat([tables[0][frames[:half]], tables[1][frames[half:]]])
            yield seen.flatten(1), labels

    return features


def _tokens(
    encoder: FixedEncoder, frames: NDArray[np.uint8], *, mirrored: bool, chunk: int = 512
) -> Tensor:
    """Tokens of all frames, ``(rows, 64)``."""
    tokens = []
    for begin in range(0, len(frames), chunk):
        part = frames[begin : begin + chunk]
        if mirrored:
            part = part.copy()
            mirror(part)
        tokens.append(encoder.tokens(torch.from_numpy(part)))
    return torch.cat(tokens)


def share_start(actor: Actor, critic: Critic) -> None:
    """Starts the critic from the actor's encoder and hidden layer."""
    if critic.encoder is not None:
        critic.encoder.load_state_dict(actor.encoder.state_dict())
    critic.hidden.load_state_dict(actor.hidden.state_dict())


def steer_and_pedal(labels: NDArray[np.float32]) -> Tensor:
    """Steer, and gas less brake, ``(n, 2)``, of labels ``(n, 3)``."""
    return torch.from_numpy(np.stack([labels[:, 0], labels[:, 1] - labels[:, 2]], axis=1))
