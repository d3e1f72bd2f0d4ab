from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from pandas.testing import assert_frame_equal
from scipy.ndimage import gaussian_filter
from scipy.stats import kstest

import maps
from drive.carracing.world import CarRacingWorld
from drive.observation import ObservationSpec
from evaluation import EvaluationError, drive_laps
from evaluation.lane import Lane
from evaluation.perturbations import (
    CLEAN,
    PERTURBATIONS,
    SEVERITIES,
    Perturbation,
    Perturbed,
    parse,
    register,
    with_clean,
)

POLICY = "closed_loop_policies:Scripted"
NAMES = (
    *("colours", "ext-color", "ext-color3", "ext-bar", "ext-blob", "ext-noise"),
    *("noise", "blur", "brightness", "contrast", "occlusion", "frame-drop", "frame-delay"),
    *("latency", "steering-bias", "steering-noise", "friction", "power"),
)


@pytest.fixture(autouse=True)
def _policies_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parent))


def made(name: str, severity: int = 3, seed: int = 0, track: str = "seed:3") -> Perturbation:
    return Perturbed(name, severity).of_lap(seed, track)


def picture(shape: tuple[int, ...] = (84, 84)) -> NDArray[np.uint8]:
    """Smooth enough to be a picture, with every grey from 60 to 190."""
    rows, columns = np.indices(shape[:2])
    gray = 125 + 65 * np.sin(rows / 9.0) * np.cos(columns / 7.0)
    return np.broadcast_to(gray.reshape(*shape[:2], *[1] * (len(shape) - 2)), shape).astype(
        np.uint8
    )


def test_all_that_was_promised_is_registered() -> None:
    assert set(NAMES) <= set(PERTURBATIONS)


def test_lists_are_parsed() -> None:
    assert parse("colours, blur:2,noise") == (
        *(Perturbed("colours", 3), Perturbed("blur", 2), Perturbed("noise", 3)),
    )
    assert parse("power:2-4") == tuple(Perturbed("power", s) for s in (2, 3, 4))
    assert parse("none") == (CLEAN,)
    assert parse("") == ()
    assert with_clean("blur,none") == (CLEAN, Perturbed("blur", 3))
    text = "colours,blur:2,ext-noise:5"
    assert ",".join(map(str, parse(text))) == text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("fog", "there is no perturbation 'fog', expected none or one of colours, "),
        ("blur:6", "severity of blur is '6', expected 1 to 5, as in blur:2"),
        ("blur:4-2", "severity of blur is '4-2'"),
        ("blur:", "severity of blur is ''"),
        ("colours:2", "perturbation colours has no severities: write colours"),
        ("blurr:2", "there is no perturbation 'blurr', did you mean blur? expected none or one of"),
        ("none:1", "there is no perturbation 'none'"),
        ("blur,blur:1-3", "perturbation blur:3 is given 2 times"),
    ],
)
def test_what_there_is_not_is_refused_in_one_line(text: str, message: str) -> None:
    with pytest.raises(EvaluationError) as fault:
        parse(text)
    assert str(fault.value).startswith(message)
    assert "\n" not in str(fault.value)


def test_a_severity_that_there_is_not_is_never_taken_for_another() -> None:
    for name, severity in (("noise", 0), ("noise", 6), ("none", 3)):
        with pytest.raises(EvaluationError, match=f"severity of {name} is {severity}, expected"):
            Perturbed(name, severity)


def test_a_name_is_given_once_and_a_level_to_each_severity() -> None:
    class Again(Perturbation):
        name = "blur"

    class Short(Perturbation):
        name = "short"
        levels = (1.0, 2.0)

    with pytest.raises(ValueError, match="two perturbations are called 'blur'"):
        register(Again)
    with pytest.raises(ValueError, match="short has 2 levels"):
        register(Short)


def test_clean_laps_are_the_same_with_perturbed_ones_beside_them() -> None:
    settings: dict[str, Any] = {"renderer": "fast", "batch": 2, "max_steps": 25}
    alone, _ = drive_laps(POLICY, "seed:3-4", **settings)
    laps, steps = drive_laps(POLICY, "seed:3-4", perturb="friction:5,colours", **settings)
    clean = laps[laps["perturbation"] == "none"]
    kept = [name for name in alone if not str(name).startswith("latency")]
    assert_frame_equal(clean[kept].reset_index(drop=True), alone[kept])
    conditions = laps[["perturbation", "severity", "lap"]].to_numpy().tolist()
    expected = [("none", 0), ("friction", 5), ("colours", 3)]
    assert conditions == [[*condition, lap] for condition in expected for lap in (0, 1)]
    decided = {c: own["mean_steer"].to_numpy() for c, own in steps.groupby("perturbation")}
    np.testing.assert_array_equal(decided["none"], decided["colours"])  # the same policy seed
    slipped = laps[laps["perturbation"] == "friction"]
    assert (slipped["mean_speed"].to_numpy() < clean["mean_speed"].to_numpy()).all()


