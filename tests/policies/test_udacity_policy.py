"""From recorded files to a policy that steers: preprocessing, network, training, loading."""

import json
from datetime import datetime, timedelta
from pathlib import Path

import cv2
import numpy as np
import pytest
import torch
from safetensors import safe_open
from safetensors.torch import load_file, save_file

import policies
from drive.observation import ObservationSpec
from drive.udacity import frames
from drive.udacity.driving_log import DrivingLog
from drive.udacity.frame_shape import FRAME_SHAPE
from drive.udacity.simulator import Simulator
from drive.udacity.simulator.course_names import CourseName
from nsac_core.methods import METHODS
from policies import PolicyError, checkpoint, cli, encoders
from policies.checkpoint import Header
from policies.cloning import untrained
from policies.driving_policy import DrivingPolicy
from policies.udacity.augmentation_config import CameraAugmentation
from policies.udacity.elu import ELU
from policies.udacity.network import CameraEncoder
from policies.udacity.preprocessing import preprocess
from policies.udacity.train import OPTIONS, train_udacity
from policies.udacity.train_config import UdacityTrainConfig

CAMERA = ObservationSpec("camera", 1)
START = datetime(2026, 1, 1)  # noqa: DTZ001 - the simulator's is local
RED, BLUE = (255, 0, 0), (0, 0, 255)


