"""The studies of NSAC's settings: their variants, sequences of any length, a tiny run."""

import pytest
import torch

from nsac_core.benchmarks.ablations import lengths, studies
from nsac_core.benchmarks.ablations.config import Ablations
from nsac_core.benchmarks.errors import BenchmarkError
from nsac_core.benchmarks.registry import benchmark
from nsac_core.benchmarks.report import Report
from nsac_core.benchmarks.spiral import curves, parts
from nsac_core.methods import NSACMethod
from nsac_core.methods import build as build_method


def test_studies_vary_what_the_paper_does() -> None:
    values = {name: study.values for name, study in studies.STUDIES.items()}
    assert values == {
        "heads": (1, 2, 4, 8, 16, 32),
        "sparsity": (0.1, 0.3, 0.5, 0.7, 0.8, 0.9),
        "samples": (1, 3, 5, 10, 15, 20),
        "ood_mean": (0, 1, 2, 3, 4, 5),
        "ood_std": (1, 2, 3, 5, 10, 15),
    }
    assert studies.STUDIES["sparsity"].contender(0.3).options["heads"] == 4
    assert studies.STUDIES["ood_std"].contender(3.0).options["heads"] == 16


def test_variants_that_are_the_same_run_once() -> None:
    names = [
        contender.name for contender in studies.variants(("samples", "ood_mean", "ood_std"), 0)
    ]
    # 6 values each, of which each study has the base once.
    assert len(names) == len(set(names)) == 16
    assert studies.STUDIES["samples"].contender(5).name == "nsac"
    assert studies.STUDIES["sparsity"].contender(0.5) == studies.STUDIES["heads"].contender(4)


def test_every_variant_is_a_method() -> None:
    for contender in studies.variants(("heads", "sparsity", "samples", "ood_mean"), 0):
        method = build_method("nsac", torch.nn.Identity(), 1, 2, **contender.options)
        assert isinstance(method, NSACMethod)


def test_lengths_go_up_to_the_longest() -> None:
    found = studies.variants(("length",), longest=1_000)
    assert {studies.length_of(contender) for contender in found} == {100, 500, 1_000}
    assert {contender.options["top_k"] for contender in found} == {2, 4, 8, 16, 32}
    assert studies.length_of(studies.variant({})) is None


def test_a_sequence_tells_times_and_asks_for_others() -> None:
    x, y = lengths.drawn(4, 500, torch.Generator().manual_seed(0))
    assert x.shape == (4, 575, 1)
    assert (x[:, :500].diff(dim=1) >= 0).all()
    assert 0 <= float(x.min()) < float(x.max()) <= 0.5
    noise = y - curves.curve_at(x[:, 500:, 0])
    assert float(noise.std()) == pytest.approx(0.05, rel=0.1)
    tests = lengths.split(500, seed=3).tests
    torch.testing.assert_close(tests["extrapolation"].x[0, 500:, 0], torch.linspace(0, 1, 150)[75:])
    assert float(tests["interpolation"].x.max()) < 0.5


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Report:
    out = tmp_path_factory.mktemp("runs") / "ablations"
    with pytest.MonkeyPatch.context() as patch:
        for module in (parts, lengths):
            patch.setattr(module, "TRAINED", 2)
            patch.setattr(module, "HELD_OUT", 1)
        patch.setattr(studies, "TOP_KS", (2, 8))
        return benchmark(
            Ablations(
                studies=("samples", "length"), longest=100, epochs=1, seeds=1, out=out, quiet=True
            )
        )


def test_each_study_that_has_run_has_a_table(finished: Report) -> None:
    sheets = {sheet.name: sheet for sheet in finished.sheets}
    assert set(sheets) == {"samples", "length"}
    assert [row[0] for row in sheets["samples"].rows] == ["1", "3", "5", "10", "15", "20"]
    (row,) = sheets["length"].rows
    assert row[0] == "100"
    assert (finished.folder / "figure.png").stat().st_size > 10_000


def test_a_longer_run_may_be_asked_for(finished: Report) -> None:
    settings = finished.settings
    assert "longest" not in settings
    assert "studies" not in settings
    assert settings["epochs"] == 1


@pytest.mark.parametrize(
    ("config", "message"),
    [
        (Ablations(methods=("gmle",)), "settings of nsac"),
        (Ablations(studies=()), "no study given; there are heads, sparsity"),
        (Ablations(longest=50), "longest must be at least 100, not 50"),
        (Ablations(epochs=0), "epochs must be at least 1"),
    ],
)
def test_what_cannot_be_is_refused(config: Ablations, message: str) -> None:
    with pytest.raises(BenchmarkError, match=message):
        config.check()
