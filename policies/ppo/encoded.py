"""The workers' worlds seen through a fixed encoder: features in place of pictures."""

from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv, VecEnvWrapper
from stable_baselines3.common.vec_env.base_vec_env import VecEnvStepReturn

from policies.ppo.network import FEATURES, FixedEncoder


class EncodedWorlds(VecEnvWrapper):
    """Encodes what all workers see at once, so that an update need not encode it again.

    Args:
        worlds: Show stacks ``(4, 84, 84)`` uint8.
        encoder: Whose features, ``(256,)`` float32, are shown in their place.
    """

    def __init__(self, worlds: VecEnv, encoder: FixedEncoder) -> None:
        features = spaces.Box(-np.inf, np.inf, (FEATURES,), np.float32)
        super().__init__(worlds, observation_space=features)
        self._encoder = encoder

    def reset(self) -> NDArray[np.float32]:
        """Starts all laps."""
        stacks = self.venv.reset()
        assert isinstance(stacks, np.ndarray)
        return self._encode(stacks)

    def step_wait(self) -> VecEnvStepReturn:
        """The features, rewards, ends and what is told."""
        stacks, rewards, ends, told = self.venv.step_wait()
        assert isinstance(stacks, np.ndarray)
        for info in told:
            if "terminal_observation" in info:
                info["terminal_observation"] = self._encode(info["terminal_observation"][None])[0]
        return self._encode(stacks), rewards, ends, told

    def _encode(self, stacks: NDArray[Any]) -> NDArray[np.float32]:
        features: NDArray[np.float32] = self._encoder(torch.from_numpy(stacks)).numpy()
        return features
