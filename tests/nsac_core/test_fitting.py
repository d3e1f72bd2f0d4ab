import math
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from nsac_core import fitting, methods, metrics
from nsac_core.fit_config import FitConfig, FittingError
from nsac_core.fitting import Batch, Epoch, fit
from nsac_core.fitting_state import FittingStateError


def context_task(rows: int, seed: int) -> Batch:
    """The last token says whether the answer is the first token's value or the second's negated."""
    x = torch.randn(rows, 4, 2, generator=torch.Generator().manual_seed(seed))
    y = torch.where(x[:, -1:, 0] > 0, x[:, 0:1, 1], -x[:, 1:2, 1])
    return x, y


class Numbered(nn.Module):
    """Tokens with their position as a one-hot code."""

    def forward(self, x: Tensor) -> Tensor:
        code = torch.eye(x.shape[1]).expand(len(x), -1, -1)
        return torch.cat([x, code], dim=-1)


def method(seed: int = 0, **options: object) -> methods.Method:
    torch.manual_seed(seed)
    settings: dict[str, object] = {"model_dim": 16, "heads": 4, "n_samples": 2, **options}
    return methods.build("nsac", Numbered(), 6, 1, **settings)


class Shuffled:
    """Batches of a data set in an order that the generator draws."""

    def __init__(self, rows: int = 96, size: int = 32) -> None:
        self.data, self.size = context_task(rows, 1), size

    def __call__(self, generator: torch.Generator) -> Iterable[Batch]:
        x, y = self.data
        order = torch.randperm(len(x), generator=generator)
        return [(x[part], y[part]) for part in torch.split(order, self.size)]


QUICK = FitConfig(epochs=4, learning_rate=3e-3, progress=False)
VALIDATION = [context_task(40, 2), context_task(24, 3)]


def weights(of: nn.Module) -> Tensor:
    return torch.cat([parameter.detach().flatten() for parameter in of.parameters()])


def test_nsac_learns_what_depends_on_the_context() -> None:
    torch.manual_seed(0)
    nsac = methods.build(
        "nsac",
        Numbered(),
        6,
        1,
        n_samples=2,
        ood_share=0.25,
        activation="tanh",
        model_dim=32,
        heads=8,
    )
    config = replace(QUICK, epochs=20, learning_rate=1e-2, schedule="cosine")
    fit(nsac, Shuffled(1200, 48), [context_task(300, 2)], config)
    test = context_task(500, 9)
    prediction, y = fitting.predicted(nsac, [test])
    assert metrics.mse(prediction, y) < 0.25 * float(y.var())
    constant_nll = 0.5 * float(torch.log(2 * torch.pi * y.var()) + 1)
    assert metrics.nll(prediction, y) < constant_nll - 0.4


def test_the_best_validation_weights_are_kept() -> None:
    nsac = method()
    snapshots: list[Tensor] = []
    scores: list[float] = []

    def watch(epoch: Epoch) -> None:
        snapshots.append(weights(nsac))
        scores.append(epoch.validation["nll"])

    result = fit(nsac, Shuffled(), VALIDATION, replace(QUICK, learning_rate=0.3), [watch])
    best = min(range(4), key=scores.__getitem__)
    assert result.best_epoch == best + 1
    assert result.best_score == scores[best]
    assert torch.equal(weights(nsac), snapshots[best])
    assert not nsac.training
    prediction, y = fitting.predicted(nsac, VALIDATION)
    assert metrics.nll(prediction, y) == pytest.approx(scores[best])


def test_the_same_seed_gives_the_same_weights() -> None:
    runs = []
    for seed in (3, 3, 4):
        nsac = method()
        fit(nsac, Shuffled(), None, replace(QUICK, epochs=2, seed=seed))
        runs.append(weights(nsac))
    assert torch.equal(runs[0], runs[1])
    assert not torch.equal(runs[0], runs[2])


@pytest.mark.parametrize("schedule", ["constant", "cosine"])
def test_a_resumed_run_equals_an_uninterrupted_one(tmp_path: Path, schedule: str) -> None:
    config = replace(QUICK, schedule=schedule)  # type: ignore[arg-type]
    whole = method()
    expected = fit(whole, Shuffled(), VALIDATION, config)
    config = replace(config, state=tmp_path / "run" / "state.safetensors")
    fit(method(), Shuffled(), VALIDATION, config, [lambda epoch: epoch.number == 2])
    config = replace(config, state=str(config.state))
    resumed = method(seed=99)
    result = fit(resumed, Shuffled(), VALIDATION, config)
    assert torch.equal(weights(resumed), weights(whole))
    assert (result.best_epoch, result.best_score) == (expected.best_epoch, expected.best_score)
    assert [e.train for e in result.history] == [e.train for e in expected.history]
    again = fit(method(seed=98), Shuffled(), VALIDATION, config)
    assert again.history == result.history


def test_a_damaged_state_and_a_foreign_one_are_refused_in_one_line(tmp_path: Path) -> None:
    config = replace(QUICK, epochs=1, state=tmp_path / "state.safetensors")
    fit(method(), Shuffled(), None, config)
    with pytest.raises(
        FittingError, match=r"state\.safetensors: belongs to another model"
    ) as fault:
        fit(method(model_dim=32), Shuffled(), None, replace(config, epochs=2))
    assert "\n" not in str(fault.value)
    assert config.state_file is not None
    config.state_file.write_bytes(config.state_file.read_bytes()[:100])
    with pytest.raises(FittingStateError, match=r"state\.safetensors: .*not a training state"):
        fit(method(), Shuffled(), None, config)


