from typing import Any

import cv2
import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest

import maps
from drive.carracing.colours import ColourScheme, draw_paper_colours
from drive.observation import ObservationSpec
from evaluation.colour_contrast import gray_contrast, success_by_contrast, with_contrast
from evaluation.lane import Lane
from evaluation.perturbations import Perturbed


def laps(n: int = 40) -> pd.DataFrame:
    rows: list[dict[str, Any]] = [
        {"policy": "p", "perturbation": name, "severity": severity, "seed": 0, "map": f"seed:{i}"}
        for name, severity in (("none", 0), ("colours", 3), ("blur", 2))
        for i in range(n)
    ]
    return pd.DataFrame(rows)


def test_contrast_is_that_of_opencvs_gray() -> None:
    scheme = ColourScheme((10, 200, 30), (100, 20, 250))
    pixels = np.array([[scheme.road, scheme.background]], dtype=np.uint8)
    road, background = cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY).astype(float)[0]
    assert gray_contrast(scheme) == pytest.approx(abs(road - background), abs=1.0)


def test_one_draw_of_nine_hides_the_road_from_gray_eyes() -> None:
    rng = np.random.default_rng(1)
    drawn = np.array([gray_contrast(draw_paper_colours(rng)) for _ in range(20_000)])
    assert (drawn < 8).mean() == pytest.approx(1 / 9.5, abs=0.01)
    assert (drawn < 1).mean() == pytest.approx(1 / 73, abs=0.004)


def test_the_contrast_is_that_of_the_lap_driven() -> None:

    found = with_contrast(laps(3)).set_index("map")
    assert len(found) == 3
    for name, row in found.iterrows():
        spec = ObservationSpec("gray84", 1)
        lane = Lane(maps.load(str(name)), spec, "none", 0, 2, Perturbed("colours", 3))
        world = lane.world
        driven = ColourScheme(tuple(world.road_color), tuple(world.bg_color))
        assert row["gray_contrast"] == pytest.approx(gray_contrast(driven))


def test_success_is_counted_in_ranges_with_wilson_intervals() -> None:
    made = laps()
    contrast = with_contrast(made)["gray_contrast"]
    made["success"] = False
    made.loc[contrast.index, "success"] = contrast > 32
    table = success_by_contrast(made, (0.0, 32.0, 256.0))
    assert table[["from", "to", "share"]].to_numpy().tolist() == [[0, 32, 0], [32, 256, 1]]
    assert table["laps"].sum() == 40
    n = int(table["laps"][1])
    bounds = binomtest(n, n).proportion_ci(method="wilson")
    assert table["low"][1] == pytest.approx(bounds.low)
