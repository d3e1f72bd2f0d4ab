"""The video of a lap: the frame, its saliency, and the action with its uncertainty."""

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import av
import matplotlib
import numpy as np
import pandas as pd
from numpy.typing import NDArray
from PIL import Image, ImageColor, ImageDraw, ImageFont

from evaluation.errors import EvaluationError
from evaluation.figures import BLUE, NAMES, ORANGE
from evaluation.inspection.saliency.looked import Looked, pictures
from evaluation.inspection.saliency.overlay import in_colour, overlaid
from evaluation.inspection.seen_laps import SeenLap
from evaluation.metrics.base import STEP_SECONDS
from evaluation.metrics.uncertainty import total_sigma
from maps.files.whole import whole
from policies.protocol import ACTION_HIGH, ACTION_LOW, ACTIONS

FILE = "saliency.mp4"
WIDTH, HEIGHT = 720, 544
SIDE = 336
"""Of a picture; the frames are enlarged to it, or nearly."""
_LEFT, _TOP, _GAP = 16, 44, 16
_AXIS, _AXIS_END = 190, 480
_INK, _PALE = "#1a1a1a", "#d9d9d9"


def save_video(lap: SeenLap, looked: Looked, file: Path | None = None) -> Path:
    """Writes the video, H.264, as fast as the lap was driven; 50 frames a second.

    Args:
        lap: With its frames.
        looked: Its saliency.
        file: Where to; ``saliency.mp4`` in the lap's folder by default.

    Returns:
        The file.

    Raises:
        EvaluationError: The lap has no frames, or the saliency is another lap's.
    """
    if len(looked.saliency) != len(pictures(lap)):
        raise EvaluationError(f"{lap.folder}: saliency and frames are not of the same lap")
    file = lap.folder / FILE if file is None else file
    options = {"movflags": "faststart"}
    with (
        whole(file) as aside,
        av.open(str(aside), "w", format="mp4", options=options) as container,
    ):
        stream = container.add_stream("libx264", rate=Fraction(1) / Fraction(str(STEP_SECONDS)))
        stream.width, stream.height, stream.pix_fmt = WIDTH, HEIGHT, "yuv420p"
        stream.options = {"crf": "22", "preset": "veryfast"}
        for image in drawn(lap, looked):
            container.mux(stream.encode(av.VideoFrame.from_ndarray(image, format="rgb24")))
        container.mux(stream.encode())
    return file


def drawn(lap: SeenLap, looked: Looked) -> Iterator[NDArray[np.uint8]]:
    """The pictures of the video, ``(544, 720, 3)`` each."""
    frames, steps = pictures(lap), lap.steps
    sigmas = np.column_stack([total_sigma(steps, name) for name in ACTIONS])
    enlarged = SIDE // frames.shape[1]
    for number, frame in enumerate(frames):
        image = Image.new("RGB", (WIDTH, HEIGHT), "white")
        pen = ImageDraw.Draw(image)
        where = looked.lens.words + ("" if looked.scale[number] > 0 else ": nothing")
        shown = (in_colour(frame, enlarged), overlaid(frame, looked.saliency[number], enlarged))
        for place, (picture, words) in enumerate(zip(shown, ("what it saw", where), strict=True)):
            corner = (_LEFT + place * (SIDE + _GAP), _TOP)
            image.paste(Image.fromarray(picture), corner)
            pen.text((corner[0] + 4, corner[1] + 4), words, "white", _font(13))
        row = steps.iloc[number]
        pen.text((_LEFT, 14), _title(lap, row), _INK, _font(16))
        for line, name in enumerate(ACTIONS):
            _action(pen, _TOP + SIDE + 36 + 44 * line, row, name, float(sigmas[number, line]))
        yield np.asarray(image)


def _title(lap: SeenLap, row: "pd.Series[float]") -> str:
    return (
        f"{lap.policy} on {lap.map}   {row['step'] * STEP_SECONDS:.2f} s   "
        f"{row['speed']:.0f} units/s   {row['lateral_error']:+.1f} units from the centre"
    )


def _action(
    pen: ImageDraw.ImageDraw, y: int, row: "pd.Series[float]", name: str, sigma: float
) -> None:
    """One action: its range, bands of one and two standard deviations, the mean, the driven."""
    column = ACTIONS.index(name)
    low, high = float(ACTION_LOW[column]), float(ACTION_HIGH[column])

    def x(value: float) -> float:
        share = (value - low) / (high - low)
        return _AXIS + float(np.clip(share, 0.0, 1.0)) * (_AXIS_END - _AXIS)

    mean, epistemic = float(row[f"mean_{name}"]), float(row[f"epistemic_{name}"])
    pen.text((_LEFT, y - 9), NAMES[name], _INK, _font(14))
    pen.line((_AXIS, y, _AXIS_END, y), _PALE, 2)
    for end in (low, 0.0, high):
        pen.line((x(end), y - 9, x(end), y + 9), _PALE, 1)
    if np.isfinite(sigma) and sigma > 0:
        for times, shade in ((2, 0.25), (1, 0.5)):
            band = (x(mean - times * sigma), y - 9, x(mean + times * sigma), y + 9)
            pen.rectangle(band, _faded(BLUE, shade))
        pen.rectangle((x(mean - epistemic), y - 4, x(mean + epistemic), y + 4), ORANGE)
        words = f"{mean:+.2f} ± {sigma:.2g} (model {epistemic:.1g})"
    else:
        words = f"{mean:+.2f}, no uncertainty stated"
    pen.line((x(mean), y - 11, x(mean), y + 11), _INK, 3)
    action = x(float(row[f"action_{name}"]))
    pen.polygon([(action, y + 11), (action - 5, y + 19), (action + 5, y + 19)], _INK)
    pen.text((_AXIS_END + 16, y - 9), words, _INK, _font(13))


def _faded(colour: str, share: float) -> tuple[int, int, int]:
    """The colour, so much of it, on white."""
    red, green, blue = (
        round(255 - share * (255 - c))
        for c in ImageColor.getcolor(colour, "RGB")[:3]  # type: ignore[index]
    )
    return red, green, blue


def _font(size: int) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(f"{matplotlib.get_data_path()}/fonts/ttf/DejaVuSans.ttf", size)
