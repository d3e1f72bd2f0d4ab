"""The exponential linear unit, several times faster on a CPU than PyTorch's own.

PyTorch computes ``exp(x) - 1`` by a function that is exact near zero and slow: it takes half the
time of a network of convolutions. The plain difference is off by one rounding of 1.
"""

from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd import Function
from torch.autograd.function import once_differentiable


class ELU(nn.Module):
    """``x`` where positive, else ``exp(x) - 1`` (Clevert et al. 2016)."""

    def forward(self, x: Tensor) -> Tensor:
        """Of any shape."""
        result: Tensor = _Elu.apply(x)
        return result


class _Elu(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:  # noqa: ANN401 - PyTorch's context
        y = x.clamp(max=0).exp_().sub_(1).add_(x.relu())
        ctx.save_for_backward(y)
        return y

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> Tensor:  # noqa: ANN401
        (y,) = ctx.saved_tensors
        result: Tensor = torch.ops.aten.elu_backward(gradient, 1, 1, 1, True, y)
        return result
