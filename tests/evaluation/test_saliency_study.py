"""The command: saliency, regions, scores, video and figure of seen laps."""

from dataclasses import replace
from pathlib import Path

import av
import numpy as np
import pandas as pd
import pytest

from drive.carracing.observations import FrameStack
from drive.carracing.regions import Region
from evaluation import EvaluationError
from evaluation.inspect_cli import main
from evaluation.inspection.saliency.lens import KINDS, Lens
from evaluation.inspection.saliency.looked import Looked, look, seen_regions, stacks
from evaluation.inspection.saliency.scores import shares
from evaluation.inspection.saliency.study import FILE, look_at, with_networks
from evaluation.inspection.saliency.video import HEIGHT, WIDTH, drawn, save_video
from evaluation.inspection.seen_laps import SeenLap, seen_laps, sources_of

STEPS = 12


@pytest.fixture(autouse=True)
def _planted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parent))


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of three drivers, inspected by the command."""
    out = tmp_path_factory.mktemp("saliency") / "run"
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(Path(__file__).parent))
        main(command(out))
    return out


def command(out: Path, *more: str) -> list[str]:
    who = ["--policy", "nsac", "planted_lookers:dashboard_looker", "privileged"]
    lap = ["--map", "seed:42", "--renderer", "fast", "--max-steps", str(STEPS)]
    return ["saliency", "--out", str(out), *who, *lap, "--scored-steps", "2", *more]


@pytest.fixture
def lap(run: Path) -> SeenLap:
    return next(lap for lap in seen_laps(run) if lap.policy == "nsac_carracing")


def test_a_lap_has_saliency_regions_and_a_video(lap: SeenLap) -> None:
    looked = Looked.read(lap.folder)
    assert looked is not None
    assert looked.lens == Lens()
    assert looked.saliency.shape == seen_regions(lap).shape == (STEPS, 84, 84)
    assert looked.scale.shape == (STEPS,)
    lit = looked.scale > 0
    assert (looked.saliency.max(axis=(1, 2)) == 255 * lit).all()
    assert lit.any()
    with av.open(str(lap.folder / "saliency.mp4")) as container:
        video = container.streams.video[0]
        assert (video.codec_context.name, float(video.average_rate or 0)) == ("h264", 50.0)
        frames = [frame.to_ndarray(format="rgb24") for frame in container.decode(video)]
    assert [frame.shape for frame in frames] == [(HEIGHT, WIDTH, 3)] * STEPS
    expected = list(drawn(lap, looked))
    # Lossy, yet of this very lap.
    assert max(abs(a.astype(int) - b).mean() for a, b in zip(frames, expected, strict=True)) < 4


def test_scores_are_of_every_lens_and_of_shuffled_weights(run: Path) -> None:
    scores = pd.read_parquet(run / FILE)
    assert set(scores["policy"]) == {"nsac_carracing", "dashboard"}
    by_region = scores[scores["measure"].isin(["share", "shuffled_share"])].dropna()
    total = by_region.groupby(["policy", "kind", "measure"])["value"].sum()
    np.testing.assert_allclose(total, 1.0, atol=1e-6)
    looker = scores[(scores["policy"] == "dashboard") & (scores["kind"] == "gradient")]
    share = looker[looker["measure"] == "share"].set_index("item")["value"]
    assert share[Region.DASHBOARD.label] > 0.9
    for policy, own in scores.groupby("policy"):
        assert set(own["kind"]) == {*KINDS, "aimless", ""}, policy
        curves = own[own["measure"].isin(["deletion", "insertion"])]
        assert len(curves) == 2 * (len(KINDS) + 1)
        assert np.isfinite(curves["value"]).all()


def test_the_command_says_what_came_of_it(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Again, so that only the scores are computed anew."""
    before = {file: file.stat().st_mtime_ns for file in run.glob("seen/*/*.npz")}
    main(command(run, "--no-video"))
    said = capsys.readouterr().out
    assert "privileged: has no saliency" in said
    assert "nsac_carracing: gradcam++" in said
    assert "weights shuffled" in said
    assert "aimless" in said
    assert said.rstrip().endswith("figure_8d.svg")
    assert before == {file: file.stat().st_mtime_ns for file in run.glob("seen/*/*.npz")}
    for suffix in ("png", "svg"):
        assert (run / "figures" / f"figure_8d.{suffix}").stat().st_size > 10_000


