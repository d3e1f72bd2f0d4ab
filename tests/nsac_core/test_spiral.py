"""The spiral: its generators, what is seen of it, its tokens, a whole tiny benchmark."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch
from torch import Tensor

from nsac_core.benchmarks.page import fill
from nsac_core.benchmarks.registry import benchmark, report
from nsac_core.benchmarks.report import Report
from nsac_core.benchmarks.spiral import curves, parts
from nsac_core.benchmarks.spiral.config import Spiral
from nsac_core.benchmarks.spiral.figures import curve
from nsac_core.benchmarks.spiral.tokens import TimeTokens


def seeded(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def test_the_spiral_of_archimedes() -> None:
    drawn = curves.archimedes(seeded(), spirals=40)
    assert drawn.clean.shape == drawn.noisy.shape == (40, 150, 2)
    radius = drawn.clean.norm(dim=-1)
    torch.testing.assert_close(radius, drawn.times.expand(40, -1), rtol=1e-5, atol=1e-6)
    turned = np.unwrap(torch.atan2(drawn.clean[0, 1:, 1], drawn.clean[0, 1:, 0]).numpy())
    np.testing.assert_allclose(np.diff(turned), 6 * np.pi / 149, rtol=1e-3)
    assert float((drawn.noisy - drawn.clean).std()) == pytest.approx(0.05, rel=0.03)
    # After one turn and a half of three, on the left of the centre.
    torch.testing.assert_close(curves.curve_at(torch.tensor(0.5)), torch.tensor([-0.5, 0.0]))


def unexplained(x: Tensor, angle: Tensor, growth: Tensor) -> float:
    """Share of a coordinate's variance that ``(a + b growth) cos(angle) + c`` leaves."""
    shape = torch.stack([angle.cos(), growth * angle.cos(), torch.ones_like(angle)], dim=1)
    residual = x - shape @ torch.linalg.lstsq(shape, x[:, None]).solution[:, 0]
    return float(residual.var() / x.var())


def test_the_spirals_of_the_contiformer_paper() -> None:
    angle = torch.linspace(0, 6 * torch.pi, 150, dtype=torch.float64)
    inwards = 6 * torch.pi + 1 - angle
    forward = curves.contiformer(seeded(), spirals=3).clean.double()
    backward = curves.contiformer(seeded(), spirals=3, clockwise=1.0).clean.double().flip(1)
    for ahead, back in zip(forward[..., 0], backward[..., 0], strict=True):
        assert unexplained(ahead, angle, angle) < 1e-9
        assert unexplained(back, inwards, 1 / inwards) < 1e-9
        assert unexplained(back, angle, angle) > 1e-3
    both = forward.flatten(0, 1)
    torch.testing.assert_close(both.min(0).values, torch.zeros(2).double())
    torch.testing.assert_close(both.max(0).values, torch.ones(2).double())


def test_contiformers_curves_differ_as_drawn() -> None:
    """``b ~ N(0.3, 0.02^2)``: the radius at the end, ``a + 6 pi b``, has std 0.378."""
    drawn = curves.contiformer(seeded(), spirals=2000)
    scale = 2 * 6 * np.pi * 0.3
    ends = drawn.clean[:, -1, 0] - drawn.clean[:, 0, 0]
    spread = float(ends.std() / ends.mean())
    assert spread == pytest.approx(0.02 / 0.3, rel=0.05)
    noise = (drawn.noisy - drawn.clean).std(dim=(0, 1))
    assert (noise < 0.05 / (0.8 * scale)).all()
    turned = curves.contiformer(seeded(), spirals=400, clockwise=0.5).clean
    # Those that turn clockwise lie on the left.
    assert float((turned[..., 0].mean(1) < 0.5).double().mean()) == pytest.approx(0.5, abs=0.08)


def test_training_sees_other_points_each_time_and_none_of_the_second_half() -> None:
    found = parts.split("archimedes", parts.HALF, seed=1)
    first, second = found.train.batches(90, seeded())
    for x, y in (first, second):
        assert x.shape == (90, 50, 1)
        assert float(x.max()) < 0.5
        assert len(set(x[0, :, 0].tolist())) == 50
        assert (x == x[0]).all()
        noise = y - curves.curve_at(x[..., 0])
        assert float(noise.std()) == pytest.approx(0.05, rel=0.05)
    assert not torch.equal(first[0][0], second[0][0])
    assert found.train.y.shape[1] == parts.HALF
    assert float(found.validation.x.max()) < 0.5


def test_observed_everywhere_reaches_the_end() -> None:
    found = parts.split("archimedes", curves.POINTS, seed=1)
    assert max(float(x.max()) for x, _ in found.train.batches(20, seeded())) > 0.95
    # A test tells points from where a training does.
    assert float(found.tests["test"].x[0, : parts.SEEN].max()) > 0.8


