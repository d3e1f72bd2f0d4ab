"""The encoder against the specification's layers, and windows against separate stacks."""

import pytest
import torch
from torch import Tensor
from torch.nn import functional

from policies import encoders
from policies.errors import PolicyError


@pytest.fixture
def encoder() -> encoders.FrameEncoder:
    torch.manual_seed(0)
    return encoders.build("conv").eval()


def random_frames(*shape: int) -> Tensor:
    generator = torch.Generator().manual_seed(1)
    return torch.randint(0, 256, (*shape, 84, 84), dtype=torch.uint8, generator=generator)


def test_maps_shrink_as_the_paper_says(encoder: encoders.FrameEncoder) -> None:
    shapes: dict[str, tuple[int, ...]] = {}

    def record(name: str) -> None:
        encoder.get_submodule(name).register_forward_hook(
            lambda _module, _inputs, output: shapes.update({name: tuple(output.shape[1:])})
        )

    for name in ("conv1", "pool1", "conv2", "relu2", "pool2", "conv3", "pool3"):
        record(name)
    assert encoder(random_frames(1, 4)).shape == (1, 4, 64)
    assert shapes == {
        "conv1": (32, 27, 27),
        "pool1": (32, 13, 13),
        "conv2": (48, 6, 6),
        "relu2": (48, 6, 6),
        "pool2": (48, 3, 3),
        "conv3": (64, 2, 2),
        "pool3": (64, 1, 1),
    }


def test_parameters_are_those_of_the_papers_layers(encoder: encoders.FrameEncoder) -> None:
    convolutions = (25 * 1 + 1) * 32 + (9 * 32 + 1) * 48 + (4 * 48 + 1) * 64
    assert sum(p.numel() for p in encoder.parameters()) == convolutions + 2 * 64


def test_equals_the_layers_in_the_papers_order(encoder: encoders.FrameEncoder) -> None:
    frames = random_frames(5)
    maps = frames[:, None].double() / 255
    weights = {name: value.double() for name, value in encoder.state_dict().items()}
    for layer, stride in (("conv1", 3), ("conv2", 2), ("conv3", 1)):
        kernel, bias = weights[f"{layer}.weight"], weights[f"{layer}.bias"]
        maps = functional.conv2d(maps, kernel, bias, stride=stride)
        maps = functional.max_pool2d(functional.relu(maps), 2)
    expected = maps.flatten(1) / (1 + 1e-5) ** 0.5  # a fresh batch norm: mean 0, variance 1
    tokens = encoder.encode_frames(encoder.scale(frames))
    torch.testing.assert_close(tokens.double(), expected, rtol=1e-4, atol=1e-5)


def test_the_strided_encoder_keeps_places() -> None:
    encoder = encoders.build("strided").eval()
    shapes: list[tuple[int, ...]] = []
    for name in ("conv1", "conv2", "conv3"):
        encoder.get_submodule(name).register_forward_hook(
            lambda _module, _inputs, output: shapes.append(tuple(output.shape[1:]))
        )
    assert encoder(random_frames(2, 5)).shape == (4, 4, 64)
    assert shapes == [(16, 27, 27), (32, 13, 13), (64, 6, 6)]


@pytest.mark.parametrize("name", ["conv", "strided"])
@pytest.mark.parametrize("window", [1, 2, 7])
def test_a_window_gives_the_tokens_of_its_stacks(name: str, window: int) -> None:
    torch.manual_seed(0)
    encoder = encoders.build(name).eval()
    frames = random_frames(3, window + 3)
    stacks = torch.stack([frames[:, i : i + 4] for i in range(window)], dim=1).flatten(0, 1)
    torch.testing.assert_close(encoder(frames), encoder(stacks), rtol=1e-5, atol=1e-5)


def test_a_window_encodes_each_frame_once(encoder: encoders.FrameEncoder) -> None:
    counts: list[int] = []
    encoder.get_submodule("conv1").register_forward_hook(
        lambda _m, _i, output: counts.append(len(output))
    )
    encoder(random_frames(2, 11))
    assert counts == [22]


def test_bytes_are_scaled_once(encoder: encoders.FrameEncoder) -> None:
    frames = random_frames(1, 4)
    scaled = encoder.scale(frames)
    assert float(scaled.max()) == 1.0
    assert torch.equal(encoder.scale(scaled), scaled)
    assert torch.equal(encoder(frames), encoder(frames.float() / 255))


def test_half_precision_is_for_training_alone() -> None:
    torch.manual_seed(0)
    exact = encoders.build("conv")
    half = encoders.build("conv", half_precision=True)
    half.load_state_dict(exact.state_dict())
    frames = random_frames(16, 4)
    assert torch.equal(exact.eval()(frames), half.eval()(frames))
    rough, fine = half.train()(frames), exact.train()(frames)
    assert rough.dtype == torch.float32
    assert not torch.equal(rough, fine)
    correlation = torch.corrcoef(torch.stack([rough.flatten(), fine.flatten()]))[0, 1]
    assert correlation > 0.999


def test_an_unknown_encoder_or_option_is_named() -> None:
    with pytest.raises(PolicyError, match="no encoder 'vgg'; there are colour, conv, strided"):
        encoders.build("vgg")
    with pytest.raises(PolicyError, match="depth"):
        encoders.build("conv", depth=3)
