"""What all six methods owe: a toy with known mean and noise, reproducibility, safe targets."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

from nsac_core import fitting, methods
from nsac_core.fit_config import FitConfig
from nsac_core.fitting import Batch
from nsac_core.methods import METHODS, Method
from nsac_core.methods.protocol import VARIANCE_FLOOR

SAMPLING = {"nsac", "mc_dropout", "sde_net"}
TOKENS = 4


class Waves(nn.Module):
    """Four waves of a number as tokens."""

    def forward(self, x: Tensor) -> Tensor:
        order = torch.arange(1.0, TOKENS + 1)
        number = (order / TOKENS).expand(len(x), -1)
        return torch.stack([torch.sin(x * order), torch.cos(x * order), number], dim=-1)


class Dense(nn.Module):
    """Tokens with weights and a running mean, as a convolutional encoder has."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(1, TOKENS * 3)
        self.norm = nn.BatchNorm1d(TOKENS * 3)

    def forward(self, x: Tensor) -> Tensor:
        tokens: Tensor = self.norm(self.linear(x)).view(-1, TOKENS, 3)
        return tokens


def build(name: str, encoder: type[nn.Module], output_dim: int = 1, seed: int = 0) -> Method:
    torch.manual_seed(seed)
    attention: dict[str, object] = {"model_dim": 16, "heads": 4, "activation": "tanh"}
    options: dict[str, dict[str, object]] = {
        "sde_net": {"n_tokens": TOKENS},
        "nsac": {**attention, "ood_share": 0.25},
    }
    return methods.build(name, encoder(), 3, output_dim, **options.get(name, attention))


def noise(x: Tensor) -> Tensor:
    return 0.05 + 0.075 * (x + 1)


def noisy_sine(rows: int, seed: int) -> Batch:
    generator = torch.Generator().manual_seed(seed)
    x = 2 * torch.rand(rows, 1, generator=generator) - 1
    return x, torch.sin(2 * x) + noise(x) * torch.randn(rows, 1, generator=generator)