@pytest.fixture(scope="module", autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


@pytest.fixture(scope="module")
def red_and_blue(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A recording in which red calls for the left and blue for the right."""
    folder = tmp_path_factory.mktemp("drive")
    rng = np.random.default_rng(0)
    with DrivingLog(folder) as log:
        for row in range(240):
            red = rng.random() < 0.5
            frame = np.full(FRAME_SHAPE, RED if red else BLUE, np.uint8)
            numbers = {"throttle": 0.0, "brake": 0.0, "speed": 9.0}
            moment = START + timedelta(milliseconds=66 * row)
            log.append([frame], steering=-0.5 if red else 0.5, **numbers, moment=moment)
    return folder


def config_of(folder: Path, out: Path, epochs: int = 4) -> UdacityTrainConfig:
    return UdacityTrainConfig(
        data=(folder,),
        out=out,
        method="gmle",
        epochs=epochs,
        batch=32,
        validation_share=0.34,
        augmentation=CameraAugmentation(probability=0),
        quiet=True,
    )


@pytest.fixture(scope="module")
def trained(red_and_blue: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return train_udacity(config_of(red_and_blue, tmp_path_factory.mktemp("out") / "a.safetensors"))


def test_preprocessing_is_opencvs() -> None:
    rng = np.random.default_rng(0)
    frame = cv2.GaussianBlur(rng.integers(0, 256, (160, 320, 3), dtype=np.uint8), (0, 0), 1.5)
    small = cv2.resize(frame[60:-25], (200, 66), interpolation=cv2.INTER_LINEAR)
    expected = cv2.cvtColor(small, cv2.COLOR_RGB2YUV) / 127.5 - 1
    found = preprocess(torch.from_numpy(frame.astype(np.uint8)))
    # OpenCV rounds twice on the way, each time by up to half a level.
    assert np.abs(found.numpy() - expected).max() * 127.5 < 1.6
    scaled = preprocess(torch.from_numpy(frame.astype(np.float32) / 255)[None, None])
    torch.testing.assert_close(scaled[0, 0], found)


def test_a_red_frame_is_red_to_the_network() -> None:
    red = preprocess(torch.tensor(RED, dtype=torch.uint8).expand(160, 320, 3))
    luma, blueness, redness = red[33, 100].tolist()
    # Rec. 601: Y = 0.299, U = -0.147, V = 0.615 of full scale.
    assert luma == pytest.approx(2 * 0.299 - 1, abs=0.01)
    assert blueness == pytest.approx(2 * -0.147, abs=0.01)
    assert redness == pytest.approx(2 * 0.615, abs=0.01)


def test_another_size_is_named() -> None:
    with pytest.raises(ValueError, match=r"\(66, 200, 4\)"):
        preprocess(torch.zeros(66, 200, 4))


@pytest.mark.parametrize(
    ("precision", "tolerance"), [(torch.float32, 3e-7), (torch.bfloat16, 8e-3)]
)
def test_the_fast_elu_is_the_elu(precision: torch.dtype, tolerance: float) -> None:
    x = torch.linspace(-30, 30, 4001).to(precision)
    ours, theirs = x.clone().requires_grad_(), x.clone().requires_grad_()
    found, expected = ELU()(ours), torch.nn.functional.elu(theirs)
    torch.testing.assert_close(found, expected, atol=tolerance, rtol=0)
    torch.autograd.backward([found.sum(), expected.sum()])
    assert ours.grad is not None
    torch.testing.assert_close(ours.grad, theirs.grad, atol=tolerance, rtol=0)


def test_tokens_are_columns_from_left_to_right() -> None:
    encoder = CameraEncoder().eval()
    gray = torch.full((1, 66, 200, 3), 0.1)
    plain = encoder.encode_frames(gray)
    assert plain.shape == (1, 18, 64)
    for left, expected in ((0, 0), (100, 8.5), (190, 17)):
        marked = gray.clone()
        marked[:, :, left : left + 10] = 0.9
        changed = (encoder.encode_frames(marked) - plain).abs().sum(-1)[0]
        middle = (changed * torch.arange(18)).sum() / changed.sum()
        assert middle.item() == pytest.approx(expected, abs=3)
        assert (changed == 0).any()


@pytest.mark.parametrize("name", METHODS)
def test_every_method_trains_and_drives(name: str, tmp_path: Path) -> None:
    config = UdacityTrainConfig(data=(tmp_path,), out=tmp_path / "p.safetensors", method=name)
    header, method = untrained(config, "udacity", OPTIONS[name])
    x = torch.randint(0, 256, (6, 1, 75, 320, 3), dtype=torch.uint8)
    loss = method.train().loss(x, torch.zeros(6, 1), torch.Generator().manual_seed(0))
    torch.autograd.backward(loss)
    assert sum(float(p.grad.abs().sum()) > 0 for p in method.parameters() if p.grad is not None) > 9
    checkpoint.save(config.out, method, header)
    policy = policies.checked(policies.load(config.out, CAMERA))
    policy.reset(2, seed=1)
    seen = np.random.default_rng(0).integers(0, 256, (2, 1, 160, 320, 3), dtype=np.uint8)
    decision = policy.act(seen)
    assert decision.action.shape == (2, 1)
    assert (np.abs(decision.action) <= 1).all()


def test_red_and_blue_lead_to_opposite_sides_from_file_to_policy(trained: Path) -> None:
    policy = policies.load(trained, CAMERA)
    policy.reset(2)
    jpegs = [frames.encode(np.full(FRAME_SHAPE, c, np.uint8)) for c in (RED, BLUE)]
    seen = np.stack([frames.decode(jpeg) for jpeg in jpegs])[:, None]
    red, blue = policy.act(seen).action[:, 0]
    assert red == pytest.approx(-0.5, abs=0.25)
    assert blue == pytest.approx(0.5, abs=0.25)


def test_the_checkpoint_tells_its_data_and_preprocessing(trained: Path) -> None:
    header, _ = checkpoint.read(trained)
    assert header.observation == CAMERA
    assert header.preprocessing["rows"] == [60, 135]
    assert header.data["training_rows"] + header.data["validation_rows"] <= 240
    assert header.results["mse_steer"] < 0.25


def test_training_again_leaves_the_checkpoint_alone(trained: Path, red_and_blue: Path) -> None:
    before = trained.stat().st_mtime_ns
    train_udacity(config_of(red_and_blue, trained))
    assert trained.stat().st_mtime_ns == before


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["--seed", "-1"], "seed must lie in [0, 4294967295], not -1"),
        (["--weight-decay", "nan"], "weight_decay must lie in [0, 1000000000], not nan"),
        (["--gradient-clip", "0"], "gradient_clip must be positive"),
        (["--out", "{}/a.safetensors"], "driving_log"),
    ],
)
def test_what_cannot_be_trained_is_one_line(
    words: list[str], named: str, red_and_blue: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = red_and_blue / "driving_log.csv"  # a file where a folder should be
    given = ["udacity", "--data", str(red_and_blue), "--out", "a.safetensors", "--quiet"]
    with pytest.raises(SystemExit) as ended:
        cli.main([*given, *(word.format(log) for word in words)])
    assert ended.value.code == 2
    error = capsys.readouterr().err
    assert named in error
    assert error.count("\n") == 1


def test_another_crop_than_trained_with_is_refused(trained: Path, tmp_path: Path) -> None:
    path = tmp_path / "crop.safetensors"
    with safe_open(trained, framework="pt") as file:
        header = json.loads(file.metadata()["nsac_drive"])
    header["preprocessing"]["rows"] = [50, 135]
    save_file(load_file(trained), path, {"nsac_drive": json.dumps(header)})
    with pytest.raises(PolicyError, match=r"\[50, 135\].*train it anew") as caught:
        policies.load(path)
    assert "\n" not in str(caught.value)


def test_a_gray_policy_is_refused_for_the_camera_and_the_other_way_round(trained: Path) -> None:
    with pytest.raises(
        PolicyError, match=r"reads .*gray84.* but is to be shown .*camera"
    ) as caught:
        policies.load("nsac", CAMERA)
    assert "\n" not in str(caught.value)
    with pytest.raises(PolicyError, match=r"reads .*camera.* but is to be shown .*gray84"):
        policies.load(trained, ObservationSpec("gray84", 4))


def test_a_frame_of_another_size_is_refused_by_the_policy(trained: Path) -> None:
    policy = policies.load(trained)
    policy.reset(1)
    with pytest.raises(PolicyError, match=r"expected observations \(1, 1, 160, 320, 3\)"):
        policy.act(np.zeros((1, 1, 66, 200, 3), np.uint8))


def test_a_policy_of_the_camera_decides_steering_alone() -> None:
    class Four:
        name = "four"
        observation = CAMERA

        def reset(self, n: int, seed: int = 0) -> None:
            """Keeps nothing."""

        def act(self, observations: object) -> policies.Decision:  # noqa: ARG002
            return policies.Decision.certain(np.zeros((1, 3), np.float32))

    with pytest.raises(PolicyError, match=r"four: action has shape \(1, 3\), expected a \(1, 1\)"):
        policies.checked(Four()).act(np.zeros((1, *CAMERA.shape), np.uint8))


def test_a_stack_of_one_frame_gives_the_tokens_of_its_frame() -> None:
    encoder = encoders.build("udacity").eval()
    seen = torch.randint(0, 256, (3, 1, 160, 320, 3), dtype=torch.uint8)
    tokens = encoder(seen)
    torch.testing.assert_close(tokens, encoder.encode_frames(encoder.scale(seen[:, 0])))
    method = checkpoint.build_method(
        Header("deep_ensemble", {"members": 2, "model_dim": 20, "heads": 4}, encoder="udacity")
    ).eval()
    policy = DrivingPolicy(method, "two")
    policy.reset(3)
    with torch.inference_mode():
        expected = method.predict(seen).mean.numpy()
    for _ in range(2):
        np.testing.assert_allclose(policy.act(seen.numpy()).mean, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(("track", "arcs"), [("lake", (100, 590)), ("jungle", (100, 700))])
def test_the_bundled_policy_steers_back_to_the_centre(
    track: CourseName, arcs: tuple[float, ...]
) -> None:
    policy = policies.load("nsac-udacity", CAMERA)
    simulator = Simulator(track, "autonomous")
    for arc in arcs:
        steering = {}
        for lateral in (-1.2, 0.0, 1.2):
            simulator.reset(arc=arc, lateral=lateral)
            policy.reset(1)
            steering[lateral] = policy.act(simulator.frame()[None, None]).action[0, 0]
        # Left is positive for the error, right for the steering.
        assert steering[-1.2] < steering[0.0] - 0.1
        assert steering[1.2] > steering[0.0] + 0.1


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["--data", "no/such/folder", "--out", "a.safetensors"], "driving_log.csv"),
        (["--data", ".", "--out", "a.pt"], "must end in .safetensors"),
        (["--data", ".", "--out", "a.safetensors", "--method", "oracle"], "oracle"),
        (["--data", ".", "--out", "a.safetensors", "--augmentation.mirror", "2"], "mirror"),
    ],
)
def test_a_fault_of_the_command_is_one_line(
    arguments: list[str], named: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        cli.main(["udacity", *arguments])
    assert caught.value.code == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert named in error
