"""The NAC layer: attention whose logits follow a linear differential equation without noise."""

from typing import Literal, get_args

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
from nsac_core.options import check_choices, check_counts, check_flags, check_numbers
from nsac_core.ornstein_uhlenbeck import relative_growth
from nsac_core.pairs import Pairs
from nsac_core.wiring import DEFAULT_SEED

Mode = Literal["exact", "euler", "steady"]

EPSILON = 1e-6
"""Least rate of decay."""


class NAC(CircuitAttention):
    """Neuronal attention circuit: the deterministic layer under the baselines.

    The backbone circuit gives each query-key pair one potential r, hence a drive ``phi =
    sigmoid(r)`` and a rate of decay ``tau = softplus(r) + 1e-6``; the logit is the solution of
    ``da/dt = phi - tau a``, ``a(0) = 0``, at the time of the pair.

    Args:
        input_dim: Features of a token.
        output_dim: Number of features it returns.
        model_dim: Width of queries, keys and values, all heads together.
        heads: Number of heads; divides ``model_dim``.
        top_k: Keys a query attends to at most.
        sparsity: Share of synapses left out of the wiring, in [0.1, 0.9].
        activation: Non-linearity of the returned features.
        mode: ``"exact"`` takes the solution in closed form, ``"steady"`` its limit ``phi / tau``,
            ``"euler"`` goes ``euler_steps`` steps of ``euler_step`` whatever the time of the pair.
        riemann: Whether each value is weighted by the time of its pair as well, as in a Riemann
            sum over time.
        euler_steps: Number of Euler steps.
        euler_step: Length of an Euler step.
        wiring_seed: Seed of the wiring.
        authors_mode: Run one step of the backbone from a zero state, as the published code does:
            phi and tau then are constants that no input moves.
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
        mode: Mode = "exact",
        riemann: bool = True,
        euler_steps: int = 5,
        euler_step: float = 0.5,
        wiring_seed: int = DEFAULT_SEED,
        authors_mode: bool = False,
        positions: Positions = "last",
        time_feature: int | None = None,
        context: int | None = None,
    ) -> None:
        super().__init__(
            input_dim,
            output_dim,
            motors=1,
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
        check_choices(get_args(Mode), mode=mode)
        check_flags(riemann=riemann)
        check_counts(euler_steps=euler_steps)
        check_numbers(euler_step=euler_step)
        if euler_step <= 0:
            raise ValueError(f"euler_step must be above 0, got {euler_step}")
        self.mode, self.riemann = mode, riemann
        self.euler_steps, self.euler_step = euler_steps, euler_step
        self.feature_head = glorot_linear(model_dim, output_dim)

    def forward(
        self,
        x: Sequences,
        times: Tensor | None = None,
        key_mask: Tensor | None = None,
        positions: Positions | None = None,
        chunk: int | Literal["auto"] = "auto",
        return_internals: bool = False,
    ) -> Tensor | tuple[Tensor, Internals]:
        """Turns sequences into features.

        Args:
            x: Tokens ``(batch, time, input_dim)``, or queries, keys and values apart.
            times: Time stamps of the queries, a scalar, ``(time,)`` or ``(batch, time)``; without
                them ``time_feature`` of the tokens, or 1.
            key_mask: True for keys that exist, bool ``(batch, time)``. Masked keys count as
                absent; a row without any attends to nothing (zeros).
            positions: ``"last"`` evaluates the last query only (the last that exists, for one
                masked sequence), ``"all"`` every query.
            chunk: Queries evaluated together.
            return_internals: Whether to return the internals of this very pass as well.

        Returns:
            Features ``(batch[, time], output_dim)``, and the internals if asked for.

        Raises:
            ValueError: If a shape or an option does not fit.
        """
        results = self.evaluate(
            x, times, key_mask, positions, chunk, self._evaluate, return_internals
        )
        return results if return_internals else results[0]

    def _evaluate(self, query: Tensor, pairs: Pairs, clock: Tensor) -> Evaluation:
        process = self._process(query, pairs, clock)
        logits = process.ou_mean.unsqueeze(1)
        weights = pairs.attend(logits)
        mixed = pairs.mix(weights * process.time.unsqueeze(1) if self.riemann else weights)
        features = ACTIVATIONS[self.activation](self.feature_head(mixed.squeeze(0)))
        return Evaluation((features,), process, logits, weights)

    def _process(self, query: Tensor, pairs: Pairs, clock: Tensor) -> Process:
        firing = self.backbone(query, pairs.key)
        raw = firing.motor.float().squeeze(-1)
        phi, tau = torch.sigmoid(raw), functional.softplus(raw) + EPSILON
        time = self.elapsed(query, pairs.key, clock)
        still = torch.zeros_like(phi)
        return Process(phi, tau, still, time, self._solution(phi, tau, time), still, firing)

    def _solution(self, phi: Tensor, tau: Tensor, time: Tensor) -> Tensor:
        """Logits, the shape of the arguments."""
        if self.mode == "steady":
            return phi / tau
        if self.mode == "exact":
            return phi * time * relative_growth(tau * time)
        logit = torch.zeros_like(phi)
        for _ in range(self.euler_steps):
            logit = logit + self.euler_step * (phi - tau * logit)
        return logit

    def extra_repr(self) -> str:
        """Sizes and options, for ``print``."""
        return f"{super().extra_repr()}, mode={self.mode}, riemann={self.riemann}"
