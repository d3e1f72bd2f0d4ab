"""The expert's networks as a policy of stable-baselines3."""

from typing import Any

import torch
from stable_baselines3.common.distributions import Distribution
from stable_baselines3.common.policies import ActorCriticPolicy
from stable_baselines3.common.torch_layers import FlattenExtractor
from stable_baselines3.common.type_aliases import PyTorchObs, Schedule
from torch import Tensor
from torch.distributions import Beta

from policies.ppo.network import EDGE, Actor, Critic, log_density


class BetaPolicy(ActorCriticPolicy):
    """Actor and critic, each with its own encoder; or both on the features of a fixed one.

    Attributes:
        actor: Its modes are what is driven; the only part that a checkpoint of the expert holds.
        critic: Used in training alone.
    """

    actor: Actor
    critic: Critic

    def __init__(
        self,
        *args: Any,  # noqa: ANN401 - those of the base class
        encoder: str = "stack",
        half_precision: bool = False,
        **kwargs: Any,  # noqa: ANN401
    ) -> None:
        self.encoder = encoder
        self.half_precision = half_precision
        kwargs["features_extractor_class"] = FlattenExtractor
        super().__init__(*args, **kwargs)

    def _build(self, lr_schedule: Schedule) -> None:
        self.actor = Actor(self.encoder, half_precision=self.half_precision)
        self.critic = Critic(self.encoder, half_precision=self.half_precision)
        trained = [weight for weight in self.parameters() if weight.requires_grad]
        self.optimizer = torch.optim.Adam(trained, lr=lr_schedule(1), eps=1e-5)

    def thaw(self, trains: bool) -> None:
        """Says whether the actor is trained, as far as its encoder is to be at all."""
        for weight in self.actor.parameters():
            weight.requires_grad_(trains)
        if self.encoder != "stack":
            self.actor.encoder.requires_grad_(False)

    def forward(self, obs: Tensor, deterministic: bool = False) -> tuple[Tensor, Tensor, Tensor]:
        """Actions ``(n, 2)``, values ``(n, 1)`` and log densities ``(n,)``."""
        obs = self.actor.encoder.scale(obs)
        beta = self.actor.distribution(obs)
        actions = self.actor(obs) if deterministic else _sampled(beta)
        return actions, self.critic(obs), log_density(beta, actions)

    def evaluate_actions(
        self, obs: PyTorchObs, actions: Tensor
    ) -> tuple[Tensor, Tensor, Tensor | None]:
        """Values, log densities of actions, and entropies, of a batch of observations."""
        assert isinstance(obs, Tensor)
        pictures = self.actor.encoder.scale(obs)
        beta = self.actor.distribution(pictures)
        entropy: Tensor = beta.entropy()  # type: ignore[no-untyped-call]
        return self.critic(pictures), log_density(beta, actions), entropy.sum(dim=-1)

    def predict_values(self, obs: PyTorchObs) -> Tensor:
        """Values ``(n, 1)``."""
        assert isinstance(obs, Tensor)
        values: Tensor = self.critic(obs)
        return values

    def get_distribution(self, obs: PyTorchObs) -> Distribution:
        """None: stable-baselines3 has no Beta distribution.

        Raises:
            NotImplementedError: Always.
        """
        raise NotImplementedError("use actor.distribution")

    def _predict(self, observation: PyTorchObs, deterministic: bool = False) -> Tensor:
        assert isinstance(observation, Tensor)
        if deterministic:
            modes: Tensor = self.actor(observation)
            return modes
        return _sampled(self.actor.distribution(observation))


def _sampled(beta: Beta) -> Tensor:
    """Actions in [-1, 1], off its ends."""
    sample: Tensor = beta.sample()
    return 2.0 * sample.clamp(EDGE, 1.0 - EDGE) - 1.0
