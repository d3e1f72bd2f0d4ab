"""Roads side by side, against the geometry of a hairpin drawn by hand."""

import numpy as np
import pytest

from drive.track import Track
from recorders.hard_tracks import SPACING, chosen, doubled_road
from recorders.hard_tracks_config import HardTracks


def stadium(straight: float, radius: float) -> Track:
    """Two straights, ``2 * radius`` apart, joined by half circles; 0.5 between points or less."""
    along = np.linspace(0, straight, int(2 * straight), endpoint=False)
    angle = np.linspace(-np.pi / 2, np.pi / 2, int(8 * radius), endpoint=False)
    bend = radius * np.column_stack([np.cos(angle), np.sin(angle)])
    lower = np.column_stack([along, np.full_like(along, -radius)])
    shift = np.array([straight, 0.0])
    line = np.concatenate([lower, bend + shift, shift - lower, -bend])
    return Track(line, 6.67)


def test_straights_side_by_side_count_but_for_the_ends() -> None:
    # A point u before a bend sees, within 30, the other straight from its twin, 24 across, to 18
    # further on: 2 u + 18 and the half circle along the road, which must be 70.
    radius, straight = 12.0, 200.0
    reach = np.sqrt(30**2 - (2 * radius) ** 2)
    end = (70 - np.pi * radius - reach) / 2
    doubled = doubled_road(stadium(straight, radius))
    assert doubled == pytest.approx(2 * (straight - 2 * end), abs=4 * SPACING)


def test_roads_far_apart_do_not_count() -> None:
    assert doubled_road(stadium(200.0, 16.0)) == 0.0


def test_the_chosen_tracks_have_most_road_beside_other_road() -> None:
    hard = HardTracks(candidates=20, tracks=3, first_seed=31030)
    assert chosen(hard, 1)[:2] == ["seed:31041", "seed:31031"]  # hairpins between close straights
    assert len(chosen(hard, 2)) == 3
    assert not set(chosen(hard, 1)) & set(chosen(hard, 2))


@pytest.mark.parametrize("seed", [2006, 2022])
def test_tracks_that_policies_lose_stand_out(seed: int) -> None:
    others = chosen(HardTracks(candidates=40, tracks=5, first_seed=2000), 1)
    assert f"seed:{seed}" in others
