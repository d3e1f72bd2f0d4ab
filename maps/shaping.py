"""Closed lines made into roads: resampled, smoothed, and pulled apart until a road fits on them."""

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from maps.track_map import steps

FloatArray = NDArray[np.float64]
SPACING = 21 / 6  # between gymnasium's own tiles, world units
TIGHTEST = SPACING / 0.31  # the tightest bend gymnasium makes of its tracks, 11.3 world units
ROUNDS = 400  # of easing, after which a line is given up


def resample(line: FloatArray, spacing: float = SPACING) -> FloatArray:
    """Points evenly spaced along a closed line (n, 2), about `spacing` apart, the first kept."""
    ends = np.concatenate([[0.0], np.cumsum(steps(line))])
    count = max(3, round(ends[-1] / spacing))
    at = np.arange(count) * ends[-1] / count
    closed = np.vstack([line, line[:1]])
    return np.column_stack([np.interp(at, ends, closed[:, 0]), np.interp(at, ends, closed[:, 1])])


def smooth(line: FloatArray, spread: float, spacing: float = SPACING) -> FloatArray:
    """A closed line (n, 2) of even `spacing`, convolved with a Gaussian of deviation `spread`.

    Straights stay straight; a bend of radius R moves inwards by about spread ** 2 / (2 R).
    """
    frequency = np.fft.rfftfreq(len(line), d=spacing)
    gain = np.exp(-0.5 * (2.0 * np.pi * frequency * spread) ** 2)
    waves = np.fft.rfft(line, axis=0) * gain[:, None]
    return np.asarray(np.fft.irfft(waves, n=len(line), axis=0))


def reach(line: FloatArray) -> float:
    """The greatest half-width a road along a closed, evenly spaced line (n, 2) can have.

    Federer's reach: the least radius of all circles that touch the line at one point and pass
    through another. It is bounded by the tightest bend and by half the distance between parts of
    the line that pass each other.
    """
    return float(_tightness(line, tangents(line), 0.0)[0])


def fit_road(line: FloatArray, limit: float, wanted: float = TIGHTEST) -> FloatArray | None:
    """Move a closed line (n, 2) where a road needs it, until its `reach` is `wanted`.

    Bends that are too tight are smoothed, parts that pass each other too closely pushed apart; the
    rest stays where it is.

    Args:
        line: The line wanted, within `limit`.
        limit: Greatest |x| and |y| of the result, world units.
        wanted: Least reach of the result, world units.

    Returns:
        Evenly spaced points, or None where no such line was found in some hundred rounds.
    """
    line = smooth(resample(line), 0.5 * SPACING)
    for _ in range(ROUNDS):
        line = resample(np.clip(line, -limit, limit))
        # Two per cent more than wanted, so that the last hundredths are not approached for ever.
        least, tight, push = _tightness(line, tangents(line), 1.02 * wanted)
        if least >= wanted:
            return line
        around = np.convolve(np.pad(tight, 6, mode="wrap"), np.ones(13) / 13, "valid")[:, None]
        midway = 0.5 * (np.roll(line, 1, axis=0) + np.roll(line, -1, axis=0))
        line = line + around * (midway - line) + smooth(push, 2.0 * SPACING)
    return None


def tangents(line: FloatArray) -> FloatArray:
    """Unit vectors along a closed, evenly spaced line (n, 2)."""
    chords = np.roll(line, -1, axis=0) - np.roll(line, 1, axis=0)
    return np.asarray(chords / np.hypot(chords[:, 0], chords[:, 1])[:, None])


@njit(cache=True)
def _tightness(
    line: FloatArray, along: FloatArray, wanted: float
) -> tuple[float, FloatArray, FloatArray]:
    """The reach of a line, where it bends too tightly, and how to push its points apart.

    Returns:
        The reach; 1.0 for each point with a near one on a circle smaller than `wanted`, else 0.0,
        (n,); a quarter of what each point lacks from being as far from the other points as on a
        circle of that radius, away from the one it lacks most from, (n, 2).
    """
    n = len(line)
    least, tight, push = np.inf, np.zeros(n), np.zeros((n, 2))
    for i in range(n):
        worst = 0.0
        for j in range(n):
            if i == j:
                continue
            dx, dy = line[j, 0] - line[i, 0], line[j, 1] - line[i, 1]
            square = dx * dx + dy * dy
            aside = abs(along[i, 0] * dy - along[i, 1] * dx)
            steps_apart = min(abs(i - j), n - abs(i - j))
            if square < 2.0 * aside * wanted and steps_apart < 4:
                tight[i] = 1.0
            if square < 2.0 * aside * least:
                least = square / (2.0 * aside)
            if square >= 4.0 * wanted * wanted:
                continue
            distance = math.sqrt(square)
            angle = min(0.5 * steps_apart * SPACING / wanted, 0.5 * math.pi)
            missing = 2.0 * wanted * math.sin(angle) - distance
            if missing > worst and distance > 0.0:
                worst = missing
                push[i, 0] = -0.25 * missing * dx / distance
                push[i, 1] = -0.25 * missing * dy / distance
    return least, tight, push
