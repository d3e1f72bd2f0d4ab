import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from torch import Tensor

from nsac_core import NAC, Internals
from nsac_core.nac import Mode

MODES: list[Mode] = ["exact", "euler", "steady"]
Array = NDArray[np.float64]


def layer(**options: object) -> NAC:
    torch.manual_seed(0)
    settings: dict[str, object] = {"model_dim": 16, "heads": 4, "activation": "tanh", **options}
    return NAC(3, 5, **settings)  # type: ignore[arg-type]


def tokens(*shape: int) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(0))


def numpy(values: Tensor) -> Array:
    return np.asarray(values.detach(), dtype=np.float64)


def solution(mode: str, phi: Array, tau: Array, time: Array) -> Array:
    """Logits as EXPERIMENTS 1.4 writes them."""
    if mode == "steady":
        return phi / tau
    if mode == "exact":
        risen: Array = 1 - np.exp(-tau * time)
        return phi / tau * risen
    logit = np.zeros_like(phi)
    for _ in range(5):
        logit += 0.5 * (phi - tau * logit)
    return logit


@pytest.mark.parametrize("time", [6, 30])
@pytest.mark.parametrize("riemann", [False, True])
@pytest.mark.parametrize("mode", MODES)
def test_output_follows_the_definition(mode: Mode, riemann: bool, time: int) -> None:
    nac, x = layer(mode=mode, riemann=riemann), tokens(2, time, 3)
    features, inner = nac(x, positions="all", return_internals=True)
    assert features.shape == (2, time, 5)
    phi, tau, elapsed = (numpy(part) for part in (inner.phi, inner.kappa, inner.time))
    weights = np.exp(solution(mode, phi, tau, elapsed))
    weights /= weights.sum(-1, keepdims=True)
    if riemann:
        weights = weights * elapsed
    value = numpy(nac.value_gate(x)).reshape(2, time, 4, 4)
    index = inner.key_index.numpy()
    attended = np.zeros((2, time, 4, 4))
    for batch, head, query in np.ndindex(2, 4, time):
        chosen = value[batch, index[batch, head, query], head]
        attended[batch, query, head] = weights[batch, head, query] @ chosen
    head = nac.feature_head
    expected = np.tanh(attended.reshape(2, time, 16) @ numpy(head.weight).T + numpy(head.bias))
    np.testing.assert_allclose(numpy(features), expected, rtol=1e-5, atol=2e-6)


def test_phi_and_tau_come_from_one_potential() -> None:
    """softplus(r) = -log(1 - sigmoid(r)); both move with the input, which the published do not."""
    _, inner = layer()(tokens(6, 30, 3), positions="all", return_internals=True)
    expected = -np.log1p(-numpy(inner.phi)) + 1e-6
    np.testing.assert_allclose(numpy(inner.kappa), expected, rtol=1e-5)
    assert ((inner.phi > 0) & (inner.phi < 1)).all()
    assert ((inner.time > 0) & (inner.time < 1)).all()
    assert inner.phi.std() > 1e-2


def test_there_is_no_noise() -> None:
    _, inner = layer()(tokens(3, 30, 3), return_internals=True)
    assert not inner.psi.any()
    assert not inner.ou_std.any()
    assert torch.equal(inner.logits[0], inner.ou_mean)


def logits(nac: NAC, x: Tensor) -> tuple[Tensor, Internals]:
    inner = nac(x, positions="all", return_internals=True)[1]
    return inner.logits, inner


def of_one_time(**options: object) -> NAC:
    """A layer all of whose pairs have run for 0.75."""
    nac = layer(**options)
    with torch.no_grad():
        nac.time_gate.weight.zero_()
        nac.time_gate.bias.copy_(torch.tensor([0.0, np.log(3.0)]))
    return nac


def test_euler_converges_to_the_exact_solution_in_proportion_to_its_step() -> None:
    x = tokens(2, 6, 3)
    exact, inner = logits(of_one_time(), x)
    torch.testing.assert_close(inner.time, torch.full_like(inner.time, 0.75))
    errors = []
    for steps in (10, 20, 40):
        nac = of_one_time(mode="euler", euler_steps=steps, euler_step=0.75 / steps)
        errors.append(float((logits(nac, x)[0] - exact).abs().max()))
    assert errors[0] < 0.02
    assert errors[0] / errors[1] == pytest.approx(2, rel=0.1)
    assert errors[1] / errors[2] == pytest.approx(2, rel=0.1)


def test_many_euler_steps_reach_the_steady_state() -> None:
    x = tokens(2, 6, 3)
    steady, _ = logits(layer(mode="steady"), x)
    late, _ = logits(layer(mode="euler", euler_steps=200), x)
    torch.testing.assert_close(late, steady, rtol=1e-5, atol=1e-6)


def test_logits_and_gradients_hold_where_nothing_decays() -> None:
    """tau -> 0: the exact logit becomes phi t, which (1 - exp(-tau t)) / tau loses in float32."""
    nac, x = layer(), tokens(2, 6, 3)
    with torch.no_grad():
        nac.backbone.motor.weight.zero_()
        nac.backbone.motor.bias.fill_(-14.0)
    drawn, inner = logits(nac, x)
    assert inner.kappa.max() < 2e-6
    torch.testing.assert_close(drawn[0], inner.phi * inner.time, rtol=1e-5, atol=0)
    nac(x).sum().backward()
    assert all(p.grad is not None and p.grad.isfinite().all() for p in nac.parameters())


@pytest.mark.parametrize("mode", MODES)
def test_gradient_reaches_every_parameter(mode: Mode) -> None:
    nac = layer(mode=mode)
    nac(tokens(8, 24, 3), times=torch.rand(24), positions="all").square().sum().backward()
    for name, parameter in nac.named_parameters():
        assert parameter.grad is not None, name
        assert parameter.grad.any(), name


def test_one_token_is_no_reason_to_warn(recwarn: pytest.WarningsRecorder) -> None:
    """Without noise nothing is lost."""
    assert layer()(tokens(3, 1, 3)).shape == (3, 5)
    assert not recwarn.list


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"mode": "implicit"}, "mode must be one of exact, euler, steady, got 'implicit'"),
        ({"euler_steps": 0}, "euler_steps must be at least 1, got 0"),
        ({"euler_step": 0.0}, "euler_step must be above 0, got 0.0"),
    ],
)
def test_options_that_do_not_fit_are_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        layer(**options)


def test_print_tells_how_the_equation_is_solved() -> None:
    assert "mode=steady, riemann=False" in repr(layer(mode="steady", riemann=False))
