"""Queries and the keys they meet."""

from dataclasses import dataclass

import torch
from torch import Tensor

from nsac_core.curation import CutKeys


@dataclass(frozen=True)
class Memory:
    """Keys and values of a batch, ready to be chosen from.

    Attributes:
        key: float32 ``(batch, key, heads, head_dim)``.
        value: ``(batch, key, heads, head_dim)``.
        mask: True for keys that exist, bool ``(batch, key)``, or None.
        cut: The keys by block, or None where every query takes all keys.
    """

    key: Tensor
    value: Tensor
    mask: Tensor | None
    cut: CutKeys | None


@dataclass(frozen=True)
class Pairs:
    """The keys each query meets; ``query`` is 1 in these shapes where all queries share them.

    The chosen keys come first, so that a softmax over them works on whole vectors.

    Attributes:
        key: ``(chosen, batch, heads, query, head_dim)``.
        value: ``(chosen, batch, heads, query, head_dim)``.
        index: Positions of the keys, int64 ``(chosen, batch, heads, query)``, or None for all.
        valid: False for filling, bool, broadcasts to ``(chosen, batch, heads, query)``, or None.
    """

    key: Tensor
    value: Tensor
    index: Tensor | None
    valid: Tensor | None

    def attend(self, logits: Tensor) -> Tensor:
        """Attention weights of logits ``(chosen, samples, batch, heads, query)``.

        A softmax over the keys; filling gets weight 0, and a row of filling is all zeros.
        """
        if self.valid is None:
            return logits.softmax(0)
        valid = self.valid.unsqueeze(1)
        # The lowest finite number rather than -inf: the gradient of an all-masked row stays finite.
        lowest = torch.finfo(logits.dtype).min
        return logits.masked_fill(~valid, lowest).softmax(0) * valid

    def mix(self, weights: Tensor) -> Tensor:
        """Sums the values by weight and joins the heads.

        Args:
            weights: ``(chosen, samples, batch, heads, query)``.

        Returns:
            ``(samples, batch, query, model_dim)``.
        """
        value = self.value.expand(-1, -1, -1, weights.shape[4], -1)
        mixed = torch.einsum("ksbhq,kbhqd->sbqhd", weights.to(value.dtype), value)
        return mixed.flatten(3)
