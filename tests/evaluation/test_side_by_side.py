import json
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from evaluation.cli import main
from evaluation.errors import EvaluationError
from evaluation.perturbations import CLEAN, Perturbed
from evaluation.side_by_side import CompareConfig, compare_runs
from evaluation.side_by_side.figures import differences, heat_map, success_by_severity
from evaluation.side_by_side.measures import RETURN, SUCCESS, difference
from evaluation.side_by_side.shared_laps import SharedLaps, share
from evaluation.side_by_side.sources import read, together
from evaluation.statistics import FloatArray, bootstrap, wilson

Make = Callable[..., Path]
BLUR = [Perturbed("blur", severity) for severity in (1, 2)]


def laps_of(
    policy: str,
    returns: FloatArray,
    condition: Perturbed = CLEAN,
    first_map: int = 0,
) -> pd.DataFrame:
    """Laps with returns ``(seeds, tracks)``."""
    seed, track = (index.ravel() for index in np.indices(returns.shape))
    return pd.DataFrame(
        {
            "policy": policy,
            "lap": track,
            "map": [f"seed:{first_map + n}" for n in track],
            "seed": seed,
            "renderer": "fast",
            "perturbation": condition.name,
            "severity": condition.severity,
            "return": returns.ravel().astype(float),
            "success": returns.ravel() >= 860,
            "completed": returns.ravel() >= 700,
            "clean_lap": returns.ravel() >= 880,
            "off_road_share": 0.1,
        }
    )


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Writes a run."""

    def make_run(name: str, *frames: pd.DataFrame, digest: str = "a", **changes: object) -> Path:
        folder = tmp_path / name
        folder.mkdir()
        laps = pd.concat(frames, ignore_index=True)
        laps.to_parquet(folder / "laps.parquet")
        policies = dict.fromkeys(laps["policy"].unique(), digest)
        bound = {"version": 2, "renderer": "fast", "max_steps": 1000, "policies": policies}
        text = json.dumps({"identity": {**bound, **changes}})
        (folder / "config.json").write_text(text)
        return folder

    return make_run


def shared(*folders: Path) -> SharedLaps:
    return share(together([read(folder) for folder in folders]))


def some(offset: float = 0.0, seeds: int = 1, tracks: int = 12) -> FloatArray:
    rng = np.random.default_rng(0)
    return np.asarray(850 + rng.normal(0, 40, (seeds, tracks)) + offset)


def test_only_laps_in_common_are_compared(make: Make) -> None:
    first = make("first", laps_of("a", some(tracks=12)))
    second = make("second", laps_of("b", some(tracks=12), first_map=8))
    found = shared(first, second)
    assert sorted(found.laps["map"].unique()) == ["seed:10", "seed:11", "seed:8", "seed:9"]
    assert found.left_out == 16


def test_a_condition_that_one_policy_alone_drove_is_kept(make: Make) -> None:
    run = make("run", laps_of("a", some()), laps_of("b", some()), laps_of("b", some(), BLUR[0]))
    found = shared(run)
    assert found.conditions == [CLEAN, BLUR[0]]
    assert not found.values("a", BLUR[0], "return").size
    assert len(found.of("b", BLUR[0])) == 12


def test_runs_without_a_common_lap_are_refused_in_one_line(
    make: Make, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = make("first", laps_of("a", some()))
    second = make("second", laps_of("b", some(), first_map=50))
    with pytest.raises(SystemExit) as stop:
        main(["compare", str(first), str(second), "--out", str(tmp_path / "out")])
    assert stop.value.code == 2
    assert capsys.readouterr().err == (
        "error: cannot be compared: a and b have no lap in common (map, seed, perturbation)\n"
    )


@pytest.mark.parametrize(
    ("changes", "message"),
    [({"renderer": "exact"}, "renderer fast and exact"), ({"version": 1}, "version 2 and 1")],
)
def test_runs_of_other_worlds_are_refused(
    make: Make, changes: dict[str, object], message: str
) -> None:
    first, second = make("first", laps_of("a", some())), make("b", laps_of("b", some()), **changes)
    with pytest.raises(EvaluationError, match=f"cannot be compared: {message}"):
        shared(first, second)


def test_one_policy_in_two_runs_is_one_and_another_version_of_it_another(make: Make) -> None:
    clean = make("clean", laps_of("a", some()))
    again = make("again", laps_of("a", some(5)), laps_of("a", some(-30), BLUR[0]))
    assert shared(clean, again).policies == ["a"]
    values = shared(clean, again).values("a", CLEAN, "return")
    assert np.sort(values) == pytest.approx(np.sort(some()))  # of the first, whatever the order
    newer = make("newer", laps_of("a", some(7)), digest="b")
    assert shared(clean, newer).policies == ["a (clean)", "a (newer)"]


def test_what_is_no_run_is_refused(make: Make, tmp_path: Path) -> None:
    with pytest.raises(EvaluationError, match="is neither a run nor a study"):
        read(tmp_path)
    unfinished = make("run", laps_of("a", some()))
    (unfinished / "laps.parquet").unlink()
    with pytest.raises(EvaluationError, match="the run is not finished"):
        read(unfinished)


def test_intervals_of_one_seed_are_those_of_independent_laps(make: Make) -> None:
    found = shared(make("run", laps_of("a", some(tracks=40))))
    rng = np.random.default_rng(0)
    success = SUCCESS.of(found, "a", CLEAN, rng)
    expected = wilson(int((some(tracks=40) >= 860).sum()), 40)
    assert (success.low, success.high) == pytest.approx((expected.low, expected.high))
    mean = RETURN.of(found, "a", CLEAN, rng)
    alone = bootstrap(some(tracks=40).ravel(), rng)
    assert mean.high - mean.low == pytest.approx(alone.high - alone.low, rel=0.1)


def test_the_same_laps_driven_with_ten_seeds_tell_no_more(make: Make) -> None:
    one = shared(make("one", laps_of("a", some(tracks=40))))
    ten = shared(make("ten", laps_of("a", np.repeat(some(tracks=40), 10, axis=0))))
    for measure in (SUCCESS, RETURN):
        widths = [
            found.high - found.low
            for found in (
                measure.of(laps, "a", CLEAN, np.random.default_rng(0)) for laps in (one, ten)
            )
        ]
        assert widths[1] == pytest.approx(widths[0], rel=0.1)


@pytest.fixture
def study(make: Make) -> Path:
    """Two policies, clean and blurred; b is 30 better, and loses 20 a severity."""
    frames = [laps_of("a", some(seeds=2)), laps_of("b", some(30, seeds=2))]
    for condition in BLUR:
        frames.append(laps_of("a", some(-10.0 * condition.severity, seeds=2), condition))
        frames.append(laps_of("b", some(30 - 20.0 * condition.severity, seeds=2), condition))
    return make("study", *frames)


def test_differences_are_those_that_were_put_in(study: Path) -> None:
    found, rng = shared(study), np.random.default_rng(0)
    gaps = [
        (difference(found, "b", [CLEAN], RETURN, "reference", rng), 30),
        (difference(found, "b", [BLUR[1]], RETURN, "reference", rng), 10),
        (difference(found, "b", [BLUR[1]], RETURN, "clean", rng), -40),
        (difference(found, "b", BLUR, RETURN, "clean", rng), -30),
    ]
    for gap, expected in gaps:  # every lap by the same amount
        assert (gap.low, gap.estimate, gap.high) == pytest.approx((expected,) * 3)


def test_laps_are_paired_where_a_condition_has_fewer(make: Make) -> None:
    run = make("run", laps_of("a", some()), laps_of("a", some(-7)[:, :5], BLUR[0]))
    gap = difference(shared(run), "a", BLUR[:1], RETURN, "clean", np.random.default_rng(0))
    assert gap.estimate == pytest.approx(-7)


def test_the_figures_show_the_numbers_of_the_laps(study: Path) -> None:
    found = shared(study)
    severities = success_by_severity(found).axes[0]
    rates = [100 * (some(30 - 20.0 * n, seeds=2) >= 860).mean() for n in range(3)]
    drawn = [container.lines[0].get_ydata() for container in severities.containers]  # type: ignore[attr-defined]
    assert list(drawn[1]) == pytest.approx(rates)
    forest = differences(found, "clean").axes[1]
    shown = [container.lines[0].get_xdata() for container in forest.containers]  # type: ignore[attr-defined]
    assert list(shown[1]) == pytest.approx([-20, -40])
    words = [text.get_text() for text in heat_map(found).axes[1].texts]
    assert words[0] == f"{some(seeds=2).mean():.0f}"
    assert words[3] == f"{some(seeds=2).mean():.0f}"  # b: 30 better, 30 lost on average


def test_everything_is_written_and_the_page_needs_nothing_else(study: Path, tmp_path: Path) -> None:
    written = compare_runs(CompareConfig((study,), tmp_path / "out"))
    pictures = {path.name for path in (tmp_path / "out" / "figures").iterdir()}
    names = ("success_by_severity", "differences", "cost", "heat_map")
    assert pictures == {f"{name}.{kind}" for name in names for kind in ("png", "svg")}
    page = written.report.read_text(encoding="utf-8")
    assert not re.findall(r"(?:src|href)=\"(?!data:|#)", page)
    assert page.count("<figure>") == 4
    tables = (tmp_path / "out" / "tables.md").read_text(encoding="utf-8")
    assert f"| blur:2 | 24 | {some(-20, seeds=2).mean():.1f} [" in tables
    assert [sheet.name for sheet in written.brief] == [
        *("success", "completed", "return", "reference_return"),
    ]


def test_many_conditions_are_pooled_for_the_eye(make: Make, tmp_path: Path) -> None:
    names = ("blur", "noise", "friction", "power", "latency")
    conditions = [CLEAN, *(Perturbed(name, n) for name in names for n in range(1, 6))]
    run = make("run", *(laps_of("a", some(-c.severity), c) for c in conditions))
    written = compare_runs(CompareConfig((run,), tmp_path / "out"))
    (success, mean) = written.brief
    rows = {str(row[0]): row[1] for row in mean.rows}
    assert rows["blur:1-5"] == f"{some(-3).mean():.1f}"
    assert set(rows) == {"clean", *(f"{name}:1-5" for name in names)}
    assert len(success.rows) == 6


def test_the_command_prints_the_tables(
    study: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["compare", str(study), "--out", str(tmp_path / "out")])
    printed = capsys.readouterr().out
    assert "144 laps of 2 policies on 12 tracks with 2 seeds, fast renderer." in printed.replace(
        "\n", " "
    )
    assert "blur:2" in printed
    assert f"{some(seeds=2).mean():.1f}" in printed
