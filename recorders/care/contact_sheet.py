"""A sheet of small pictures: frames of episodes in a row each, with what was done at them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from gymnasium.envs.box2d.car_racing import FPS
from minari import EpisodeData
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from recorders.care.contents import known_infos

TILE, GAP, MARGIN, STRIP = 168, 10, 160, 34
"""Pixels: side of a frame, between frames, left for an episode's caption, below a frame."""
_INK, _PALE, _STEER = "#1a1a1a", "#d9d9d9", "#0072B2"


@dataclass(frozen=True)
class Tile:
    """One frame.

    Attributes:
        frame: ``(84, 84)``.
        caption: What is written below it.
        steer: The label at that frame, in [-1, 1]; nothing is drawn of one that is no number.
    """

    frame: NDArray[np.uint8]
    caption: str
    steer: float


@dataclass(frozen=True)
class Row:
    """Frames in a row.

    Attributes:
        caption: Lines that are written left of it.
        tiles: The frames.
    """

    caption: tuple[str, ...]
    tiles: tuple[Tile, ...]


def rows(
    number: int, episode: EpisodeData, entry: dict[str, Any], frames: int, count: int = 1
) -> Iterator[Row]:
    """Frames spread over an episode, from its first to the last with an action.

    Args:
        number: Of the episode.
        episode: Its arrays.
        entry: Its metadata.
        frames: Frames in a row.
        count: Rows.
    """
    steps = np.linspace(0, len(episode.actions) - 1, frames * count).round().astype(int)
    for first in range(0, len(steps), frames):
        tiles = tuple(_tile(episode, step) for step in steps[first : first + frames])
        yield Row(_caption(number, entry) if first == 0 else (), tiles)


def sheet(drawn: Sequence[Row], title: str) -> Image.Image:
    """The picture of all rows."""
    widest = max(len(row.tiles) for row in drawn)
    width = MARGIN + widest * (TILE + GAP)
    image = Image.new("RGB", (width, 44 + len(drawn) * (TILE + STRIP + GAP)), "white")
    pen = ImageDraw.Draw(image)
    pen.text((GAP, 12), title, _INK, ImageFont.load_default(18))
    for i, row in enumerate(drawn):
        top = 44 + i * (TILE + STRIP + GAP)
        pen.multiline_text(
            (GAP, top + 4), "\n".join(row.caption), _INK, ImageFont.load_default(14), spacing=5
        )
        for j, tile in enumerate(row.tiles):
            _draw(image, pen, tile, (MARGIN + j * (TILE + GAP), top))
    return image


def _draw(image: Image.Image, pen: ImageDraw.ImageDraw, tile: Tile, place: tuple[int, int]) -> None:
    """A frame, a bar of its steering, its caption."""
    left, top = place
    picture = Image.fromarray(tile.frame).resize((TILE, TILE), Image.Resampling.NEAREST)
    image.paste(picture.convert("RGB"), place)
    bar, middle = top + TILE + 4, left + TILE // 2
    pen.rectangle((left, bar, left + TILE - 1, bar + 5), _PALE)
    if np.isfinite(tile.steer):
        end = middle + round(min(max(tile.steer, -1), 1) * TILE / 2)
        pen.rectangle((min(middle, end), bar, max(middle, end), bar + 5), _STEER)
    pen.line((middle, bar - 1, middle, bar + 6), _INK)
    pen.text((left, bar + 9), tile.caption, _INK, ImageFont.load_default(12))


def _tile(episode: EpisodeData, step: int) -> Tile:
    steer = float(episode.actions[step, 0])
    caption = f"{step / FPS:.2f} s"
    speed = known_infos(episode).get("speed")
    if speed is not None:
        caption += f"   {speed[step]:.0f} units/s"
    return Tile(episode.observations[step].copy(), f"{caption}   {steer:+.2f}", steer)


def _caption(number: int, entry: dict[str, Any]) -> tuple[str, ...]:
    lines = [f"episode {number}", str(entry.get("map", ""))[-20:]]
    lines.append(f"{entry['total_steps']} steps")
    if "return" in entry:
        lines.append(f"return {entry['return']:.1f}")
    lines.append(str(entry.get("outcome", "")))
    if entry.get("learner"):
        lines.append("driven by a learner")
    return tuple(lines)
