"""The learned driver: an encoder of frames under a method that predicts with uncertainty."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from nsac_core.methods.protocol import Method
from policies.encoders import FrameEncoder
from policies.errors import PolicyError
from policies.protocol import Decision, actions_of


class DrivingPolicy:
    """Drives with the mean of a method's prediction.

    Each step encodes the newest frame only; the tokens of the older ones are kept from the steps
    before. Where a stack does not continue the one before (a new lap, a frozen picture), its older
    frames are encoded again, so that the decision is always that of the whole stack.

    Args:
        method: A method over a ``FrameEncoder``, with one output per action.
        name: How tables call it.
        n_samples: Monte Carlo passes per decision.
    """

    def __init__(self, method: Method, name: str, n_samples: int = 5) -> None:
        if not isinstance(method.encoder, FrameEncoder):
            raise PolicyError(f"{name}: the method's encoder is not a FrameEncoder")
        self.method = method
        self.encoder: FrameEncoder = method.encoder
        self.name = name
        self.n_samples = n_samples
        self.observation = self.encoder.observation
        self._actions = actions_of(self.observation)
        self.reset(0)

    def reset(self, n: int, seed: int = 0) -> None:
        """Forgets all frames; the noise of the Monte Carlo passes follows ``seed``."""
        self.method.eval()
        self._seen = np.zeros((n, *self.observation.shape), dtype=np.uint8)
        self._known = np.zeros(n, dtype=bool)
        self._tokens: Tensor | None = None
        self._generator = torch.Generator().manual_seed(seed)

    @torch.inference_mode()
    def act(self, observations: NDArray[np.uint8] | Sequence[Any]) -> Decision:
        """Decides for all cars.

        Args:
            observations: ``(n, *observation.shape)`` uint8, as many as ``reset`` was told.

        Raises:
            PolicyError: If they have another shape or type.
        """
        tokens = self._encode(self._checked(observations))
        prediction = self.method.predict_tokens(tokens, self.n_samples, self._generator)
        mean = prediction.mean.float().numpy()
        return Decision(
            action=np.clip(mean, self._actions.low, self._actions.high),
            mean=mean,
            aleatoric=prediction.aleatoric.float().sqrt().numpy(),
            epistemic=prediction.epistemic.float().sqrt().numpy(),
        )

    def _checked(self, observations: NDArray[np.uint8] | Sequence[Any]) -> NDArray[np.uint8]:
        stacks = np.asarray(observations)
        if stacks.shape != self._seen.shape or stacks.dtype != np.uint8:
            raise PolicyError(
                f"{self.name}: expected observations {self._seen.shape} uint8, "
                f"got {stacks.shape} {stacks.dtype}"
            )
        if self.method.training:
            self.method.eval()
        return stacks

    def _encode(self, stacks: NDArray[np.uint8]) -> Tensor:
        """Tokens ``(n, frames * tokens_per_frame, feature)`` of the stacks."""
        continues = self._known & (stacks[:, :-1] == self._seen[:, 1:]).reshape(
            len(stacks), -1
        ).all(axis=1)
        newest = self._encode_frames(stacks[:, -1])
        if self._tokens is None:
            older = newest.new_empty(len(stacks), stacks.shape[1] - 1, *newest.shape[1:])
        else:
            older = self._tokens[:, 1:].clone()
        fresh = np.flatnonzero(~continues)
        if len(fresh) and older.shape[1]:
            again = self._encode_frames(stacks[fresh, :-1].reshape(-1, *stacks.shape[2:]))
            older[torch.from_numpy(fresh)] = again.view(len(fresh), -1, *again.shape[1:])
        self._tokens = torch.cat([older, newest[:, None]], dim=1)
        self._seen = stacks.copy()
        self._known[:] = True
        return self._tokens.flatten(1, -2)

    def _encode_frames(self, frames: NDArray[np.uint8]) -> Tensor:
        pictures = torch.from_numpy(np.ascontiguousarray(frames))
        return self.method.encode(pictures, "encode_frames")
