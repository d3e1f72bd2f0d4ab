"""Saliency of policies that see the camera, and the picture of it."""

from datetime import datetime, timedelta
from pathlib import Path

import cv2
import numpy as np
import pytest
import torch

from drive.udacity.driving_log import DrivingLog
from drive.udacity.frame_shape import FRAME_SHAPE
from evaluation.errors import EvaluationError
from evaluation.inspection.saliency.lens import Lens
from evaluation.inspection.saliency.maps import saliency_maps, scaled
from evaluation.inspection.saliency.network import network_of
from evaluation.udacity.saliency import draw_saliency
from evaluation.udacity.saliency_config import SaliencyConfig
from policies import checkpoint
from policies.checkpoint import Header
from policies.cloning import untrained
from policies.driving_policy import DrivingPolicy
from policies.udacity.network import CameraEncoder
from policies.udacity.train_config import UdacityTrainConfig

START = datetime(2026, 1, 1)  # noqa: DTZ001 - the simulator's is local


def looker(columns: slice) -> DrivingPolicy:
    """A policy whose steering depends on some of the 18 columns alone."""
    header = Header("gmle", {"model_dim": 20, "heads": 4}, encoder="udacity")
    with torch.random.fork_rng():
        torch.manual_seed(0)
        method = checkpoint.build_method(header)
    encoder = method.encoder
    assert isinstance(encoder, CameraEncoder)
    mask = torch.zeros(18, 1)
    mask[columns] = 1.0
    encoder.columns.register_forward_hook(lambda _module, _inputs, output: output * mask)
    return DrivingPolicy(method, "looker")


@pytest.mark.parametrize(("columns", "side"), [(slice(0, 6), "left"), (slice(12, 18), "right")])
def test_what_moves_the_steering_is_what_is_bright(columns: slice, side: str) -> None:
    seen = np.random.default_rng(0).integers(0, 256, (2, 1, 160, 320, 3), dtype=np.uint8)
    maps = saliency_maps(network_of(looker(columns)), seen, Lens("gradient"))
    assert maps.shape == (2, 160, 320)
    left, right = maps[:, 60:135, :120].sum(), maps[:, 60:135, 200:].sum()
    bright, dark = (left, right) if side == "left" else (right, left)
    assert bright > 50 * dark
    # Nothing above and below what the network sees.
    assert not maps[:, :58].any()
    assert not maps[:, 137:].any()


def test_grad_cam_weighs_the_channels_of_the_columns() -> None:
    policy = looker(slice(0, 18))
    seen = np.random.default_rng(2).integers(0, 256, (1, 1, 160, 320, 3), dtype=np.uint8)
    (found,) = saliency_maps(network_of(policy), seen, Lens("gradcam", layer="conv5"))
    outputs: list[torch.Tensor] = []
    assert isinstance(policy.encoder, CameraEncoder)
    policy.encoder.conv5.register_forward_hook(lambda _m, _i, output: outputs.append(output))
    mean = policy.method.predict(torch.from_numpy(seen)).mean
    (gradient,) = torch.autograd.grad(mean.sum(), outputs[0])
    weights = gradient.mean((2, 3), keepdim=True)
    expected = (weights * outputs[0]).sum(1).abs()[0, 0].detach().numpy()
    # Five convolutions see 61 of the 200 columns each, 8 apart; the frame has 1.6 times as many.
    middles = ((30 + 8 * np.arange(18)) + 0.5) * 1.6 - 0.5
    columns = np.interp(middles, np.arange(320), found[100])
    np.testing.assert_allclose(columns, expected, atol=0.15 * expected.max())
    assert np.corrcoef(columns, expected)[0, 1] > 0.97


def test_the_network_is_the_policys(tmp_path: Path) -> None:
    policy = looker(slice(0, 18))
    seen = np.random.default_rng(1).integers(0, 256, (3, 1, 160, 320, 3), dtype=np.uint8)
    policy.reset(3)
    expected = policy.act(seen).mean
    found = network_of(policy)(scaled(seen)).numpy()
    np.testing.assert_allclose(found, expected, atol=1e-5)


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    with DrivingLog(tmp_path / "drive") as log:
        for row in range(8):
            frame = np.full(FRAME_SHAPE, 20 * row, np.uint8)
            numbers = {"steering": 0.1 * row, "throttle": 0.0, "brake": 0.0, "speed": 5.0}
            log.append([frame], **numbers, moment=START + timedelta(seconds=row))
    return tmp_path / "drive"


@pytest.fixture
def policy(tmp_path: Path) -> str:
    path = tmp_path / "gmle.safetensors"
    config = UdacityTrainConfig(data=(tmp_path,), out=path, method="gmle")
    header, method = untrained(config, "udacity", {"model_dim": 20, "heads": 4})
    checkpoint.save(path, method, header)
    return str(path)


def test_the_picture_is_drawn_and_saved(recording: Path, policy: str, tmp_path: Path) -> None:
    out = tmp_path / "new" / "saliency.png"
    assert draw_saliency(SaliencyConfig((policy,), recording, out, rows=(0, 7))) == out
    picture = cv2.imread(str(out))
    assert picture is not None
    assert picture.shape[0] > 300
    assert picture.std() > 10


@pytest.mark.parametrize(
    ("rows", "names", "named"), [((8,), True, "no row 8"), ((), False, "no policy")]
)
def test_what_cannot_be_drawn_is_named(
    recording: Path, policy: str, rows: tuple[int, ...], names: bool, named: str
) -> None:
    chosen = (policy,) if names else ()
    with pytest.raises(EvaluationError, match=named):
        draw_saliency(SaliencyConfig(chosen, recording, recording / "a.png", rows))


@pytest.mark.parametrize("name", ["a.jpg", "a"])
def test_a_name_that_is_no_pictures_is_refused(recording: Path, policy: str, name: str) -> None:
    with pytest.raises(EvaluationError, match=r"expected a name ending \.png"):
        draw_saliency(SaliencyConfig((policy,), recording, recording / name))