def seeded(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


every_method = pytest.mark.parametrize("name", METHODS)


@every_method
def test_recovers_mean_and_noise_of_a_toy(name: str) -> None:
    method = build(name, Waves)
    x, y = noisy_sine(800, 0)

    def batches(generator: torch.Generator) -> Iterable[Batch]:
        order = torch.randperm(len(x), generator=generator)
        return [(x[rows], y[rows]) for rows in torch.split(order, 50)]

    config = FitConfig(epochs=10, learning_rate=1.5e-2, schedule="cosine", progress=False)
    fitting.fit(method, batches, None, config)
    grid = torch.linspace(-0.9, 0.9, 19)[:, None]
    with torch.no_grad():
        prediction = method.predict(grid, n_samples=50, generator=seeded())
    error = prediction.mean - torch.sin(2 * grid)
    assert error.square().mean().sqrt() < 0.07
    std = prediction.aleatoric.sqrt()
    assert 1.6 < std[-2] / std[1] < 4.5  # truly 2.85; a constant noise gives 1
    assert 0.6 < (std / noise(grid)).log().mean().exp() < 1.7


@every_method
@pytest.mark.parametrize("shape", [(8,), (8, 1), (1, 2)])
def test_targets_that_would_broadcast_are_refused(name: str, shape: tuple[int, ...]) -> None:
    method = build(name, Waves, output_dim=2)
    with pytest.raises(ValueError, match=r"targets must be \(8, 2\)"):
        method.loss(torch.randn(8, 1), torch.zeros(shape))


@every_method
def test_the_generator_decides_every_draw(name: str) -> None:
    method, x = build(name, Waves, output_dim=2).eval(), torch.randn(6, 1)
    y = torch.randn(6, 2)
    first, same, other = (method.predict(x, generator=seeded(seed)) for seed in (1, 1, 2))
    assert torch.equal(first.mean, same.mean)
    assert torch.equal(first.epistemic, same.epistemic)
    assert torch.equal(first.mean, other.mean) == (name not in SAMPLING)
    assert torch.equal(method.loss(x, y, seeded(1)), method.loss(x, y, seeded(1)))


@every_method
def test_variances_keep_the_floor_and_the_epistemic_one_its_meaning(name: str) -> None:
    method = build(name, Waves, output_dim=2).eval()
    prediction = method.predict(torch.randn(6, 1), generator=seeded())
    assert prediction.mean.shape == (6, 2)
    assert bool((prediction.aleatoric >= VARIANCE_FLOOR).all())
    assert bool((prediction.epistemic > 0).all()) == (name != "gmle")
    assert bool((prediction.epistemic >= 0).all())


@every_method
def test_the_state_dictionary_holds_all_that_predicts(name: str) -> None:
    trained = build(name, Dense)
    for _ in range(3):  # moves the running mean
        trained.loss(*noisy_sine(32, 1), seeded())
    fresh = build(name, Dense, seed=5)
    x = torch.randn(6, 1)
    before = fresh.eval().predict(x, generator=seeded())
    fresh.load_state_dict(trained.state_dict())
    expected = trained.eval().predict(x, generator=seeded())
    loaded = fresh.predict(x, generator=seeded())
    assert torch.equal(loaded.mean, expected.mean)
    assert torch.equal(loaded.variance, expected.variance)
    assert not torch.equal(before.mean, expected.mean)


@every_method
def test_tokens_spare_the_encoder(name: str) -> None:
    method, x = build(name, Dense).eval(), torch.randn(6, 1)
    whole = method.predict(x, generator=seeded())
    assert torch.equal(method.predict_tokens(method.encode(x), generator=seeded()).mean, whole.mean)


@every_method
def test_every_parameter_is_trained_by_one_group(name: str) -> None:
    method = build(name, Dense)
    torch.autograd.backward(method.loss(*noisy_sine(32, 1), seeded()))
    grouped = [p for group in method.parameter_groups(1e-3) for p in group["params"]]
    assert sorted(map(id, grouped)) == sorted(map(id, method.parameters()))
    untouched = [key for key, p in method.named_parameters() if p.grad is None]
    assert untouched == []


@every_method
def test_the_encoder_sees_perturbed_inputs_without_learning_their_statistics(name: str) -> None:
    method, (x, y) = build(name, Dense), noisy_sine(64, 2)
    plain = build("gmle", Dense)
    weights = {key: value.clone() for key, value in method.encoder.state_dict().items()}
    method.loss(x, y, seeded())
    after = method.encoder.state_dict()["norm.running_var"]
    if name == "deep_ensemble":
        after, weights = after[0], {key: value[0] for key, value in weights.items()}
    plain.encoder.load_state_dict(weights)
    plain.loss(x, y, seeded())
    torch.testing.assert_close(after, plain.encoder.state_dict()["norm.running_var"])


@every_method
def test_a_resumed_training_equals_an_uninterrupted_one(name: str, tmp_path: Path) -> None:
    def batches(generator: torch.Generator) -> Iterable[Batch]:
        return [noisy_sine(16, seed) for seed in torch.randperm(4, generator=generator).tolist()]

    config = FitConfig(epochs=4, learning_rate=1e-2, gradient_clip=0.5, progress=False)
    whole = build(name, Dense)
    fitting.fit(whole, batches, None, config)
    config = replace(config, state=tmp_path / "state.safetensors")
    fitting.fit(build(name, Dense), batches, None, config, [lambda epoch: epoch.number == 2])
    resumed = build(name, Dense, seed=9)
    fitting.fit(resumed, batches, None, config)
    expected = whole.state_dict()
    for key, value in resumed.state_dict().items():
        torch.testing.assert_close(value, expected[key])


def sequence_method(name: str) -> Method:
    """Predicts every position of sequences of two features, the first their time."""
    torch.manual_seed(0)
    attention: dict[str, object] = {"positions": "all", "time_feature": 0}
    options: dict[str, object] = {"n_tokens": "each"} if name == "sde_net" else attention
    return methods.build(name, nn.Identity(), 2, 1, **options)


@pytest.mark.parametrize("name", ["gmle", "deep_ensemble", "evidential"])
@torch.no_grad()
def test_positions_of_sequences_are_rows_in_their_order(name: str) -> None:
    method, x = sequence_method(name), torch.rand(3, 5, 2)
    both, each = method.predict(x), [method.predict(sequence) for sequence in torch.split(x, 1)]
    for part in ("mean", "aleatoric", "epistemic"):
        torch.testing.assert_close(
            getattr(both, part), torch.cat([getattr(one, part) for one in each])
        )


@every_method
def test_every_position_of_a_sequence_is_learnt(name: str) -> None:
    """The target is the time itself, which the last position alone would leave unknown."""
    generator = seeded()
    x = torch.rand(32, 6, 2, generator=generator)
    batches = list(zip(torch.split(x, 4), torch.split(x[..., :1], 4), strict=True))
    method = sequence_method(name)
    config = FitConfig(epochs=12, learning_rate=1e-2, progress=False)
    fitting.fit(method, lambda _: batches, batches, config)
    prediction, y = fitting.predicted(method, batches)
    assert y.shape == prediction.mean.shape == (32 * 6, 1)
    assert float((prediction.mean - y).square().mean()) < 0.4 * float(y.var())


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        *((name, {"n_samples": 0}, "n_samples must be at least 1, got 0") for name in METHODS),
        ("nsac", {"lambda_reg": -1}, "lambda_reg must be a finite number from 0, got -1"),
        ("nsac", {"likelihood": "foo"}, "likelihood must be one of predictive, per_pass"),
        ("nsac", {"beta": 2}, r"beta must lie in \[0, 1\], got 2"),
        ("sde_net", {"layers": 0}, "layers must be at least 1, got 0"),
        ("evidential", {"evidence_penalty": "1"}, "evidence_penalty must be a finite number"),
        ("mc_dropout", {"dropout": 1}, r"dropout must lie in \[0, 1\), got 1"),
        ("deep_ensemble", {"members": 1.5}, "members must be a whole number, got 1.5"),
    ],
)
def test_an_option_that_cannot_be_is_named(
    name: str, options: dict[str, object], message: str
) -> None:
    tokens = {"n_tokens": TOKENS} if name == "sde_net" else {}
    with pytest.raises(ValueError, match=message):
        methods.build(name, Waves(), 3, 1, **{**tokens, **options})


@pytest.mark.parametrize("name", METHODS)
def test_an_option_that_there_is_not_is_named_with_those_that_there_are(name: str) -> None:
    with pytest.raises(ValueError, match=f"{name} has no option 'wings'; it has .*n_samples"):
        methods.build(name, Waves(), token_dim=3, wings=2)
