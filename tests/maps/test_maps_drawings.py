import numpy as np
import pytest

import maps
from drive.track import Track
from maps.drawings import DRAWINGS, draw, round_corners
from maps.picture import direction


def test_there_are_six_of_our_own() -> None:
    assert maps.names() == sorted(DRAWINGS)
    assert len(maps.names()) == 6
    assert {direction(maps.load(name)) for name in maps.names()} == {
        "clockwise",
        "counter-clockwise",
    }


@pytest.mark.parametrize("name", sorted(DRAWINGS))
def test_files_are_what_the_drawings_make(name: str) -> None:
    np.testing.assert_allclose(maps.load(name).centre_line, draw(name).centre_line, atol=0.00051)


@pytest.mark.parametrize("name", sorted(DRAWINGS))
def test_drawn_maps_can_be_driven(name: str) -> None:
    """Wide bends, a straight start, no part of the road near another, all of it inside."""
    drawn = maps.load(name)
    track = Track(drawn.centre_line, drawn.half_width)
    assert 1 / np.abs(track.curvature).max() > 2 * drawn.half_width
    ahead = track.curvature_at(np.linspace(-8, 16, 25))
    assert np.abs(ahead).max() < 1e-3
    assert np.abs(drawn.centre_line).max() < 2000 / 6 - 40
    assert 450 < track.length < 1400  # gymnasium gives 1000 steps
    # Every point of either edge lies a half-width off the line, and no nearer to another part.
    for edge in track.boundaries():
        np.testing.assert_allclose(
            np.abs(track.project_many(edge)[:, 1]), drawn.half_width, rtol=0.01
        )


def test_round_corners_of_a_square() -> None:
    square = np.array([[-10.0, -10.0], [10, -10], [10, 10], [-10, 10]])
    line = round_corners(square, np.full(4, 4.0))
    np.testing.assert_allclose(line[0], [0.0, -10.0])
    length = np.hypot(*(np.roll(line, -1, axis=0) - line).T).sum()
    assert length == pytest.approx(4 * 12 + 2 * np.pi * 4, rel=1e-4)
    corner = line[(line > 6).all(axis=1)]
    np.testing.assert_allclose(np.hypot(*(corner - 6).T), 4.0)


def test_arcs_that_do_not_fit_an_edge_are_refused() -> None:
    square = np.array([[-10.0, -10.0], [10, -10], [10, 10], [-10, 10]])
    with pytest.raises(ValueError, match="the edge after corner 0 is too short"):
        round_corners(square, np.full(4, 11.0))
