"""Training and prediction with the stochastic attention layer."""

from typing import Any, Literal

import torch
from torch import Tensor, nn

from nsac_core.attention import NSAC
from nsac_core.methods.gaussian import gaussian_nll
from nsac_core.methods.perturbation import Perturbation
from nsac_core.methods.protocol import Method, Prediction, aleatoric_variance, check_targets
from nsac_core.options import check_choices, check_numbers

_EPSILON = 1e-3

LAMBDA_REG = 0.5
"""Weight of the regulariser, as in the paper's code."""


class NSACMethod(Method):
    """An encoder under an NSAC layer.

    The loss is the Gaussian likelihood of the sampled predictions plus ``lambda_reg`` times
    ``log(1 + V_id / (V_ood + 1e-3))``, which wants the epistemic variance of the inputs small
    against that of perturbed inputs.

    Args:
        encoder: From input to tokens ``(batch, time, token_dim)``.
        token_dim: Features of a token.
        output_dim: Number of predicted values.
        n_samples: Draws of the noise, in training and in prediction.
        lambda_reg: Weight of the regulariser; 0 skips the perturbed pass.
        ood_mean: Mean of the perturbation of the (scaled) inputs.
        ood_std: Standard deviation of the perturbation.
        ood_share: Share of a batch that is perturbed, in (0, 1]: less is cheaper.
        likelihood: ``"predictive"`` scores the mean of the draws with their mean variance,
            ``"per_pass"`` scores each draw and takes the mean.
        beta: How far the likelihood is weighed by the variance, from 0 (not at all) to 1.
        layer: Options of the ``NSAC`` layer.
    """

    def __init__(  # noqa: PLR0913 - the settings of one method
        self,
        encoder: nn.Module,
        token_dim: int,
        output_dim: int,
        *,
        n_samples: int = 5,
        lambda_reg: float = LAMBDA_REG,
        ood_mean: float = 0.0,
        ood_std: float = 5.0,
        ood_share: float = 1.0,
        likelihood: Literal["predictive", "per_pass"] = "predictive",
        beta: float = 0.0,
        **layer: Any,  # noqa: ANN401 - passed on
    ) -> None:
        super().__init__(encoder, n_samples)
        check_numbers(lambda_reg=lambda_reg)
        check_numbers(0.0, 1.0, beta=beta)
        check_choices(("predictive", "per_pass"), likelihood=likelihood)
        self.perturbation = Perturbation(ood_mean, ood_std, ood_share)
        self.layer = NSAC(token_dim, output_dim, **layer)
        self.lambda_reg, self.likelihood, self.beta = lambda_reg, likelihood, beta

    def predict_tokens(
        self,
        tokens: Tensor,
        n_samples: int | None = None,
        generator: torch.Generator | None = None,
    ) -> Prediction:
        """Moments over ``n_samples`` draws."""
        samples = self.n_samples if n_samples is None else n_samples
        mean, log_std = self.layer(tokens, n_samples=samples, generator=generator)
        return Prediction.from_samples(mean, log_std)

    def loss(self, x: Tensor, y: Tensor, generator: torch.Generator | None = None) -> Tensor:
        """Likelihood and regulariser; inputs and perturbed inputs share one pass of the layer."""
        x = self.scale(x)
        tokens = self.encoder(x)
        batch = len(tokens)
        if self.lambda_reg:
            perturbed = self.perturbation.tokens(self.encoder, x, generator)
            tokens = torch.cat([tokens, perturbed])
        mean, log_std = self.layer(tokens, n_samples=self.n_samples, generator=generator)
        check_targets(mean[0, :batch], y)
        likelihood = self._negative_log_likelihood(mean[:, :batch], log_std[:, :batch], y)
        if not self.lambda_reg:
            self.loss_terms = {"nll": likelihood.detach()}
            return likelihood
        inside, outside = (_epistemic(part) for part in (mean[:, :batch], mean[:, batch:]))
        regulariser = torch.log1p(inside / (outside + _EPSILON))
        self.loss_terms = {
            "nll": likelihood.detach(),
            "regulariser": regulariser.detach(),
            "epistemic_id": inside.detach(),
            "epistemic_ood": outside.detach(),
        }
        return likelihood + self.lambda_reg * regulariser

    def _negative_log_likelihood(self, mean: Tensor, log_std: Tensor, y: Tensor) -> Tensor:
        if self.likelihood == "per_pass":
            draws = zip(mean, log_std, strict=True)
            each = [gaussian_nll(m, aleatoric_variance(s[None]), y, self.beta) for m, s in draws]
            return torch.stack(each).mean()
        return gaussian_nll(mean.mean(0), aleatoric_variance(log_std), y, self.beta)


def _epistemic(mean: Tensor) -> Tensor:
    """Variance over draws, mean over batch and outputs, of ``(samples, batch, out)``."""
    return mean.var(0, correction=0).mean()
