"""Simulated vibration of bearings that wear out, for where the recordings are not to be had."""

import zlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter1d

from nsac_core.benchmarks.bearings.degradation import Regime, degradation
from nsac_core.benchmarks.bearings.recordings import (
    Bearing,
    hust,
    pronostia,
    with_logarithms,
    xjtu,
)
from nsac_core.benchmarks.bearings.wavelets import WINDOW, Extractor

FloatArray = NDArray[np.float64]

_EDGE = 8
"""Samples on either side of a window, so that the filter's edges lie outside it."""


@dataclass(frozen=True)
class Rig:
    """A test rig and how a bearing on it sounds.

    Attributes:
        regime: Of the bearing, for its label.
        extractor: Of the features.
        duration: Seconds until the bearing fails.
        fault: Times a second that a ball passes the fault.
        resonance: Frequency at which the casing rings, hertz.
        damping: Seconds in which the ringing falls to 1/e.
        noise: Standard deviation of the noise of a new bearing.
        growth: Amplitude of the ringing at the end.
    """

    regime: Regime
    extractor: Extractor
    duration: float
    fault: float
    resonance: float
    damping: float = 1.5e-3
    noise: float = 0.4
    growth: float = 8.0

    def vibration(self, damage: float, generator: np.random.Generator) -> FloatArray:
        """Two channels of a window and its edges, ``(2, samples)``, at a degradation in [0, 1].

        Each time a ball passes the fault the casing rings, the louder the larger the fault; the
        balls slip by a hundredth, the channels hear the ringing at different strength, and wear
        makes all of it noisier.
        """
        samples = WINDOW + 2 * _EDGE
        time = np.arange(samples) / self.extractor.rate
        turning = 0.1 * np.cos(2 * np.pi * self.regime.speed / 60 * time + generator.uniform(0, 6))
        ringing = np.zeros(samples)
        before = 8 * self.damping
        passes = np.arange(-before - generator.uniform() / self.fault, time[-1], 1 / self.fault)
        for begin in passes + generator.normal(0, 0.01 / self.fault, len(passes)):
            since = np.maximum(time - begin, 0)
            ringing += np.exp(-since / self.damping) * np.sin(2 * np.pi * self.resonance * since)
        loudness = self.growth * np.sqrt(damage) * np.array([[1.0], [0.7]])
        noise = generator.normal(0, self.noise * (1 + damage), (2, samples))
        heard: FloatArray = turning + loudness * ringing + noise
        return heard


def rigs() -> dict[str, Rig]:
    """Six simulated bearings on three rigs, named as those that they stand for."""
    fast = Extractor(low=33, high=300, smoothing=1.1)
    faster = Extractor(rate=51200, low=33, high=300, smoothing=1.1)
    found = {
        f"xjtu_1_{number}": Rig(xjtu(), Extractor(), duration, fault=107.9, resonance=resonance)
        for number, (duration, resonance) in enumerate(
            ((312.0, 2600.0), (391.0, 2900.0), (352.0, 2750.0)), start=1
        )
    }
    found["pronostia_1_3"] = Rig(
        pronostia(4000, 1800, 80), fast, 475.0, fault=168.0, resonance=3800.0, noise=0.35
    )
    found["pronostia_2_1"] = Rig(
        pronostia(4200, 1650, 100), fast, 182.0, fault=154.0, resonance=3600.0, noise=0.5
    )
    found["hust_1"] = Rig(hust(), faster, 242.0, fault=89.0, resonance=5200.0, noise=0.6)
    return found


def simulated(name: str, rig: Rig, rows: int, seed: int) -> Bearing:
    """Features of windows spread over the life of a bearing, and its labels.

    Args:
        name: Of the bearing; with the seed it decides everything random.
        rig: Where it runs.
        rows: Windows.
        seed: Of the vibration.
    """
    generator = np.random.default_rng([seed, zlib.crc32(name.encode())])
    time = np.linspace(0, rig.duration, rows)
    label = degradation(time, rig.regime)
    extractor = rig.extractor
    channels = np.empty((rows, 2, 7))
    for row, damage in enumerate(label):
        vibration = gaussian_filter1d(rig.vibration(damage, generator), extractor.smoothing)
        channels[row] = [extractor.window(channel[_EDGE:-_EDGE]) for channel in vibration]
    return Bearing(name, with_logarithms(channels), time, label)


def bearings(rows: int, seed: int = 0) -> dict[str, Bearing]:
    """All simulated bearings by name."""
    return {name: simulated(name, rig, rows, seed) for name, rig in rigs().items()}
