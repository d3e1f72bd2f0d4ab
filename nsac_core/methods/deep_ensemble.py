"""An ensemble of Gaussian networks, trained and evaluated as one module."""

from typing import Any

import torch
from torch import Tensor, nn

from nsac_core.methods.gaussian import gaussian_network, gaussian_nll
from nsac_core.methods.protocol import Method, Prediction, check_targets, floored_variance
from nsac_core.methods.stacked import reinitialised, run_each, run_together, stacked
from nsac_core.options import check_counts


class DeepEnsemble(Method):
    """Deep ensemble (Lakshminarayanan et al. 2017): members of the same form, fresh weights each.

    Every parameter of the encoder and of the network has a first axis of members. The loss is the
    sum of the members' losses and gradients are clipped member by member, so that each one trains
    as it would alone. The attention layers of all members run as one batched module.

    The tokens of ``encode`` hold the features of all members side by side, ``(batch, time, members
    * token_dim)``, or are those of the encoder itself where it has no weights.

    Args:
        encoder: From input to tokens ``(batch, time, token_dim)``; the first member keeps its
            weights, the others draw theirs by ``reset_parameters`` of its modules.
        token_dim: Features of a token of one member.
        output_dim: Number of predicted values.
        n_samples: Ignored, for the members are what is averaged.
        members: Number of members.
        layer: Options of the ``NAC`` layer.

    Raises:
        ValueError: If there is no member, or a module of the encoder cannot draw fresh weights.
    """

    def __init__(
        self,
        encoder: nn.Module,
        token_dim: int,
        output_dim: int,
        *,
        n_samples: int = 5,
        members: int = 3,
        **layer: Any,  # noqa: ANN401 - passed on
    ) -> None:
        check_counts(members=members)
        fresh = [reinitialised(encoder) for _ in range(members - 1)]
        super().__init__(stacked([encoder, *fresh]), n_samples)
        self.members, self.token_dim = members, token_dim
        self.network = stacked(
            [gaussian_network(token_dim, output_dim, **layer) for _ in range(members)]
        )
        self._one_encoder = not encoder.state_dict()

    def encode(self, x: Tensor, function: str = "forward") -> Tensor:
        """Tokens of raw inputs, the features of all members side by side."""
        if self._one_encoder:
            return super().encode(x, function)
        each = run_each(self.encoder, self.scale(x), function)
        return each.movedim(0, -2).flatten(-2)

    def moments(self, tokens: Tensor) -> tuple[Tensor, Tensor]:
        """Mean and log standard deviation of each member, ``(members, batch, out)``.

        Args:
            tokens: As ``encode`` gives them.
        """
        if not self._one_encoder:
            own = tokens.reshape(*tokens.shape[:-1], self.members, self.token_dim)
            tokens = own.movedim(-2, 0)
        return run_together(self.network, tokens, shared=self._one_encoder)

    def predict_tokens(
        self,
        tokens: Tensor,
        n_samples: int | None = None,  # noqa: ARG002 - nothing is drawn
        generator: torch.Generator | None = None,  # noqa: ARG002
    ) -> Prediction:
        """Moments over the members."""
        return Prediction.from_samples(*self.moments(tokens))

    def loss(
        self,
        x: Tensor,
        y: Tensor,
        generator: torch.Generator | None = None,  # noqa: ARG002
    ) -> Tensor:
        """Sum of the members' negative log-likelihoods."""
        mean, log_std = self.moments(self.encode(x))
        check_targets(mean[0], y)
        likelihood = gaussian_nll(mean, floored_variance(log_std), y)
        self.loss_terms = {"nll": likelihood.detach()}
        return self.members * likelihood

    def clip_gradients(self, limit: float | None) -> None:
        """Limits the norm of each member's gradient."""
        if limit is None:
            return
        gradients = [p.grad for p in self.parameters() if p.grad is not None]
        squares = [gradient.flatten(1).square().sum(1) for gradient in gradients]
        norms = torch.stack(squares).sum(0).sqrt()
        factors = (limit / (norms + 1e-6)).clamp(max=1.0)
        for gradient in gradients:
            gradient.mul_(factors.view(-1, *[1] * (gradient.ndim - 1)))
