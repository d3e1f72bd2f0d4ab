"""Closed-form moments of the Ornstein-Uhlenbeck process that an attention logit follows."""

import torch
from torch import Tensor

_SMALL = 0.05


def ou_moments(phi: Tensor, kappa: Tensor, psi: Tensor, t: Tensor) -> tuple[Tensor, Tensor]:
    """Mean and variance of ``da = kappa (phi - a) dt + psi dW``, ``a(0) = 0``, at time ``t``.

    ``mean = phi (1 - exp(-kappa t))`` and ``variance = psi^2 (1 - exp(-2 kappa t)) / (2 kappa)``,
    computed in float32 or better. Values and gradients stay exact for ``kappa -> 0``
    (Brownian motion, variance ``psi^2 t``) and for ``t -> 0``.

    Args:
        phi: Level the logit reverts to.
        kappa: Rate of reversion, >= 0.
        psi: Volatility.
        t: Time since the start, >= 0.

    Returns:
        mean, variance: of the broadcast shape of the arguments.
    """
    phi, kappa, psi, t = (_at_least_float32(value) for value in (phi, kappa, psi, t))
    decay = kappa * t
    mean = -phi * torch.expm1(-decay)
    variance = psi.square() * t * relative_growth(2 * decay)
    return mean, variance


def _at_least_float32(value: Tensor) -> Tensor:
    return value if value.dtype == torch.float64 else value.float()


def relative_growth(x: Tensor) -> Tensor:
    """``(1 - exp(-x)) / x``, 1 at ``x = 0``, for ``x >= 0``.

    The quotient's gradient cancels catastrophically for small x (it is off by 0.1 at x = 1e-6 in
    float32), hence the series there; both branches see clamped arguments so that neither
    contributes a NaN to the gradient.
    """
    large = x.clamp_min(_SMALL)
    small = x.clamp_max(_SMALL)
    series = 1 - small * (0.5 - small * (1 / 6 - small * (1 / 24 - small / 120)))
    return torch.where(x > _SMALL, -torch.expm1(-large) / large, series)