def test_a_draw_depends_on_seed_name_and_map_alone() -> None:
    def scheme(*of: Any) -> Any:  # noqa: ANN401
        return made(*of).reset_options()["colours"]

    assert scheme("colours", 3, 0, "seed:3") == scheme("colours", 3, 0, "seed:3")
    assert scheme("colours", 3, 0, "seed:3") != scheme("colours", 3, 0, "seed:4")
    assert scheme("colours", 3, 0, "seed:3") != scheme("colours", 3, 1, "seed:3")
    run = scheme("colours-run", 3, 0, "seed:3")
    assert run == scheme("colours-run", 3, 0, "seed:4")
    assert run != scheme("colours-run", 3, 1, "seed:3")


def test_what_is_logged_is_what_was_driven() -> None:
    _, steps = drive_laps(POLICY, "seed:3", perturb="latency:2", max_steps=20)
    late = steps[steps["perturbation"] == "latency"]
    clean = steps[steps["perturbation"] == "none"]
    for name in ("action_steer", "action_gas"):
        driven = late[name].to_numpy()
        np.testing.assert_array_equal(driven[:2], 0.0)
        np.testing.assert_array_equal(driven[2:], clean[name].to_numpy()[:-2])
    np.testing.assert_array_equal(late["mean_steer"], clean["mean_steer"])


def test_the_first_picture_is_perturbed_too() -> None:
    spec = ObservationSpec("gray84", 1)
    lanes = [
        Lane(maps.load("seed:3"), spec, "fast", 0, 2, p) for p in (CLEAN, Perturbed("noise", 3))
    ]
    clean, noisy = (lane.frame.astype(float) for lane in lanes)
    assert 3.0 < (noisy - clean).std() < 30.0


@pytest.mark.parametrize(
    "name", [n for n, kind in PERTURBATIONS.items() if kind.group == "sensing"]
)
@pytest.mark.parametrize("shape", [(84, 84), (84, 84, 1), (96, 96, 3), (160, 320, 3)])
def test_every_picture_keeps_its_shape_and_is_not_written_on(
    name: str, shape: tuple[int, ...]
) -> None:
    frame = picture(shape)
    before = frame.copy()
    for severity in SEVERITIES:
        shown = made(name, severity).frame(frame)
        assert shown.shape == shape
        assert shown.dtype == np.uint8
        np.testing.assert_array_equal(frame, before)


def test_noise_has_the_deviation_it_states_and_severities_share_it() -> None:
    frame = np.full((96, 96, 3), 128, dtype=np.uint8)
    shown = {s: made("noise", s).frame(frame).astype(float) - 128 for s in SEVERITIES}
    for severity in (1, 2, 3):
        level = PERTURBATIONS["noise"].levels[severity - 1]
        assert shown[severity].std() == pytest.approx(level, rel=0.02)
        assert abs(shown[severity].mean()) < 0.02 * level + 0.05
    assert np.corrcoef(shown[2].ravel(), shown[3].ravel())[0, 1] > 0.995
    lap = made("noise")
    assert (lap.frame(frame) != lap.frame(frame)).mean() > 0.9


@pytest.mark.parametrize("severity", SEVERITIES)
def test_blur_is_scipys_gaussian(severity: int) -> None:
    sigma = PERTURBATIONS["blur"].levels[severity - 1]
    frame = np.random.default_rng(0).integers(0, 256, (84, 84), dtype=np.uint8)
    expected = gaussian_filter(frame.astype(float), sigma, mode="mirror", truncate=3.0)
    np.testing.assert_allclose(made("blur", severity).frame(frame), expected, atol=3.0)


def test_brightness_moves_every_value_and_contrast_draws_them_together() -> None:
    frame = picture((96, 96, 3)).astype(float)
    signs = set()
    for seed in range(12):
        moved = made("brightness", 2, seed).frame(picture((96, 96, 3))) - frame
        assert np.ptp(moved) == 0
        signs.add(float(moved.flat[0]))
    assert signs == {-40.0, 40.0}
    faded = made("contrast", 3).frame(picture((96, 96, 3)))
    assert faded.std() == pytest.approx(0.4 * frame.std(), rel=0.01)
    assert faded.mean() == pytest.approx(frame.mean(), abs=0.05)


