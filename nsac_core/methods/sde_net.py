"""A network whose hidden state follows a stochastic differential equation."""

import math
from typing import Any, Literal

import torch
from torch import Tensor, nn
from torch.func import functional_call
from torch.nn.functional import binary_cross_entropy_with_logits, softplus

from nsac_core.methods.gaussian import gaussian_nll
from nsac_core.methods.perturbation import Perturbation
from nsac_core.methods.protocol import Method, Prediction, check_targets, floored_variance
from nsac_core.options import check_counts, check_numbers

_TIME = 4.0
"""Length of the integration, whatever the number of layers."""

_LEAST_STD = 1e-3


class SDENet(Method):
    """SDE-Net (Kong et al. 2020): a drift network fits, a diffusion network knows what is unknown.

    The hidden state starts at ``x0``, a dense layer over the tokens, and goes ``layers``
    Euler-Maruyama steps of ``x + f(x) dt + max_diffusion g(x0) sqrt(dt) noise``. The Gaussian
    likelihood trains everything but g; g learns to be 0 on the inputs and 1 on perturbed ones by
    cross-entropy, from features that pass no gradient back. Training makes one pass.

    Args:
        encoder: From input to tokens ``(batch, time, token_dim)``; the likelihood trains it.
        token_dim: Features of a token.
        output_dim: Number of predicted values.
        n_tokens: Tokens of an input, which the dense layer reads all, or ``"last"``: it reads the
            last token alone, as is usual for the tokens of consecutive frames; or ``"each"``: it
            reads and predicts every token for itself.
        n_samples: Passes in prediction.
        hidden: Width of the state; g is twice as wide.
        layers: Euler-Maruyama steps; together they always cover a time of 4.
        max_diffusion: Diffusion where g is 1.
        ood_mean: Mean of the perturbation of the (scaled) inputs.
        ood_std: Standard deviation of the perturbation.
        ood_share: Share of a batch that is perturbed, in (0, 1]: less is cheaper.
        diffusion_rate: Learning rate of g as a multiple of that of the rest.
        gradient_clip: Largest norm of the gradient of g, and of that of the rest.

    Raises:
        ValueError: If an option is out of its range.
    """

    def __init__(  # noqa: PLR0913 - the settings of one method
        self,
        encoder: nn.Module,
        token_dim: int,
        output_dim: int,
        *,
        n_tokens: int | Literal["last", "each"],
        n_samples: int = 5,
        hidden: int = 64,
        layers: int = 6,
        max_diffusion: float = 0.5,
        ood_mean: float = 0.0,
        ood_std: float = 5.0,
        ood_share: float = 1.0,
        diffusion_rate: float = 10.0,
        gradient_clip: float = 100.0,
    ) -> None:
        super().__init__(encoder, n_samples)
        if n_tokens not in ("last", "each") and (not isinstance(n_tokens, int) or n_tokens < 1):
            raise ValueError(f"n_tokens must be 'last', 'each' or at least 1, got {n_tokens!r}")
        check_counts(hidden=hidden, layers=layers)
        check_numbers(max_diffusion=max_diffusion, diffusion_rate=diffusion_rate)
        check_numbers(gradient_clip=gradient_clip)
        self.perturbation = Perturbation(ood_mean, ood_std, ood_share)
        self.n_tokens, self.layers, self.max_diffusion = n_tokens, layers, max_diffusion
        self.diffusion_rate, self.gradient_clip = diffusion_rate, gradient_clip
        read = 1 if isinstance(n_tokens, str) else n_tokens
        self.inlet = nn.Linear(read * token_dim, hidden)
        self.drift = nn.Sequential(nn.Linear(hidden, hidden), nn.ReLU())
        # Its output is a logit: g is the sigmoid of it.
        self.diffusion = nn.Sequential(
            nn.Linear(hidden, 2 * hidden), nn.ReLU(), nn.Linear(2 * hidden, 1)
        )
        self.head = nn.Sequential(nn.ReLU(), nn.Linear(hidden, 2 * output_dim))

    def predict_tokens(
        self,
        tokens: Tensor,
        n_samples: int | None = None,
        generator: torch.Generator | None = None,
    ) -> Prediction:
        """Moments over ``n_samples`` passes."""
        samples = self.n_samples if n_samples is None else n_samples
        return Prediction.from_samples(*self._passes(self._start(tokens), samples, generator))

    def loss(self, x: Tensor, y: Tensor, generator: torch.Generator | None = None) -> Tensor:
        """Likelihood of one pass, and cross-entropy of g."""
        x = self.scale(x)
        start = self._start(self.encoder(x))
        mean, log_std = (part[0] for part in self._passes(start, 1, generator))
        check_targets(mean, y)
        likelihood = gaussian_nll(mean, floored_variance(log_std), y)
        with torch.no_grad():
            outside = self._start(self.perturbation.tokens(self.encoder, x, generator))
        logits = self.diffusion(torch.cat([start.detach(), outside])).float()
        known, unknown = logits[: len(start)], logits[len(start) :]
        entropy = binary_cross_entropy_with_logits(
            known, torch.zeros_like(known)
        ) + binary_cross_entropy_with_logits(unknown, torch.ones_like(unknown))
        self.loss_terms = {
            "nll": likelihood.detach(),
            "diffusion": entropy.detach(),
            "diffusion_id": known.detach().sigmoid().mean(),
            "diffusion_ood": unknown.detach().sigmoid().mean(),
        }
        return likelihood + entropy

    def parameter_groups(self, learning_rate: float) -> list[dict[str, Any]]:
        """The network at the given rate, g at a multiple of it."""
        network, diffusion = self._parts()
        return [
            {"params": network, "lr": learning_rate},
            {"params": diffusion, "lr": self.diffusion_rate * learning_rate},
        ]

    def clip_gradients(self, limit: float | None) -> None:
        """Limits the norms of both gradients, to ``gradient_clip`` at the most."""
        limit = self.gradient_clip if limit is None else min(limit, self.gradient_clip)
        for part in self._parts():
            torch.nn.utils.clip_grad_norm_(part, limit)

    def _parts(self) -> tuple[list[nn.Parameter], list[nn.Parameter]]:
        """Trained parameters of the network and of g."""
        diffusion = [p for p in self.diffusion.parameters() if p.requires_grad]
        own = {id(parameter) for parameter in diffusion}
        return [p for p in self.parameters() if p.requires_grad and id(p) not in own], diffusion

    def _start(self, tokens: Tensor) -> Tensor:
        """The state before the first step, ``(batch[, time], hidden)``."""
        if self.n_tokens == "each":
            each: Tensor = self.inlet(tokens)
            return each
        if self.n_tokens == "last":
            tokens = tokens[:, -1:]
        elif tokens.shape[1] != self.n_tokens:
            raise ValueError(f"expected {self.n_tokens} tokens, got {tokens.shape[1]}")
        start: Tensor = self.inlet(tokens.flatten(1))
        return start

    def _passes(
        self, start: Tensor, samples: int, generator: torch.Generator | None
    ) -> tuple[Tensor, Tensor]:
        """Mean and log standard deviation of passes, float32 ``(samples, batch[, time], out)``."""
        check_counts(n_samples=samples)
        step = _TIME / self.layers
        # The likelihood does not train g, but does train what lies before it.
        frozen = {name: value.detach() for name, value in self.diffusion.named_parameters()}
        diffusion = functional_call(self.diffusion, frozen, start).float().sigmoid()
        spread = self.max_diffusion * math.sqrt(step) * diffusion
        state = start.float().expand(samples, *start.shape)
        for _ in range(self.layers):
            noise = torch.randn(state.shape, generator=generator, device=state.device)
            state = state + self.drift(state).float() * step + spread * noise
        mean, raw = self.head(state).float().chunk(2, dim=-1)
        return mean, (softplus(raw) + _LEAST_STD).log()
