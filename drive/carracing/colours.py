"""Colours of road and grass, drawn from a generator of their own: the track of a seed stays."""

from dataclasses import dataclass

import numpy as np

Colour = tuple[float, float, float]


@dataclass(frozen=True)
class ColourScheme:
    """Colours of one lap, red, green and blue in [0, 255] each; the default is gymnasium's.

    Attributes:
        road: Of a visited tile; unvisited tiles are drawn up to 5 lighter, in turns of three.
        background: Of the field between the patches of grass.
        grass: Of the patches of grass.
    """

    road: Colour = (102, 102, 102)
    background: Colour = (102, 204, 102)
    grass: Colour = (102, 230, 102)

    def __post_init__(self) -> None:
        for name in ("road", "background", "grass"):
            colour = np.asarray(getattr(self, name), dtype=np.float64)
            if colour.shape != (3,) or not ((colour >= 0) & (colour <= 255)).all():
                raise ValueError(f"{name} colour: three numbers in [0, 255], not {colour.tolist()}")


def draw_paper_colours(rng: np.random.Generator) -> ColourScheme:
    """A colour scheme as gymnasium's ``domain_randomize`` and the paper's colour test draw it.

    Road and background are uniform in [0, 210) per channel, grass is the background with one
    channel 20 lighter.
    """
    road = rng.uniform(0, 210, size=3)
    background = rng.uniform(0, 210, size=3)
    grass = background.copy()
    grass[rng.integers(3)] += 20
    return ColourScheme(_colour(road), _colour(background), _colour(grass))


def _colour(values: np.ndarray[tuple[int], np.dtype[np.float64]]) -> Colour:
    red, green, blue = values.tolist()
    return red, green, blue
