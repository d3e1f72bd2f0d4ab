"""The network that sees the Udacity simulator's camera: five convolutions, a token per column."""

import torch
from torch import Tensor, nn

from drive.observation import ObservationSpec
from policies.encoders import FrameEncoder, register
from policies.udacity.elu import ELU
from policies.udacity.preprocessing import INPUT_SHAPE, PREPROCESSING, preprocess


class ColumnPlaces(nn.Module):
    """Adds to each column's token a learned vector that tells which column it is.

    Attention reads tokens as a set, and the convolutions see no border: without this, a road to
    the left would be the same set as a road to the right.

    Args:
        columns: How many tokens.
        features: Of a token.
    """

    def __init__(self, columns: int, features: int) -> None:
        super().__init__()
        self.places = nn.Parameter(torch.empty(columns, features))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draws the vectors anew."""
        nn.init.normal_(self.places)

    def forward(self, tokens: Tensor) -> Tensor:
        """The tokens ``(..., columns, features)`` with their places."""
        return tokens + self.places


@register("udacity")
class CameraEncoder(FrameEncoder):
    """NVIDIA's five convolutions (Bojarski et al. 2016) as the paper uses them: 18 tokens a frame.

    Channels 24, 36 and 48 of 5 x 5 with stride 2, then 64 and 64 of 3 x 3, none padded, each with
    an ELU: 66 x 200 becomes 1 x 18 of 64 channels, a token for each column of the view. The
    published code reads the same numbers row by row as 64 tokens of 18, which mixes channels and
    places. ``conv5`` gives the 64-channel map.
    """

    observation = ObservationSpec("camera", 1)
    token_dim = 64
    tokens_per_frame = 18
    preprocessing = PREPROCESSING

    def __init__(self, *, half_precision: bool = False) -> None:
        super().__init__(half_precision=half_precision)
        self.conv1 = nn.Conv2d(3, 24, 5, stride=2)
        self.conv2 = nn.Conv2d(24, 36, 5, stride=2)
        self.conv3 = nn.Conv2d(36, 48, 5, stride=2)
        self.conv4 = nn.Conv2d(48, 64, 3)
        self.conv5 = nn.Conv2d(64, 64, 3)
        self.elu = ELU()
        self.columns = ColumnPlaces(self.tokens_per_frame, self.token_dim)
        # Twice as fast on a CPU, for the maps follow the layout of the weights.
        self.to(memory_format=torch.channels_last)

    def scale(self, frames: Tensor) -> Tensor:
        """Frames as the convolutions read them; what has their size is taken as such already."""
        return frames if frames.shape[-3:] == INPUT_SHAPE else preprocess(frames)

    def encode_frames(self, frames: Tensor) -> Tensor:
        """Tokens ``(n, 18, 64)`` of frames ``(n, 66, 200, 3)``."""
        maps = frames.movedim(-1, 1).contiguous(memory_format=torch.channels_last)
        for layer in (self.conv1, self.conv2, self.conv3, self.conv4, self.conv5):
            maps = self.elu(layer(maps))
        tokens: Tensor = self.columns(maps.squeeze(2).transpose(1, 2))
        return tokens
