"""SDE-Net against a numpy integration, and what trains which part."""

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from nsac_core import methods
from nsac_core.methods import SDENet


def method(encoder: nn.Module | None = None, **options: object) -> SDENet:
    torch.manual_seed(0)
    settings: dict[str, object] = {"n_tokens": 4, "hidden": 16, **options}
    built = methods.build("sde_net", encoder or nn.Identity(), 3, 2, **settings)
    assert isinstance(built, SDENet)
    return built


def batch(rows: int = 8) -> tuple[Tensor, Tensor]:
    generator = torch.Generator().manual_seed(1)
    return torch.randn(rows, 4, 3, generator=generator), torch.randn(rows, 2, generator=generator)


def seeded(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def weights(net: SDENet) -> dict[str, NDArray[np.float64]]:
    return {name: value.double().numpy() for name, value in net.state_dict().items()}


def dense(
    w: dict[str, NDArray[np.float64]], name: str, x: NDArray[np.float64]
) -> NDArray[np.float64]:
    return x @ w[f"{name}.weight"].T + w[f"{name}.bias"]


@pytest.mark.parametrize("layers", [1, 6])
def test_integrates_as_an_euler_maruyama_loop(layers: int) -> None:
    net, (x, _) = method(layers=layers, max_diffusion=0.7), batch()
    w, generator, step = weights(net), seeded(3), 4 / layers
    state = dense(w, "inlet", x.double().flatten(1).numpy())
    hidden = np.maximum(dense(w, "diffusion.0", state), 0)
    diffusion = 1 / (1 + np.exp(-dense(w, "diffusion.2", hidden)))
    state = np.broadcast_to(state, (5, *state.shape))
    for _ in range(layers):
        noise = torch.randn(state.shape, generator=generator).numpy()
        drift = np.maximum(dense(w, "drift.0", state), 0)
        state = state + drift * step + 0.7 * diffusion * np.sqrt(step) * noise
    mean, raw = np.split(dense(w, "head.1", np.maximum(state, 0)), 2, axis=-1)
    std = np.log1p(np.exp(raw)) + 1e-3
    with torch.no_grad():
        prediction = net.predict(x, n_samples=5, generator=seeded(3))
    np.testing.assert_allclose(prediction.mean, mean.mean(0), rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(prediction.epistemic, mean.var(0), rtol=1e-3, atol=1e-5)
    np.testing.assert_allclose(prediction.aleatoric, (std**2).mean(0) + 1e-6, rtol=1e-4)


def test_diffusion_rises_on_perturbed_inputs_after_training() -> None:
    net, generator = method(), seeded(5)
    optimiser = torch.optim.AdamW(net.parameter_groups(1e-3))
    for _ in range(150):
        x = torch.randn(64, 4, 3, generator=generator)
        optimiser.zero_grad()
        torch.autograd.backward(net.loss(x, x.sum(1)[:, :2], generator))
        net.clip_gradients(None)
        optimiser.step()
    assert net.loss_terms["diffusion_id"] < 0.2
    assert net.loss_terms["diffusion_ood"] > 0.8
    x = torch.randn(200, 4, 3, generator=generator)
    far = x + 5 * torch.randn(200, 4, 3, generator=generator)
    with torch.no_grad():
        inside, outside = (
            net.predict(part, n_samples=20, generator=seeded()).epistemic.mean()
            for part in (x, far)
        )
    assert outside > 3 * inside


def gradients(net: SDENet, loss: Tensor) -> dict[str, Tensor]:
    names = [name for name, _ in net.named_parameters()]
    found = torch.autograd.grad(
        loss, list(net.parameters()), allow_unused=True, materialize_grads=True
    )
    return dict(zip(names, found, strict=True))


def test_the_likelihood_trains_all_but_g_and_the_cross_entropy_trains_g_alone() -> None:
    (x, y), other = batch(), torch.randn(8, 2)
    net = method(nn.Linear(3, 3))
    first = gradients(net, net.loss(x, y, seeded()))
    second = gradients(net, net.loss(x, other, seeded()))
    for name in first:
        same = torch.equal(first[name], second[name])
        assert same == name.startswith("diffusion"), name
    alone = net.predict(x, n_samples=1, generator=seeded())
    likelihood = nn.functional.gaussian_nll_loss(alone.mean, y, alone.aleatoric, eps=1e-12)
    for name, expected in gradients(net, likelihood).items():
        if not name.startswith("diffusion"):
            torch.testing.assert_close(first[name], expected, rtol=1e-3, atol=1e-5)


def test_g_has_its_own_rate_and_its_own_clip() -> None:
    net, (x, y) = method(gradient_clip=0.01, diffusion_rate=10.0), batch()
    network, diffusion = net.parameter_groups(1e-4)
    assert (network["lr"], diffusion["lr"]) == (1e-4, pytest.approx(1e-3))
    torch.autograd.backward(100 * net.loss(x, y))
    net.clip_gradients(5.0)
    for group in (network, diffusion):
        squares = [p.grad.square().sum() for p in group["params"]]
        assert float(torch.stack(squares).sum().sqrt()) == pytest.approx(0.01, rel=1e-3)


def test_the_last_token_alone_or_all_of_them() -> None:
    last, (x, _) = method(n_tokens="last"), batch()
    changed = x.clone()
    changed[:, :-1] = 9.0
    assert torch.equal(
        last.predict(x, generator=seeded()).mean, last.predict(changed, generator=seeded()).mean
    )
    every = method()
    assert not torch.equal(
        every.predict(x, generator=seeded()).mean, every.predict(changed, generator=seeded()).mean
    )
    with pytest.raises(ValueError, match="expected 4 tokens, got 3"):
        every.predict(x[:, :3])
    with pytest.raises(
        ValueError, match="n_tokens must be 'last', 'each' or at least 1, got 'first'"
    ):
        method(n_tokens="first")
    with pytest.raises(TypeError, match="n_tokens"):
        methods.build("sde_net", nn.Identity(), 3, 2)
