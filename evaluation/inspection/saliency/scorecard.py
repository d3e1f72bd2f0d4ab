"""The scores of a lap's saliency through every lens, and the tables of them."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from drive.carracing.regions import Region
from evaluation.inspection.saliency.curves import aimless, curves
from evaluation.inspection.saliency.lens import KINDS, Lens
from evaluation.inspection.saliency.looked import pictures, seen_regions, stacks
from evaluation.inspection.saliency.maps import saliency_maps
from evaluation.inspection.saliency.network import PictureNetwork
from evaluation.inspection.saliency.sanity import randomised, sanity
from evaluation.inspection.saliency.scores import areas, shares
from evaluation.inspection.seen_laps import SeenLap
from nsac_core.benchmarks.sheets import Field, Number, Sheet

SANITY_STEPS = 8
"""Of the steps scored, that many are looked at again for each layer that is shuffled."""


def score(
    lap: SeenLap, network: PictureNetwork, lens: Lens, steps: int, seed: int = 0
) -> pd.DataFrame:
    """Scores through each kind of lens, from evenly spaced steps of a lap.

    Args:
        lap: With frames and regions.
        network: Its driver's.
        lens: Action, layer, sign and frame; every kind is scored.
        steps: How many, or all where the lap has fewer.
        seed: Of the shuffled weights and of the aimless maps.

    Returns:
        One row a number: ``policy, lap, map, kind, measure, item, value``. Measures: ``area`` and
        ``share`` of a region (item) in the picture and in the saliency, ``shuffled_share`` with
        all weights shuffled, ``blank`` share of steps where nothing is salient; ``deletion`` and
        ``insertion`` areas, those of kind ``aimless`` for comparison; ``rank_correlation`` with
        the maps after a layer (item), and all between it and the action, was shuffled.

    Raises:
        EvaluationError: Frames or regions are missing, or there is no such layer or frame.
    """
    frames = pictures(lap)
    chosen = np.unique(np.linspace(0, len(frames) - 1, steps).round().astype(int))
    shown, seen = stacks(frames, network.observation.frames, chosen), seen_regions(lap)[chosen]
    rows = [("", "area", *pair) for pair in _by_region(areas(seen))]
    guess = curves(network, shown, aimless(len(shown), seen.shape[1:], seed), lens)
    rows += [("aimless", "deletion", "", guess.deletion_area)]
    rows += [("aimless", "insertion", "", guess.insertion_area)]
    course = randomised(network, seed)
    for kind in KINDS:
        own = replace(lens, kind=kind)
        maps = saliency_maps(network, shown, own)
        rows += [(kind, "share", *pair) for pair in _by_region(shares(maps, seen))]
        random = shares(saliency_maps(course[-1].network, shown, own), seen)
        rows += [(kind, "shuffled_share", *pair) for pair in _by_region(random)]
        rows += [(kind, "blank", "", float((maps.max(axis=(1, 2)) == 0).mean()))]
        curve = curves(network, shown, maps, own)
        rows += [(kind, "deletion", "", curve.deletion_area)]
        rows += [(kind, "insertion", "", curve.insertion_area)]
        some = shown[:: -(-len(shown) // SANITY_STEPS)]
        changed = sanity(network, course, some, own)
        rows += [(kind, "rank_correlation", layer, value) for layer, value in changed.items()]
    table = pd.DataFrame(rows, columns=["kind", "measure", "item", "value"])
    identity: dict[str, Any] = {"policy": lap.policy, "lap": lap.lap, "map": lap.map}
    return table.assign(**identity)[[*identity, *table]]


def sheets(scores: pd.DataFrame) -> list[Sheet]:
    """Where the saliency lies, and whether it is to be believed: means over the laps."""
    kinds = [kind for kind in KINDS if (scores["kind"] == kind).any()]
    return [_shares(scores, kinds), _trust(scores, kinds)]


def _shares(scores: pd.DataFrame, kinds: list[Any]) -> Sheet:
    rows: list[list[Field]] = []
    for policy, own in scores.groupby("policy", sort=False):
        rows.append([f"{policy}: area", *_percent(own, "", "area")])
        for kind in kinds:
            rows.append([f"{policy}: {kind}", *_percent(own, kind, "share")])
            rows.append(["  weights shuffled", *_percent(own, kind, "shuffled_share")])
    return Sheet(
        "saliency_shares",
        "Share of the saliency on each part of the picture (%), mean over the steps that have any.",
        ["", *(region.label for region in Region)],
        rows,
    )


def _trust(scores: pd.DataFrame, kinds: list[Any]) -> Sheet:
    rows: list[list[Field]] = []
    for policy, own in scores.groupby("policy", sort=False):
        for kind in [*kinds, "aimless"]:
            part = own[own["kind"] == kind]
            rows.append([f"{policy}: {kind}", *_numbers(part)])
    return Sheet(
        "saliency_trust",
        "Areas under the curves of deletion (large is good) and insertion (small is good), in "
        "units of the action; rank correlation with the maps after the weights of half the "
        "layers, from the action back, or of all were shuffled (near 0 is good); share of the "
        "steps where nothing is salient (blank).",
        ["", "deletion", "insertion", "half", "all", "blank (%)"],
        rows,
    )


def _numbers(part: pd.DataFrame) -> Iterator[Number]:
    for measure in ("deletion", "insertion"):
        yield Number(_mean(part, measure), digits=3)
    by_layer = part[part["measure"] == "rank_correlation"].groupby("item", sort=False)["value"]
    course = by_layer.mean().to_numpy(dtype=np.float64)
    for place in (len(course) // 2, len(course) - 1):
        yield Number(float(course[place]) if len(course) else np.nan, digits=2)
    yield Number(100 * _mean(part, "blank"), digits=0)


def _percent(scores: pd.DataFrame, kind: str, measure: str) -> Iterator[Number]:
    own = scores[(scores["kind"] == kind) & (scores["measure"] == measure)]
    for region in Region:
        value = own.loc[own["item"] == region.label, "value"].mean()
        yield Number(100 * float(value), digits=1)


def _mean(part: pd.DataFrame, measure: str) -> float:
    return float(part.loc[part["measure"] == measure, "value"].mean())


def _by_region(each: "np.ndarray[Any, Any]") -> Iterator[tuple[str, float]]:
    """Means over the steps where there are any."""
    for region in Region:
        own = each[:, region]
        known = own[np.isfinite(own)]
        yield region.label, float(known.mean()) if len(known) else np.nan
