"""Features of raw vibration: energy and dominant frequency of wavelets, and moments."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.fft import fft, ifft, next_fast_len
from scipy.ndimage import gaussian_filter1d
from scipy.stats import entropy, kurtosis, skew

FloatArray = NDArray[np.float64]

FEATURES = (
    "energy",
    "dominant frequency",
    "entropy",
    "kurtosis",
    "skewness",
    "mean",
    "standard deviation",
)
"""What is told of each acceleration of a window, in the order of columns."""

WINDOW, STEP = 1000, 500
"""Samples of a window, and from one to the next."""

_SCALES = 100
_BINS = 3
_CONSTANT = 0.81
"""Scales are ``0.81 * rate / frequency``, though the wavelet's centre is at 0.5 cycles a scale."""

_CENTRE = 0.5


@dataclass(frozen=True)
class Extractor:
    """Seven features of each window of a signal, as those of the CARLE network.

    The complex Morlet wavelet ``cmor`` of bandwidth 1 and centre 0.5 is sampled as it is. A
    scale of the lowest frequency is longer than a window, so that only a part of it ever meets the
    signal; PyWavelets samples all of it, as a staircase, whose steps let in frequencies of some
    kilohertz (the fewer, the higher its ``precision``).

    Attributes:
        rate: Samples a second.
        low: Nominal frequency of the widest wavelet, hertz.
        high: Of the narrowest.
        smoothing: Standard deviation of the Gaussian filter before, in samples.
    """

    rate: float = 25600.0
    low: float = 10.0
    high: float = 120.0
    smoothing: float = 0.75
    _transforms: NDArray[np.complex128] = field(init=False, repr=False, compare=False)
    _length: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        lags = np.arange(1 - WINDOW, WINDOW)
        stretched = lags / self.scales[:, None]
        wavelets = np.exp(-(stretched**2) + 2j * np.pi * _CENTRE * stretched)
        wavelets /= np.sqrt(np.pi * self.scales)[:, None]
        length = next_fast_len(len(lags) + WINDOW - 1)
        # A correlation is a convolution with the reversed conjugate, which a Morlet's own self is.
        object.__setattr__(self, "_transforms", fft(wavelets, length))
        object.__setattr__(self, "_length", length)

    @property
    def scales(self) -> FloatArray:
        """Of the wavelets, in samples, widest first, ``(100,)``."""
        return _CONSTANT * self.rate / np.geomspace(self.low, self.high, _SCALES)

    @property
    def frequencies(self) -> FloatArray:
        """Where the wavelets are centred, hertz, ``(100,)``: below the nominal frequencies."""
        return _CENTRE * self.rate / self.scales

    def powers(self, window: FloatArray) -> FloatArray:
        """Squared modulus of the wavelet coefficients ``(100, 1000)`` of a window ``(1000,)``."""
        product = fft(window, self._length) * self._transforms
        inner = ifft(product)[:, WINDOW - 1 : 2 * WINDOW - 1]
        return np.asarray(inner.real**2 + inner.imag**2)

    def window(self, window: FloatArray) -> FloatArray:
        """The seven features ``FEATURES`` of one window ``(1000,)``, filtered already."""
        each = self.powers(window).sum(axis=1)
        density, _ = np.histogram(window, bins=_BINS, density=True)
        return np.array(
            [
                each.sum(),
                self.frequencies[each.argmax()],
                entropy(density + 1e-9),
                kurtosis(window),
                skew(window),
                window.mean(),
                window.std(),
            ]
        )

    def signal(self, signal: FloatArray) -> FloatArray:
        """Features ``(windows, 7)`` of a signal ``(samples,)``.

        Raises:
            ValueError: If it is shorter than a window.
        """
        if len(signal) < WINDOW:
            raise ValueError(f"a signal needs at least {WINDOW} samples, not {len(signal)}")
        smooth = gaussian_filter1d(signal, self.smoothing)
        starts = range(0, len(smooth) - WINDOW + 1, STEP)
        return np.stack([self.window(smooth[start : start + WINDOW]) for start in starts])
