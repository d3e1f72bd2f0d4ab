"""A policy's network from pictures to the mean of its actions, with the gradient kept."""

import copy
from abc import ABC, abstractmethod
from typing import Any, TypeVar

import torch
from torch import Tensor, nn

from drive.observation import ObservationSpec
from evaluation.errors import EvaluationError
from evaluation.inspection.learned import driver_under
from nsac_core.methods.protocol import Method
from policies import Policy
from policies.driving_policy import DrivingPolicy
from policies.ppo.driver import ExpertDriver
from policies.ppo.network import Actor, FixedEncoder
from policies.protocol import ACTIONS

M = TypeVar("M", bound=nn.Module)


class PictureNetwork(nn.Module, ABC):
    """From stacks of pictures to actions: a frozen copy, so that it may be changed at will.

    Attributes:
        observation: What the policy sees.
        name: The policy's.
        grids: Where the cells of its layers lie, by the layers' names; measured once, for shuffled
            weights do not move them.
    """

    def __init__(self, name: str, observation: ObservationSpec) -> None:
        super().__init__()
        self.name = name
        self.observation = observation
        self.grids: dict[str, Any] = {}

    @abstractmethod
    def forward(self, stacks: Tensor) -> Tensor:
        """Mean of steer, gas and brake, ``(n, 3)``.

        Args:
            stacks: ``(n, *observation.shape)``, values in [0, 1].
        """


class MethodNetwork(PictureNetwork):
    """A learned driver: the mean over Monte Carlo passes, so the gradient is their average.

    The noise is the same at every call.

    Args:
        policy: The driver.
        samples: Passes; the policy's own number by default.
        seed: Of their noise.
    """

    def __init__(self, policy: DrivingPolicy, samples: int | None = None, seed: int = 0) -> None:
        super().__init__(policy.name, policy.observation)
        self.method: Method = _frozen(policy.method)
        self.samples = samples or policy.n_samples
        self.seed = seed

    def forward(self, stacks: Tensor) -> Tensor:
        """The predicted mean."""
        generator = torch.Generator().manual_seed(self.seed)
        return self.method.predict(stacks, self.samples, generator).mean


class ActorNetwork(PictureNetwork):
    """The PPO expert: the mode that it drives, its pedal parted into gas and brake."""

    def __init__(self, policy: ExpertDriver) -> None:
        super().__init__(policy.name, policy.observation)
        self.actor: Actor = _frozen(policy.actor)

    def forward(self, stacks: Tensor) -> Tensor:
        """The mode of the action."""
        encoder = self.actor.encoder
        # A fixed encoder keeps no gradient of its own accord.
        seen = encoder.frames(stacks).flatten(1) if isinstance(encoder, FixedEncoder) else stacks
        steer, pedal = self.actor(seen).unbind(dim=1)
        return torch.stack([steer, pedal.relu(), (-pedal).relu()], dim=1)


class OwnNetwork(PictureNetwork):
    """The network that a policy of one's own shows, as its attribute ``network``."""

    def __init__(self, policy: Policy, network: nn.Module) -> None:
        super().__init__(policy.name, policy.observation)
        self.network = _frozen(network)

    def forward(self, stacks: Tensor) -> Tensor:
        """The mean of the actions.

        Raises:
            EvaluationError: It is of another shape, or keeps no gradient.
        """
        mean: Tensor = self.network(stacks)
        expected = (len(stacks), len(ACTIONS))
        if mean.shape != expected:
            raise EvaluationError(
                f"{self.name}: network gives {tuple(mean.shape)}, expected {expected}"
            )
        if stacks.requires_grad and not mean.requires_grad:
            raise EvaluationError(f"{self.name}: network keeps no gradient of the pictures")
        return mean


def network_of(policy: Policy, samples: int | None = None, seed: int = 0) -> PictureNetwork:
    """The network of a policy: learned drivers, the PPO expert, and policies that show their own.

    Args:
        policy: Under a supervisor, it is the driver's network. A policy of one's own has an
            attribute ``network``, a module from stacks ``(n, *observation.shape)`` of values in
            [0, 1] to the means ``(n, 3)`` of steer, gas and brake.
        samples: Monte Carlo passes; the policy's own number by default.
        seed: Of their noise.

    Raises:
        EvaluationError: It has no such network.
    """
    driver = driver_under(policy)
    if isinstance(driver, DrivingPolicy):
        return MethodNetwork(driver, samples, seed)
    if isinstance(driver, ExpertDriver):
        return ActorNetwork(driver)
    network = getattr(driver, "network", None)
    if isinstance(network, nn.Module) and driver.observation.kind != "world":
        return OwnNetwork(driver, network)
    raise EvaluationError(
        f"{policy.name}: has no saliency: expected a learned driver, or an attribute `network`, a "
        "torch module from pictures to the means of steer, gas and brake"
    )


def _frozen(module: M) -> M:
    return copy.deepcopy(module).eval().requires_grad_(False)
