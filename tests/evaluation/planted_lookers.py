"""Policies that look at one part of the picture only, as their networks show."""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from drive.observation import ObservationSpec
from policies import Decision

DASHBOARD_ROW = 74


class DashboardNetwork(nn.Module):
    """Steers by how much of the dashboard is lit, left against right."""

    def __init__(self) -> None:
        super().__init__()
        self.lit = nn.Conv2d(1, 2, 3, stride=2)
        self.relu = nn.ReLU()
        with torch.no_grad():
            self.lit.weight.copy_(torch.ones(2, 1, 3, 3) / 9)
            self.lit.bias = nn.Parameter(torch.tensor([0.0, -0.05]))

    def forward(self, stacks: Tensor) -> Tensor:
        seen = torch.zeros_like(stacks[:, -1:])
        seen[:, :, DASHBOARD_ROW:] = stacks[:, -1:, DASHBOARD_ROW:]
        maps = self.relu(self.lit(seen)).sum(1)
        steer = maps[..., :20].sum((1, 2)) - 0.5 * maps[..., 20:].sum((1, 2))
        return torch.stack([steer, 0 * steer, 0 * steer], dim=1)


class EdgeNetwork(nn.Module):
    """Steers by where the view changes from road to grass: by differences larger than a patch's."""

    def __init__(self) -> None:
        super().__init__()
        slopes = torch.tensor([[[[-1.0, 1.0]]], [[[1.0, -1.0]]]])
        self.change = nn.Conv2d(1, 2, (1, 2))
        self.relu = nn.ReLU()
        with torch.no_grad():
            self.change.weight.copy_(slopes)
            self.change.bias = nn.Parameter(torch.full((2,), -0.06))

    def forward(self, stacks: Tensor) -> Tensor:
        view = stacks[:, -1:, : DASHBOARD_ROW - 1]
        maps = self.relu(self.change(view))
        steer = maps[:, 0].sum((1, 2)) - 0.7 * maps[:, 1].sum((1, 2))
        return torch.stack([steer, 0 * steer, 0 * steer], dim=1)


class Looker:
    """Drives straight on, whatever its network says."""

    observation = ObservationSpec("gray84", 4)

    def __init__(self, name: str, network: nn.Module, sigma: float = 0.0) -> None:
        self.name, self.network, self._sigma = name, network, sigma

    def reset(self, n: int, seed: int = 0) -> None:  # noqa: ARG002
        self._n = n

    def act(self, observations: NDArray[np.uint8]) -> Decision:  # noqa: ARG002
        action = np.tile(np.array([0.0, 0.3, 0.0], dtype=np.float32), (self._n, 1))
        sigma = np.full_like(action, self._sigma)
        return Decision(action, action, sigma, sigma)


def dashboard_looker() -> Looker:
    return Looker("dashboard", DashboardNetwork())


def edge_looker() -> Looker:
    return Looker("edge", EdgeNetwork())
