"""Encoders: from stacked frames to tokens, one per frame unless the encoder says more.

Every encoder works frame by frame. So consecutive stacks, which share all but one of their frames,
are read as one window, whose frames are each encoded once; and a policy that drives encodes only
the newest frame. To add an encoder, add a class here.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from drive.observation import ObservationSpec
from maps.files.one_line_error import did_you_mean
from policies.augmentation import DASHBOARD_ROW
from policies.errors import PolicyError

ENCODERS: dict[str, "type[FrameEncoder]"] = {}

_LUMA = (0.299, 0.587, 0.114)
_LEAST_SPREAD = 0.25 / 255
"""Keeps a channel of one value from being divided by zero; frames hold no noise to blow up."""
_LARGEST = 4.0
"""Spreads from the mean that are told apart: a car in red may lie ten away."""


def register(name: str) -> "Callable[[type[FrameEncoder]], type[FrameEncoder]]":
    """Names an encoder class in ``ENCODERS``."""

    def add(encoder: "type[FrameEncoder]") -> "type[FrameEncoder]":
        ENCODERS[name] = encoder
        return encoder

    return add


def build(name: str, **options: Any) -> "FrameEncoder":  # noqa: ANN401 - each encoder names its own
    """Builds an encoder by name.

    Raises:
        PolicyError: If there is no such encoder, or it has no such option.
    """
    encoder = named(name)
    try:
        return encoder(**options)
    except TypeError as fault:
        raise PolicyError(f"encoder {name!r}: {fault}") from None


def named(name: str) -> "type[FrameEncoder]":
    """The class of an encoder.

    Raises:
        PolicyError: If there is no such encoder.
    """
    if name not in ENCODERS:
        known = sorted(ENCODERS)
        guess = did_you_mean(name, known)
        raise PolicyError(f"no encoder {name!r}; {guess}there are {', '.join(known)}")
    return ENCODERS[name]


class FrameEncoder(nn.Module, ABC):
    """From windows of frames to tokens.

    Attributes:
        observation: What the encoder reads; its ``frames`` are the tokens of one stack.
        token_dim: Features of a token.
        tokens_per_frame: How many tokens a frame gives.
        preprocessing: What ``scale`` does to a frame beyond scaling, as JSON values: it is stored
            with the weights and compared when they are loaded.
        half_precision: Whether a training pass computes in bfloat16; inference never does.
    """

    observation: ClassVar[ObservationSpec]
    token_dim: ClassVar[int]
    tokens_per_frame: ClassVar[int] = 1
    preprocessing: ClassVar[dict[str, Any]] = {}

    def __init__(self, *, half_precision: bool = False) -> None:
        super().__init__()
        self.half_precision = half_precision

    def scale(self, frames: Tensor) -> Tensor:
        """Bytes as float32 in [0, 1]; anything else is taken as scaled already."""
        return frames.float().div_(255) if frames.dtype == torch.uint8 else frames

    @abstractmethod
    def encode_frames(self, frames: Tensor) -> Tensor:
        """Tokens of single scaled frames ``(n, *frame shape)``.

        Returns:
            ``(n, token_dim)``, or ``(n, tokens_per_frame, token_dim)`` where that is not 1.
        """

    def forward(self, windows: Tensor) -> Tensor:
        """Tokens of every stack in each window, each frame encoded once.

        Args:
            windows: ``(batch, window + frames - 1, *frame shape)``, scaled or uint8, oldest first.
                A stack ``(batch, frames, ...)`` is a window of 1.

        Returns:
            ``(batch * window, frames * tokens_per_frame, token_dim)`` float32: stack i of a window
            ends at its frame ``i + frames - 1``.
        """
        batch, length = windows.shape[:2]
        bfloat16 = self.half_precision and self.training
        with torch.autocast(windows.device.type, torch.bfloat16, enabled=bfloat16):
            encoded = self.encode_frames(self.scale(windows.flatten(0, 1))).float()
        encoded = encoded.view(batch, length, self.tokens_per_frame, self.token_dim)
        stacks = encoded.unfold(1, self.observation.frames, 1).movedim(-1, 2)
        tokens = self.observation.frames * self.tokens_per_frame
        return stacks.reshape(-1, tokens, self.token_dim)


@register("conv")
class ConvEncoder(FrameEncoder):
    """The paper's encoder (Table 3): 84 -> 27 -> 13 -> 6 -> 3 -> 2 -> 1, 64 features.

    Convolutions of 32 (5 x 5, stride 3), 48 (3 x 3, stride 2) and 64 (2 x 2) channels, each with
    ReLU and 2 x 2 max pooling, then batch normalisation. The layers' names are theirs to hook:
    ``relu2`` gives the 48-channel 6 x 6 map. The first pooling precedes its ReLU, which gives the
    same values from a quarter of the work.
    """

    observation = ObservationSpec("gray84", 4)
    token_dim = 64

    def __init__(self, *, half_precision: bool = False) -> None:
        super().__init__(half_precision=half_precision)
        self.conv1 = nn.Conv2d(1, 32, 5, stride=3)
        self.pool1 = nn.MaxPool2d(2)
        self.relu1 = nn.ReLU()
        self.conv2 = nn.Conv2d(32, 48, 3, stride=2)
        self.relu2 = nn.ReLU()
        self.pool2 = nn.MaxPool2d(2)
        self.conv3 = nn.Conv2d(48, 64, 2)
        self.relu3 = nn.ReLU()
        self.pool3 = nn.MaxPool2d(2)
        self.norm = nn.BatchNorm2d(64)
        # Twice as fast on a CPU, for the maps follow the layout of the weights.
        self.to(memory_format=torch.channels_last)

    def encode_frames(self, frames: Tensor) -> Tensor:
        """Tokens ``(n, 64)`` of gray frames ``(n, 84, 84)``."""
        maps = frames[:, None].contiguous(memory_format=torch.channels_last)
        maps = self.relu1(self.pool1(self.conv1(maps)))
        maps = self.pool2(self.relu2(self.conv2(maps)))
        maps = self.pool3(self.relu3(self.conv3(maps)))
        tokens: Tensor = self.norm(maps).flatten(1)
        return tokens


@register("strided")
class StridedEncoder(FrameEncoder):
    """Strides in place of pooling, and a dense layer over the last 6 x 6 map: 84 -> 27 -> 13 -> 6.

    It knows where the road's edges are more exactly than the paper's encoder, which keeps one
    position of each feature, for about 1.7 times the arithmetic. ``conv3`` gives the 64-channel
    6 x 6 map.
    """

    observation = ObservationSpec("gray84", 4)
    token_dim = 64
    channels: ClassVar[tuple[int, int, int, int]] = (1, 16, 32, 64)

    def __init__(self, *, half_precision: bool = False) -> None:
        super().__init__(half_precision=half_precision)
        seen, first, second, third = self.channels
        self.conv1 = nn.Conv2d(seen, first, 5, stride=3)
        self.relu1 = nn.ReLU()
        self.conv2 = nn.Conv2d(first, second, 3, stride=2)
        self.relu2 = nn.ReLU()
        self.conv3 = nn.Conv2d(second, third, 3, stride=2)
        self.relu3 = nn.ReLU()
        self.dense = nn.Linear(third * 6 * 6, self.token_dim)
        self.norm = nn.BatchNorm1d(self.token_dim)
        self.to(memory_format=torch.channels_last)

    def encode_frames(self, frames: Tensor) -> Tensor:
        """Tokens ``(n, 64)`` of gray frames ``(n, 84, 84)``."""
        return self.encode_maps(frames[:, None])

    def encode_maps(self, maps: Tensor) -> Tensor:
        """Tokens ``(n, 64)`` of the frames' channels ``(n, channel, 84, 84)``."""
        maps = self.relu1(self.conv1(maps.contiguous(memory_format=torch.channels_last)))
        maps = self.relu2(self.conv2(maps))
        maps = self.relu3(self.conv3(maps))
        tokens: Tensor = self.norm(self.dense(maps.flatten(1)))
        return tokens


