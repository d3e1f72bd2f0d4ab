import math

import pytest
import torch
from torch import Tensor, nn

from nsac_core import methods
from nsac_core.methods import NSACMethod, Prediction
from nsac_core.methods.protocol import VARIANCE_FLOOR


def method(encoder: nn.Module | None = None, **options: object) -> NSACMethod:
    torch.manual_seed(0)
    layer = {"model_dim": 16, "heads": 4}
    built = methods.build("nsac", encoder or nn.Identity(), 3, 2, **layer, **options)
    assert isinstance(built, NSACMethod)
    return built


def batch(rows: int = 8) -> tuple[Tensor, Tensor]:
    generator = torch.Generator().manual_seed(1)
    return torch.randn(rows, 5, 3, generator=generator), torch.randn(rows, 2, generator=generator)


def seeded(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


class Recorder(nn.Module):
    """An identity that keeps what it was given."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[Tensor] = []

    def forward(self, x: Tensor) -> Tensor:
        self.seen.append(x)
        return x


def test_prediction_splits_the_variance_of_the_draws() -> None:
    nsac, (x, _) = method(), batch()
    prediction = nsac.predict(x, n_samples=50, generator=seeded())
    mean, log_std = nsac.layer(x, n_samples=50, generator=seeded())
    draws = mean.detach().numpy()
    torch.testing.assert_close(prediction.mean, mean.mean(0))
    torch.testing.assert_close(prediction.epistemic, torch.from_numpy(draws.var(0)))
    expected = log_std.exp().square().mean(0) + VARIANCE_FLOOR
    torch.testing.assert_close(prediction.aleatoric, expected)


def test_tokens_spare_the_encoder() -> None:
    nsac = method(nn.Linear(4, 3))
    x = torch.randn(6, 5, 4)
    whole = nsac.predict(x, generator=seeded())
    from_tokens = nsac.predict_tokens(nsac.encode(x), generator=seeded())
    assert torch.equal(whole.mean, from_tokens.mean)


def test_loss_is_the_paper_objective() -> None:
    recorder = Recorder()
    nsac, (x, y) = method(recorder, n_samples=4, lambda_reg=0.7), batch()
    loss = nsac.loss(x, y, generator=seeded())
    inside, outside = recorder.seen
    assert torch.equal(inside, x)
    # the layer's noise continues the generator after the perturbation's draws
    generator = seeded()
    torch.randn(x.shape, generator=generator)
    mean, log_std = nsac.layer(torch.cat([inside, outside]), n_samples=4, generator=generator)
    v = log_std[:, :8].exp().square().mean(0) + 1e-6
    m = mean[:, :8].mean(0)
    nll = 0.5 * (math.log(2 * math.pi) + v.log() + (y - m) ** 2 / v).mean()
    v_id, v_ood = (part.var(0, unbiased=False).mean() for part in mean.split(8, dim=1))
    regulariser = torch.log(1 + v_id / (v_ood + 1e-3))
    torch.testing.assert_close(loss, nll + 0.7 * regulariser)
    torch.testing.assert_close(nsac.loss_terms["regulariser"], regulariser.detach())


def test_the_same_variance_floor_in_loss_and_prediction() -> None:
    nsac, (x, _) = method(lambda_reg=0.0, n_samples=1), batch()
    with torch.no_grad():
        nsac.layer.log_std_head.bias.fill_(-50.0)
    with torch.no_grad():
        prediction = nsac.predict(x, generator=seeded())
    torch.testing.assert_close(
        prediction.aleatoric, torch.full((8, 2), 1e-6 + math.exp(-20)), rtol=1e-5, atol=0
    )
    loss = nsac.loss(x, prediction.mean.detach(), generator=seeded())
    variance = float(prediction.aleatoric[0, 0])
    assert loss.item() == pytest.approx(0.5 * math.log(2 * math.pi * variance), rel=1e-5)


def test_per_pass_likelihood_scores_each_draw() -> None:
    nsac, (x, y) = method(lambda_reg=0.0, n_samples=3, likelihood="per_pass"), batch()
    loss = nsac.loss(x, y, generator=seeded())
    mean, log_std = nsac.layer(x, n_samples=3, generator=seeded())
    variance = log_std.exp() ** 2 + 1e-6
    expected = nn.functional.gaussian_nll_loss(
        mean, y.expand_as(mean), variance, full=True, eps=1e-12
    )
    torch.testing.assert_close(loss, expected)


def test_inputs_are_perturbed_after_scaling_and_only_a_share() -> None:
    class Pixels(Recorder):
        def scale(self, x: Tensor) -> Tensor:
            return x.float() / 255

    encoder = Pixels()
    nsac = method(encoder, ood_share=0.25, ood_mean=3.0, ood_std=0.5)
    x = torch.randint(0, 256, (400, 5, 3), generator=seeded(), dtype=torch.uint8)
    nsac.loss(x, torch.zeros(400, 2), generator=seeded())
    inside, outside = encoder.seen
    assert inside.max() <= 1
    assert outside.shape == (100, 5, 3)
    shift = outside - inside[:100]
    assert shift.mean().item() == pytest.approx(3.0, abs=0.05)
    assert shift.std().item() == pytest.approx(0.5, abs=0.03)


def test_no_regulariser_no_perturbed_pass() -> None:
    encoder = Recorder()
    nsac, (x, y) = method(encoder, lambda_reg=0.0), batch()
    nsac.loss(x, y, generator=seeded())
    assert len(encoder.seen) == 1


def test_perturbed_inputs_leave_batch_normalisation_alone() -> None:
    class Encoder(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.norm = nn.BatchNorm1d(3)

        def forward(self, x: Tensor) -> Tensor:
            out: Tensor = self.norm(x.flatten(0, 1)).view_as(x)
            return out

    encoder, plain = Encoder(), Encoder()
    nsac, (x, y) = method(encoder, ood_std=50.0).train(), batch()
    nsac.loss(x, y, generator=seeded())
    plain(x)
    torch.testing.assert_close(encoder.norm.running_var, plain.norm.running_var)
    assert encoder.norm.training


@pytest.mark.parametrize("shape", [(8,), (8, 1), (1, 2)])
def test_targets_that_would_broadcast_are_refused(shape: tuple[int, ...]) -> None:
    """The published Boston and Kin8nm figures are those of a constant predictor for this reason."""
    nsac, (x, _) = method(), batch()
    with pytest.raises(ValueError, match=r"targets must be \(8, 2\)"):
        nsac.loss(x, torch.zeros(shape))


def test_the_same_generator_gives_the_same_loss() -> None:
    nsac, (x, y) = method(), batch()
    assert nsac.loss(x, y, seeded(4)) == nsac.loss(x, y, seeded(4))
    assert nsac.loss(x, y, seeded(4)) != nsac.loss(x, y, seeded(5))


def test_unscaled_integers_are_refused() -> None:
    class Floats(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return x.float()

    with pytest.raises(ValueError, match="must be floating point to be perturbed"):
        method(Floats()).loss(torch.zeros(2, 5, 3, dtype=torch.uint8), torch.zeros(2, 2))


def test_an_unknown_method_names_those_there_are() -> None:
    with pytest.raises(ValueError, match=r"'nsca'; did you mean nsac\? there are .*nsac"):
        methods.build("nsca", nn.Identity())


def test_joined_predictions_keep_their_order() -> None:
    parts = [Prediction(*torch.rand(3, rows, 2)) for rows in (3, 1, 4)]
    joined = Prediction.joined(parts)
    assert torch.equal(joined.mean[3:4], parts[1].mean)
    assert joined.epistemic.shape == (8, 2)