def test_what_is_asked_of_a_told_spiral_is_not_told() -> None:
    found = parts.split("contiformer", parts.HALF, seed=1)
    ((x, y),) = found.train.batches(180, seeded())
    assert x.shape == (180, 100, 4)
    assert (x[:, :50, 3] == 1).all()
    assert not x[:, 50:, 1:].any()
    assert float(x[:, :50, 0].max()) < 0.5 < float(x[:, 50:, 0].max())
    # Noise of std 0.05 in raw units, where the curves are about 11 wide.
    noise = x[:, :50, 1:3] - y[:, :50]
    assert 0.003 < float(noise.std()) < 0.007


def test_tests_ask_for_the_whole_curve() -> None:
    found = parts.split("archimedes", parts.HALF, seed=1)
    test = found.tests["test"]
    assert test.labels is not None
    counts = {label: test.labels.count(label) for label in set(test.labels)}
    assert counts == {"observed": 50, "interpolation": 75, "extrapolation": 75}
    asked = test.x[0, 50:, 0]
    torch.testing.assert_close(asked, torch.linspace(0, 1, 150))
    torch.testing.assert_close(test.y[0, 50:], curves.curve_at(asked))
    again, other = (parts.split("archimedes", parts.HALF, seed=seed) for seed in (1, 2))
    assert torch.equal(again.train.y, found.train.y)
    assert not torch.equal(other.train.y, found.train.y)


def test_tokens_are_waves_of_the_time_and_what_is_seen() -> None:
    torch.manual_seed(0)
    tokens = TimeTokens(features=3, width=8)
    x = torch.rand(2, 5, 3)
    made = tokens(x)
    assert made.shape == (2, 5, tokens.token_dim)
    assert torch.equal(made[..., 0], x[..., 0])
    wave = torch.sin(x[..., 0] * tokens.weight[2] + tokens.bias[2])
    told = x[..., 1] * tokens.seen[0, 2] + x[..., 2] * tokens.seen[1, 2]
    torch.testing.assert_close(made[..., 3], wave + told)
    raw = TimeTokens(features=3, tokens="raw")
    assert torch.equal(raw(x), x)
    assert raw.token_dim == 3


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Report:
    """A run of few spirals."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parts, "TRAINED", 6)
        patch.setattr(parts, "HELD_OUT", 2)
        methods = ("nsac", "sde_net", "constant")
        out = tmp_path_factory.mktemp("runs") / "spiral"
        return benchmark(Spiral(methods=methods, seeds=2, epochs=2, out=out, quiet=True))


def test_regimes_are_scored_apart_and_together(finished: Report) -> None:
    scores = finished.scores.set_index(["model", "seed", "part"])["mse"].sort_index()
    found = {"observed", "interpolation", "extrapolation", "noisy", "all"}
    assert set(finished.scores["part"]) == found
    for model in ("nsac", "nsac_lambda_0", "sde_net", "constant"):
        for seed in (42, 43):
            own = scores[model, seed]
            assert own["all"] == pytest.approx((own["interpolation"] + own["extrapolation"]) / 2)
    # It has learnt from noisy points of the first half: noise and all of the curve's variance.
    constant = scores["constant", 42]
    first_half = curves.curve_at(torch.linspace(0, 1, 150)[:75]).var(0, correction=0).mean()
    assert constant["interpolation"] == pytest.approx(float(first_half), rel=0.1)


def test_the_figures_curve_is_the_first_of_the_test(finished: Report) -> None:
    rows = pd.read_parquet(finished.folder / "predictions.parquet")
    shown = curve(rows[(rows["model"] == "nsac") & (rows["seed"] == 42)])
    np.testing.assert_allclose(
        shown.truth, curves.curve_at(torch.linspace(0, 1, 150)).numpy(), atol=1e-5
    )
    assert shown.seen.shape == (50, 2)
    across = (shown.normals() * np.gradient(shown.truth, axis=0)).sum(1)
    np.testing.assert_allclose(across, 0, atol=1e-12)
    round_tube = replace(shown, variances={"aleatoric": np.full((150, 2), 0.04)})
    np.testing.assert_allclose(round_tube.width("aleatoric"), 2 * 0.2)


def test_tables_and_figures_of_the_paper(finished: Report, tmp_path: Path) -> None:
    sheets = {sheet.name: sheet for sheet in finished.sheets}
    assert {"scores", "scores_all", "scores_extrapolation", "decomposition"} <= set(sheets)
    assert "interpolation" in sheets["scores"].caption
    assert [row[:2] for row in sheets["decomposition"].rows] == [
        ["interpolation", "0.5"],
        ["interpolation", "0"],
        ["extrapolation", "0.5"],
        ["extrapolation", "0"],
    ]
    assert set(finished.figures) == {"figure", "tubes", "variances"}
    page = tmp_path / "page.md"
    page.write_text("<!-- begin spiral/tubes -->\n<!-- end -->\n")
    fill(page, [report(finished.folder)])
    assert "](spiral_tubes.svg)" in page.read_text()
    assert (tmp_path / "spiral_tubes.svg").is_file()
