"""When the critic learns alone, and how fast everything learns."""

from policies.ppo.config import PPOConfig


def learning_rate(config: PPOConfig, remaining: float) -> float:
    """The rate when that share of the training remains: constant, then falling to zero."""
    if (1.0 - remaining) * config.steps < critic_warmup(config):
        return config.cloning.critic_rate
    return config.learning_rate * min(1.0, remaining / (1.0 - config.constant_share))


def critic_warmup(config: PPOConfig) -> int:
    """Decisions during which the actor is frozen."""
    return config.cloning.critic_warmup if config.init_from_demonstrations else 0