def test_occlusion_covers_its_share_above_the_dashboard() -> None:
    frame = np.full((96, 96, 3), 200, dtype=np.uint8)
    places = set()
    for seed in range(20):
        hidden = made("occlusion", 4, seed).frame(frame)[..., 0] == 0
        assert hidden.sum() == round(0.4 * 96) ** 2
        assert not hidden[84:].any()
        places.add(tuple(np.argwhere(hidden)[0]))
    assert len(places) > 15


def test_occlusion_lies_within_a_wide_picture_at_every_severity() -> None:
    frame = np.full((160, 320, 3), 200, dtype=np.uint8)
    for severity in SEVERITIES:
        hidden = made("occlusion", severity, seed=4).frame(frame)[..., 0] == 0
        assert hidden.sum() == round(severity / 10 * 160) ** 2


def test_dropped_frames_repeat_the_last_and_milder_drops_are_among_them() -> None:
    n = 2000
    frames = [np.full((2, 2), i % 256, dtype=np.uint8) for i in range(n)]
    lost = {}
    for severity in (1, 3, 5):
        lap = made("frame-drop", severity)
        shown = [int(lap.frame(frame)[0, 0]) for frame in frames]
        lost[severity] = np.array([s != i % 256 for i, s in enumerate(shown)])
        repeats = [i for i in range(1, n) if lost[severity][i]]
        assert all(shown[i] == shown[i - 1] for i in repeats)
        level = PERTURBATIONS["frame-drop"].levels[severity - 1]
        assert lost[severity].mean() == pytest.approx(level, abs=0.04)
    assert not lost[1][0]
    assert lost[3][lost[1]].all()
    assert lost[5][lost[3]].all()


def test_delayed_frames_are_those_of_some_steps_ago() -> None:
    lap = made("frame-delay", 4)
    frames = [np.full((2, 2), i, dtype=np.uint8) for i in range(20)]
    shown = [int(lap.frame(frame)[0, 0]) for frame in frames]
    assert shown == [0] * 5 + list(range(15))


def test_steering_is_biased_to_one_side_or_shaken_and_stays_within_limits() -> None:
    action = np.array([0.05, 0.7, 0.1], dtype=np.float32)
    biases = set()
    for seed in range(12):
        lap = made("steering-bias", 3, seed)
        first, second = lap.action(action), lap.action(action)
        np.testing.assert_array_equal(first, second)
        biases.add(round(float(first[0] - action[0]), 6))
    assert biases == {-0.1, 0.1}
    lap = made("steering-noise", 3)
    driven = np.array([lap.action(action) for _ in range(2000)])
    assert driven[:, 0].std() == pytest.approx(0.2, rel=0.05)
    np.testing.assert_array_equal(driven[:, 1:], np.broadcast_to(action[1:], (2000, 2)))
    full = np.array([1.0, 0.0, 0.0], dtype=np.float32)
    assert max(float(lap.action(full)[0]) for _ in range(50)) <= 1.0


@pytest.mark.parametrize(("name", "distinct"), [("ext-color", 1), ("ext-color3", 3)])
def test_extension_colours_are_uniform_around_the_usual(name: str, distinct: int) -> None:
    usual = {"road": np.array([102, 102, 102]), "background": np.array([102, 204, 102])}
    offsets: dict[str, list[Any]] = {part: [] for part in usual}
    for seed in range(300):
        scheme = made(name, 3, seed).reset_options()["colours"]
        assert scheme.grass == (102, 230, 102)
        for part, colour in usual.items():
            offsets[part].append((np.array(getattr(scheme, part)) - colour) / 255.0)
    for own in offsets.values():
        drawn = np.array(own)
        assert all(len(set(np.round(row, 9))) == distinct for row in drawn)
        assert kstest(drawn[:, 0], "uniform", (-0.2, 0.4)).pvalue > 0.001
    road, grass = (np.array(offsets[part])[:, 0] for part in usual)
    assert abs(np.corrcoef(road, grass)[0, 1]) < 0.2
    strong = made(name, 5).reset_options()["colours"]
    weak = made(name, 1).reset_options()["colours"]
    ratio = (strong.road[0] - 102) / (weak.road[0] - 102)
    assert ratio == pytest.approx(5.0, rel=0.02)


@pytest.mark.parametrize("name", sorted(PERTURBATIONS))
def test_a_lap_can_be_driven_under_each_at_its_worst(name: str) -> None:
    severity = 5 if PERTURBATIONS[name].levels else 3
    spec = ObservationSpec("gray84", 1)
    lane = Lane(maps.load("seed:3"), spec, "fast", 0, 3, Perturbed(name, severity))
    assert isinstance(lane.world, CarRacingWorld)
    assert lane.frame.reshape(84, 84).any()