def test_another_lens_is_looked_through_anew(run: Path, lap: SeenLap) -> None:
    sources = {"nsac_carracing": sources_of(run, trust=True)["nsac_carracing"]}
    before = Looked.read(lap.folder)
    (gas,), left_out = look_at([lap], sources, Lens("gradient", action="gas"))
    assert left_out == []
    assert gas.lens.action == "gas"
    (again,), _ = look_at([lap], sources)
    assert before is not None
    np.testing.assert_array_equal(again.saliency, before.saliency)
    assert not np.array_equal(again.saliency, gas.saliency)


def test_stacks_are_what_the_policy_saw() -> None:
    frames = np.random.default_rng(0).integers(0, 256, (7, 5, 5), dtype=np.uint8)
    stack = FrameStack(1, 4, (5, 5))
    pushed = np.stack([stack.push(frame[None])[0] for frame in frames])
    np.testing.assert_array_equal(stacks(frames, 4, range(7)), pushed)
    np.testing.assert_array_equal(stacks(frames, 4, [5]), pushed[5:6])


def test_saliency_is_the_maps_in_bytes() -> None:
    maps = np.array([[[0.0, 2.0], [1.0, 0.5]], [[0.0, 0.0], [0.0, 0.0]]], dtype=np.float32)
    looked = Looked.of(maps, Lens())
    np.testing.assert_array_equal(looked.saliency[0], [[0, 255], [128, 64]])
    np.testing.assert_array_equal(looked.scale, [2.0, 0.0])
    regions = np.array([[[0, 1], [2, 2]]] * 2, dtype=np.uint8)
    expected = shares(maps, regions)
    np.testing.assert_allclose(shares(looked.saliency, regions), expected, atol=0.003)


def test_a_lap_without_uncertainty_or_of_one_step_has_a_video(
    run: Path, lap: SeenLap, tmp_path: Path
) -> None:
    unsure = {f"{part}_steer": np.nan for part in ("aleatoric", "epistemic")}
    assert lap.frames is not None
    short = replace(lap, frames=lap.frames[:1], steps=lap.steps[:1].assign(**unsure))
    looked = Looked.read(lap.folder)
    assert looked is not None
    first = replace(looked, saliency=looked.saliency[:1], scale=looked.scale[:1])
    file = save_video(short, first, tmp_path / "short.mp4")
    with av.open(str(file)) as container:
        assert len(list(container.decode(video=0))) == 1
    with pytest.raises(EvaluationError, match="saliency and frames are not of the same lap"):
        save_video(short, looked, tmp_path / "other.mp4")


def test_a_lap_without_pictures_is_named(run: Path, lap: SeenLap) -> None:
    ((_, network),), _ = with_networks([lap], sources_of(run, trust=True))
    blind = replace(lap, frames=None, folder=run)
    with pytest.raises(EvaluationError, match="nsac_carracing: is shown no picture"):
        look(blind, network, Lens())
    with pytest.raises(EvaluationError, match=r"regions\.npz: is missing"):
        seen_regions(blind)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["--step", "99"], "step is 99, expected 0 to 11"),
        (["--layer", "relu9"], "no layer 'relu9' with maps"),
        (["--frame", "7"], "frame is 7"),
    ],
)
def test_a_fault_is_one_line(
    run: Path, more: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(command(run, "--no-video", *more))
    assert words in capsys.readouterr().err
