"""The NSAC layer: attention whose logits follow an Ornstein-Uhlenbeck process."""

import warnings
from functools import partial
from typing import Literal

import torch
from torch import Tensor
from torch.nn import functional

from nsac_core.activation import Activation
from nsac_core.circuit_attention import (
    ACTIVATIONS,
    CircuitAttention,
    Evaluation,
    Positions,
    Sequences,
    glorot_linear,
)
from nsac_core.internals import Internals, Process
from nsac_core.options import check_counts, check_numbers
from nsac_core.ornstein_uhlenbeck import ou_moments
from nsac_core.pairs import Pairs
from nsac_core.wiring import DEFAULT_SEED

EPSILON = 1e-6
"""Least rate and volatility."""

LOGIT_VARIANCE_FLOOR = 1e-9
"""Keeps the gradient of a logit's standard deviation finite where its variance vanishes."""

LOG_STD_RANGE = (-10.0, 5.0)
"""Range of a predicted log standard deviation; a free one overflows float32 at 45."""


class NSAC(CircuitAttention):
    """Neuronal stochastic attention circuit with a Gaussian head.

    The backbone circuit gives each query-key pair a level phi, a rate kappa and a volatility psi;
    the logit is a draw from the Ornstein-Uhlenbeck process with these parameters. Several draws of
    one input differ, which is the epistemic uncertainty; the predicted ``log_std`` is the
    aleatoric one.

    Args:
        input_dim: Features of a token.
        output_dim: Number of predicted values.
        model_dim: Width of queries, keys and values, all heads together.
        heads: Number of heads; divides ``model_dim``.
        top_k: Keys a query attends to at most.
        sparsity: Share of synapses left out of the wiring, in [0.1, 0.9].
        activation: Non-linearity before the two heads.
        noise_scale: Standard deviation of the noise; 1 is the paper's.
        wiring_seed: Seed of the wiring.
        authors_mode: Run one step of the backbone from a zero state, as the published code does:
            phi, kappa and psi then are constants that no input moves.
        positions: What is predicted unless a call says otherwise: from the last query, from
            all, or from those behind the context.
        time_feature: Feature of a token that is its time stamp where a call gives none; without
            it, time stamps are 1.
        context: First tokens of a sequence that queries attend to, as where the others only ask
            what those tell; None for all.
    """

    def __init__(  # noqa: PLR0913 - the settings of one layer
        self,
        input_dim: int,
        output_dim: int,
        *,
        model_dim: int = 64,
        heads: int = 16,
        top_k: int = 8,
        sparsity: float = 0.5,
        activation: Activation = "sigmoid",
        noise_scale: float = 1.0,
        wiring_seed: int = DEFAULT_SEED,
        authors_mode: bool = False,
        positions: Positions = "last",
        time_feature: int | None = None,
        context: int | None = None,
    ) -> None:
        super().__init__(
            input_dim,
            output_dim,
            motors=3,
            model_dim=model_dim,
            heads=heads,
            top_k=top_k,
            sparsity=sparsity,
            activation=activation,
            wiring_seed=wiring_seed,
            authors_mode=authors_mode,
            positions=positions,
            time_feature=time_feature,
            context=context,
        )
        check_numbers(noise_scale=noise_scale)
        self.noise_scale = noise_scale
        self.out_projection = glorot_linear(model_dim, 2 * model_dim)
        self.mean_head = glorot_linear(model_dim, output_dim)
        self.log_std_head = glorot_linear(model_dim, output_dim)

    def forward(
        self,
        x: Sequences,
        times: Tensor | None = None,
        key_mask: Tensor | None = None,
        n_samples: int = 1,
        positions: Positions | None = None,
        chunk: int | Literal["auto"] = "auto",
        generator: torch.Generator | None = None,
        return_internals: bool = False,
    ) -> tuple[Tensor, Tensor] | tuple[Tensor, Tensor, Internals]:
        """Predicts from sequences.

        Args:
            x: Tokens ``(batch, time, input_dim)``, or queries, keys and values apart.
            times: Time stamps of the queries, a scalar, ``(time,)`` or ``(batch, time)``; without
                them ``time_feature`` of the tokens, or 1.
            key_mask: True for keys that exist, bool ``(batch, time)``. Masked keys count as
                absent; a row without any attends to nothing (zeros).
            n_samples: Draws of the noise.
            positions: ``"last"`` predicts from the last query only (the last that exists, for one
                masked sequence), ``"all"`` from every query.
            chunk: Queries evaluated together. The noise of a draw depends on it.
            generator: Source of the noise.
            return_internals: Whether to return the internals of this very pass as well.

        Returns:
            mean and log standard deviation (in [-10, 5]), float32
            ``(samples, batch[, time], output_dim)``, and the internals if asked for.

        Raises:
            ValueError: If a shape or an option does not fit.
        """
        check_counts(n_samples=n_samples)
        if (x if isinstance(x, Tensor) else x[1]).shape[1:2] == (1,):
            warnings.warn(
                "a sequence of length 1 leaves the softmax one key of weight 1: the noise cancels "
                "and the epistemic variance is exactly 0; feed a sequence of tokens",
                stacklevel=4,
            )
        by = partial(self._evaluate, n_samples=n_samples, generator=generator)
        return self.evaluate(x, times, key_mask, positions, chunk, by, return_internals)

    def _evaluate(
        self,
        query: Tensor,
        pairs: Pairs,
        clock: Tensor,
        n_samples: int,
        generator: torch.Generator | None,
    ) -> Evaluation:
        process = self._process(query, pairs, clock)
        logits = self._draw(process, n_samples, generator)
        weights = pairs.attend(logits)
        return Evaluation(self._predict(pairs.mix(weights)), process, logits, weights)

    def _process(self, query: Tensor, pairs: Pairs, clock: Tensor) -> Process:
        firing = self.backbone(query, pairs.key)
        raw_phi, raw_kappa, raw_psi = firing.motor.float().movedim(-1, 0).contiguous()
        phi = torch.tanh(raw_phi)
        kappa = functional.softplus(raw_kappa) + EPSILON
        psi = functional.softplus(raw_psi) + EPSILON
        time = self.elapsed(query, pairs.key, clock)
        mean, variance = ou_moments(phi, kappa, psi, time)
        std = variance.clamp_min(LOGIT_VARIANCE_FLOOR).sqrt()
        return Process(phi, kappa, psi, time, mean, std, firing)

    def _draw(self, process: Process, n_samples: int, generator: torch.Generator | None) -> Tensor:
        """Logits of each draw, ``(chosen, samples, batch, heads, query)``."""
        mean, std = process.ou_mean.unsqueeze(1), process.ou_std.unsqueeze(1)
        shape = (mean.shape[0], n_samples, *mean.shape[2:])
        noise = torch.randn(shape, generator=generator, device=mean.device, dtype=mean.dtype)
        return torch.addcmul(mean, std, noise, value=self.noise_scale)

    def _predict(self, attended: Tensor) -> tuple[Tensor, Tensor]:
        """Mean and log standard deviation, float32, of ``(..., model_dim)``."""
        hidden = ACTIVATIONS[self.activation](self.out_projection(attended))
        of_mean, of_std = hidden.chunk(2, dim=-1)
        log_std = self.log_std_head(of_std).float().clamp(*LOG_STD_RANGE)
        return self.mean_head(of_mean).float(), log_std

    def extra_repr(self) -> str:
        """Sizes, for ``print``."""
        return f"{super().extra_repr()}, noise_scale={self.noise_scale}"
