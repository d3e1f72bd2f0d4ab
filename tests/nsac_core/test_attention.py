import math
import warnings

import pytest
import torch
from torch import Tensor

from nsac_core import NSAC


def layer(**options: object) -> NSAC:
    torch.manual_seed(0)
    settings: dict[str, object] = {"model_dim": 16, "heads": 4, **options}
    return NSAC(3, 2, **settings)  # type: ignore[arg-type]


def tokens(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def seeded(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


@pytest.mark.parametrize("time", [4, 30])
def test_shapes(time: int) -> None:
    nsac, x = layer(), tokens(5, time, 3)
    mean, log_std = nsac(x, n_samples=7)
    assert mean.shape == log_std.shape == (7, 5, 2)
    mean, log_std = nsac(x, n_samples=7, positions="all")
    assert mean.shape == log_std.shape == (7, 5, time, 2)


def test_output_follows_the_definition() -> None:
    """The layer's equations written out for one query, from its own phi, kappa, psi and time."""
    nsac = layer(noise_scale=0.0, activation="tanh")
    x = tokens(1, 30, 3)
    mean, log_std, inner = nsac(x, return_internals=True)
    attended = []
    for head in range(4):
        kappa, time = inner.kappa[0, head, 0], inner.time[0, head, 0]
        logits = inner.phi[0, head, 0] * (1 - torch.exp(-kappa * time))
        weights = torch.exp(logits) / torch.exp(logits).sum()
        value = nsac.value_gate(x[0, inner.key_index[0, head, 0]])[:, 4 * head : 4 * head + 4]
        attended.append(weights @ value)
    hidden = torch.tanh(nsac.out_projection(torch.cat(attended)))
    torch.testing.assert_close(mean[0, 0], nsac.mean_head(hidden[:16]))
    torch.testing.assert_close(log_std[0, 0], nsac.log_std_head(hidden[16:]))


def test_gate_ranges_and_dependence_on_the_input() -> None:
    """In the published code phi, kappa and psi are constants."""
    _, _, inner = layer()(tokens(6, 30, 3), return_internals=True)
    assert inner.phi.abs().max() < 1
    assert (inner.kappa > 0).all()
    assert (inner.psi > 0).all()
    assert ((inner.time > 0) & (inner.time < 1)).all()
    for gate in (inner.phi, inner.kappa, inner.psi):
        assert gate.std() > 1e-2


def test_logits_are_distributed_as_the_moments_say() -> None:
    x = tokens(2, 5, 3)
    _, _, inner = layer()(x, n_samples=40_000, generator=seeded(), return_internals=True)
    error = 5 * inner.ou_std / 200
    assert ((inner.logits.mean(0) - inner.ou_mean).abs() < error).all()
    torch.testing.assert_close(inner.logits.std(0), inner.ou_std, rtol=0.03, atol=0)


def test_epistemic_variance_scales_with_the_square_of_small_noise() -> None:
    x = tokens(4, 5, 3)
    spread = [
        layer(noise_scale=scale)(x, n_samples=4000, generator=seeded())[0].var(0)
        for scale in (0.01, 0.001)
    ]
    torch.testing.assert_close(spread[0] / spread[1], torch.full((4, 2), 100.0), rtol=0.05, atol=0)


def test_a_sequence_of_one_warns_and_has_no_epistemic_variance() -> None:
    with pytest.warns(UserWarning, match="epistemic variance is exactly 0"):
        mean, _ = layer()(tokens(3, 1, 3), n_samples=6)
    assert torch.equal(mean, mean[:1].expand_as(mean))


def test_the_warning_about_one_token_points_at_the_caller() -> None:
    with pytest.warns(UserWarning, match="length 1") as caught:
        layer()(tokens(3, 1, 3))
    assert caught[0].filename == __file__


def test_longer_sequences_do_not_warn_and_do_vary() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mean, _ = layer()(tokens(3, 2, 3), n_samples=6)
    assert (mean.var(0) > 0).all()


@pytest.mark.parametrize("time", [6, 24])
def test_masked_keys_get_no_weight(time: int) -> None:
    """The published code multiplies logits by the mask: half masked keeps 0.485 of the mass."""
    nsac, x = layer(), tokens(3, time, 3)
    mask = torch.arange(time).expand(3, -1) % 2 == 0
    _, _, inner = nsac(x, key_mask=mask, n_samples=3, return_internals=True)
    seen = mask.gather(1, inner.key_index.flatten(1)).view_as(inner.key_index)
    assert torch.equal(seen & inner.key_valid, inner.key_valid)
    assert (inner.weights * ~seen).abs().max() == 0
    torch.testing.assert_close(inner.weights.sum(-1), torch.ones(3, 3, 4, 1))
    assert torch.isneginf(inner.logits[:, ~inner.key_valid]).all()


@pytest.mark.parametrize("time", [6, 24])
def test_a_row_without_keys_attends_to_nothing_and_keeps_gradients_finite(time: int) -> None:
    nsac = layer()
    x = tokens(2, time, 3).requires_grad_()
    mask = torch.ones(2, time, dtype=torch.bool)
    mask[0] = False
    mean, log_std, inner = nsac(x, key_mask=mask, n_samples=2, return_internals=True)
    assert inner.weights[:, 0].abs().max() == 0
    hidden = torch.sigmoid(nsac.out_projection(torch.zeros(16)))
    torch.testing.assert_close(mean[0, 0], nsac.mean_head(hidden[:16]))
    (mean.square().sum() + log_std.sum()).backward()
    gradients = [x.grad, *(parameter.grad for parameter in nsac.parameters())]
    assert all(g is not None and g.isfinite().all() for g in gradients)


def test_times_move_the_process() -> None:
    nsac, x = layer(), tokens(2, 6, 3)
    ones = nsac(x, times=torch.ones(2, 6), return_internals=True)[2].time
    assert torch.equal(ones, nsac(x, return_internals=True)[2].time)
    assert torch.equal(ones, nsac(x, times=torch.tensor(1.0), return_internals=True)[2].time)
    clock = torch.tensor([0.0, 0.0, 0.0, 0.0, 0.0, 2.5])
    late = nsac(x, times=clock, return_internals=True)[2].time
    still = nsac(x, times=torch.tensor(0.0), return_internals=True)[2].time
    # logit(time) is linear in the clock
    torch.testing.assert_close(
        late.logit() - still.logit(), 2.5 * (ones.logit() - still.logit()), rtol=1e-4, atol=1e-5
    )


def test_the_generator_decides_the_noise() -> None:
    nsac, x = layer(), tokens(3, 5, 3)
    first, again, other = (nsac(x, n_samples=3, generator=seeded(s))[0] for s in (1, 1, 2))
    assert torch.equal(first, again)
    assert not torch.equal(first, other)


@pytest.mark.parametrize("time", [6, 24])
def test_gradient_reaches_every_parameter(time: int) -> None:
    """In the published code 85 to 92 % of the parameters get none."""
    nsac = NSAC(3, 2)
    mean, log_std = nsac(tokens(8, time, 3), times=torch.rand(time), n_samples=2, positions="all")
    (mean.square().sum() + log_std.square().sum()).backward()
    for name, parameter in nsac.named_parameters():
        assert parameter.grad is not None, name
        idle = (parameter.grad == 0) & ~_without_synapse(nsac, name, parameter)
        # The softmax does not see a logit shift, but phi's bias moves each logit by its own slope.
        assert not idle.any(), name


def _without_synapse(nsac: NSAC, name: str, parameter: Tensor) -> Tensor:
    module = nsac.get_submodule(name.rpartition(".")[0])
    mask: Tensor | None = getattr(module, "mask", None)
    if mask is None or not name.endswith("weight"):
        return torch.zeros_like(parameter, dtype=torch.bool)
    return mask.eq(0)


def test_gradients_stay_finite_where_the_process_has_no_time() -> None:
    nsac, x = layer(), tokens(4, 6, 3)
    with torch.no_grad():
        nsac.time_gate.bias.copy_(torch.tensor([0.0, -120.0]))  # time underflows to 0
        nsac.backbone.motor.bias[1] = -60.0  # kappa at its floor
    mean, log_std, inner = nsac(x, n_samples=3, return_internals=True)
    assert inner.time.max() < 1e-30
    (mean.sum() + log_std.sum()).backward()
    assert all(p.grad is not None and p.grad.isfinite().all() for p in nsac.parameters())


def test_log_std_is_clamped_so_that_variances_stay_finite() -> None:
    nsac, x = layer(), tokens(2, 4, 3)
    for bias, limit in ((50.0, 5.0), (-50.0, -10.0)):
        with torch.no_grad():
            nsac.log_std_head.bias.fill_(bias)
        _, log_std = nsac(x)
        assert torch.equal(log_std, torch.full_like(log_std, limit))
        assert (2 * log_std).exp().isfinite().all()


def test_autocast_selects_the_same_keys_and_returns_float32() -> None:
    nsac, x = NSAC(3, 2), tokens(4, 200, 3)
    exact = nsac(x, positions="all", return_internals=True)
    with torch.autocast("cpu", torch.bfloat16):
        mean, log_std, inner = nsac(x, positions="all", return_internals=True)
    assert torch.equal(inner.key_index, exact[2].key_index)
    assert mean.dtype == log_std.dtype == inner.ou_mean.dtype == torch.float32
    torch.testing.assert_close(inner.ou_std, exact[2].ou_std, rtol=0.05, atol=0.01)


@pytest.mark.parametrize("scale", [-1.0, float("nan"), float("inf"), "1"])
def test_a_noise_that_cannot_be_is_refused(scale: float) -> None:
    with pytest.raises(ValueError, match="noise_scale must be a finite number from 0, got"):
        NSAC(3, 1, noise_scale=scale)


def test_no_draw_is_refused() -> None:
    with pytest.raises(ValueError, match="n_samples must be at least 1, got 0"):
        layer()(tokens(2, 4, 3), n_samples=0)


def test_inner_neurons_are_those_of_this_pass() -> None:
    nsac, x = layer(), tokens(2, 5, 3)
    _, _, inner = nsac(x, return_internals=True)
    q = nsac.query_gate(x[:, -1:]).view(2, 1, 4, 4).transpose(1, 2)
    k = nsac.key_gate(x).view(2, 5, 4, 4).transpose(1, 2)
    pair = torch.cat([q.expand(-1, -1, 5, -1), k], -1)
    drive = pair @ nsac.backbone.inter_weight + nsac.backbone.inter_bias
    torch.testing.assert_close(inner.inter[:, :, 0], drive.tanh().mean(2), rtol=1e-4, atol=1e-6)
    assert torch.equal(inner.query, nsac.query_gate(x[:, -1:]))
    assert math.isclose(float(inner.weights.sum()), 2 * 4, rel_tol=1e-5)