@register("colour")
class ColourEncoder(StridedEncoder):
    """The strided encoder of coloured frames, each channel of them brought to the same contrast.

    Road and field may come in any colours, close to one another in some channels and far apart in
    others; what is left of a channel after its mean and spread over the view are taken away shows
    the road all the same. The dashboard keeps its brightness alone.
    """

    observation = ObservationSpec("rgb96", 4)
    channels = (3, 24, 48, 64)

    def __init__(self, *, half_precision: bool = False) -> None:
        super().__init__(half_precision=half_precision)
        self.register_buffer("shrink", _area_weights(96, 84), persistent=False)

    def scale(self, frames: Tensor) -> Tensor:
        """Frames of 96 x 96 x 3 shrunk to 84 x 84 as by OpenCV's INTER_AREA; bytes as [0, 1]."""
        scaled = super().scale(frames)
        if scaled.shape[-2] == 96:
            shrink = self.shrink.to(scaled.dtype)
            scaled = torch.einsum("yr,...rsc,xs->...yxc", shrink, scaled, shrink)
        return scaled

    def encode_frames(self, frames: Tensor) -> Tensor:
        """Tokens ``(n, 64)`` of RGB frames ``(n, 84, 84, 3)`` or ``(n, 96, 96, 3)``."""
        return self.encode_maps(self.equalised(self.scale(frames)).movedim(-1, -3))

    @staticmethod
    def equalised(frames: Tensor) -> Tensor:
        """The view of each frame and channel with mean 0 and spread 1, the dashboard gray."""
        view, dashboard = frames[..., :DASHBOARD_ROW, :, :], frames[..., DASHBOARD_ROW:, :, :]
        mean = view.mean((-3, -2), keepdim=True)
        spread = view.std((-3, -2), keepdim=True) + _LEAST_SPREAD
        luma = (dashboard * dashboard.new_tensor(_LUMA)).sum(-1, keepdim=True)
        even = ((view - mean) / spread).clamp(-_LARGEST, _LARGEST)
        return torch.cat([even, luma.expand_as(dashboard)], dim=-3)


def _area_weights(size: int, smaller: int) -> Tensor:
    """How much of each of ``size`` cells lies in each of the ``smaller`` larger ones, as shares."""
    edges = torch.arange(smaller + 1, dtype=torch.float64) * size / smaller
    cells = torch.arange(size, dtype=torch.float64)
    low = torch.maximum(edges[:-1, None], cells)
    high = torch.minimum(edges[1:, None], cells + 1)
    return ((high - low).clamp(min=0) * smaller / size).float()