def test_cosine_schedule_and_warm_up() -> None:
    rates: list[float] = []

    def keep(epoch: Epoch) -> None:
        rates.append(epoch.learning_rate)

    cosine = replace(QUICK, schedule="cosine", learning_rate=1.0, final_learning_rate=0.1)
    fit(method(), Shuffled(96, 96), None, cosine, [keep])  # one step an epoch
    torch.testing.assert_close(
        torch.tensor(rates),
        torch.tensor([1.0, 0.1 + 0.9 * (2 + 2**0.5) / 4, 0.55, 0.1 + 0.9 * (2 - 2**0.5) / 4]),
    )
    rates.clear()
    fit(
        method(),
        Shuffled(96, 96),
        None,
        replace(QUICK, warmup_epochs=2.0, learning_rate=1.0),
        [keep],
    )
    assert rates == [0.01, 0.5, 1.0, 1.0]


def test_gradients_are_clipped() -> None:
    def first_step(clip: float | None) -> float:
        nsac = method()
        before = weights(nsac)
        norms: list[float] = []
        step = torch.optim.AdamW.step

        def spy(self: torch.optim.AdamW) -> None:
            squares = [p.grad.square().sum() for g in self.param_groups for p in g["params"]]
            norms.append(float(torch.stack(squares).sum().sqrt()))
            step(self)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(torch.optim.AdamW, "step", spy)
            fit(nsac, Shuffled(32), None, replace(QUICK, epochs=1, gradient_clip=clip))
        assert not torch.equal(before, weights(nsac))
        return norms[0]

    assert first_step(None) > 1e-2
    assert first_step(1e-3) <= 1.001e-3


def test_patience_stops_a_run_that_no_longer_improves() -> None:
    config = replace(QUICK, epochs=50, learning_rate=0.0, weight_decay=0.0, patience=3)
    result = fit(method(), Shuffled(), VALIDATION, config)
    assert len(result.history) == 4
    assert result.best_epoch == 1


def test_a_callback_stops_the_run() -> None:
    result = fit(method(), Shuffled(), None, QUICK, [lambda epoch: epoch.number == 2])
    assert len(result.history) == 2


def test_mixed_precision_trains() -> None:
    nsac = method()
    before = weights(nsac)
    result = fit(nsac, Shuffled(), VALIDATION, replace(QUICK, mixed_precision=True))
    assert weights(nsac).dtype == torch.float32
    assert weights(nsac).isfinite().all()
    assert not torch.equal(before, weights(nsac))
    assert result.history[-1].train["loss"] < result.history[0].train["loss"]


def test_tensorboard_holds_every_epoch(tmp_path: Path) -> None:
    accumulator = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    result = fit(method(), Shuffled(), VALIDATION, replace(QUICK, tensorboard=tmp_path))
    events = accumulator.EventAccumulator(str(tmp_path))
    events.Reload()
    written = events.Scalars("validation/nll")
    assert [event.step for event in written] == [1, 2, 3, 4]
    assert written[2].value == pytest.approx(result.history[2].validation["nll"], rel=1e-6)


def test_impossible_runs_are_refused_in_one_line() -> None:
    with pytest.raises(FittingError, match="epoch 1 has no training batch"):
        fit(method(), lambda _: [], None, QUICK)
    x, y = context_task(8, 0)
    with pytest.raises(FittingError, match="the training loss is nan in epoch 1"):
        fit(method(), lambda _: [(x * torch.nan, y)], None, QUICK)
    with pytest.raises(FittingError, match="there is no batch to predict"):
        fit(method(), Shuffled(), [], QUICK)


def test_progress_can_be_seen_and_switched_off(capsys: pytest.CaptureFixture[str]) -> None:
    fit(method(), Shuffled(), None, replace(QUICK, epochs=1, progress=True))
    assert "1/1" in capsys.readouterr().out
    fit(method(), Shuffled(), None, replace(QUICK, epochs=1))
    assert capsys.readouterr().out == ""


def test_a_validation_score_that_is_no_number_is_refused() -> None:
    x, y = VALIDATION[0]
    with pytest.raises(FittingError, match="the validation nll is nan in epoch 1"):
        fit(method(), Shuffled(), [(x, y * torch.nan)], QUICK)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"epochs": 0}, "epochs must be at least 1, got 0"),
        ({"learning_rate": -1.0}, "learning_rate must not be negative"),
        ({"weight_decay": math.nan}, "weight_decay must not be negative, got nan"),
        ({"gradient_clip": 0.0}, "gradient_clip must be positive or None, got 0.0"),
        ({"patience": 0}, "patience must be positive or None, got 0"),
        ({"schedule": "foo"}, "schedule must be one of constant, cosine, got 'foo'"),
        ({"criterion": "foo"}, "criterion must be one of nll, mse, mae, crps, got 'foo'"),
    ],
)
def test_a_configuration_that_cannot_be_is_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(FittingError, match=message):
        fit(method(), Shuffled(), VALIDATION, replace(QUICK, **change))
