"""Features of signals whose answers are known, and the simulated bearings made of such signals."""

import numpy as np
import pytest
import pywt
from numpy.typing import NDArray

from nsac_core.benchmarks.bearings.synthetic import rigs, simulated
from nsac_core.benchmarks.bearings.wavelets import FEATURES, Extractor

RATE = 25600.0


def tone(frequency: float, amplitude: float = 1.0, samples: int = 1000) -> NDArray[np.float64]:
    time = np.arange(samples) / RATE
    return np.asarray(amplitude * np.cos(2 * np.pi * frequency * time))


@pytest.fixture(scope="module")
def extractor() -> Extractor:
    """That of PRONOSTIA, whose wavelets are short enough for a closed form within a window."""
    return Extractor(low=33, high=300)


def test_the_power_of_a_tone_is_its_closed_form(extractor: Extractor) -> None:
    # The transform of the wavelet: exp(-pi^2 (cycles - 1/2)^2), of half the tone's amplitude.
    powers = extractor.powers(tone(150, amplitude=3))[:, 500]
    cycles = 150 * extractor.scales / RATE
    expected = (3 / 2) ** 2 * extractor.scales * np.exp(-2 * np.pi**2 * (cycles - 0.5) ** 2)
    short = extractor.scales < 150
    assert short.sum() > 30
    np.testing.assert_allclose(powers[short], expected[short], rtol=0.01)


def test_coefficients_are_the_sums_that_define_them() -> None:
    window = np.random.default_rng(0).normal(size=1000)
    powers = Extractor().powers(window)
    for scale, at in ((0, 0), (40, 321), (99, 999)):
        width = 0.81 * RATE / (10 * 12 ** (scale / 99))
        lags = (np.arange(1000) - at) / width
        wavelet = np.exp(-(lags**2) + 1j * np.pi * lags) / np.sqrt(np.pi * width)
        assert powers[scale, at] == pytest.approx(abs((window * wavelet.conj()).sum()) ** 2)


def test_the_dominant_frequency_follows_the_tone(extractor: Extractor) -> None:
    # Wide wavelets weigh more: the closed form has its peak where u^2 - u / 2 = 1 / (4 pi^2).
    cycles = (0.5 + np.sqrt(0.25 + 1 / np.pi**2)) / 2
    for frequency in (100.0, 150.0):
        found = extractor.window(tone(frequency))[FEATURES.index("dominant frequency")]
        assert found == pytest.approx(0.5 / cycles * frequency, rel=0.03)


def test_frequencies_are_those_that_the_published_files_hold() -> None:
    # The lowest of XJTU-SY and the sixteenth above it; the lowest and the highest of PRONOSTIA.
    assert Extractor().frequencies[[0, 16]] == pytest.approx([6.172839506172843, 9.223550207184072])
    ends = Extractor(low=33, high=300).frequencies[[0, -1]]
    assert ends == pytest.approx([20.370370370370363, 185.1852], rel=1e-6)
    twice = Extractor(rate=51200, low=33, high=300).frequencies[[0, 2]]
    assert twice == pytest.approx([20.370370370370363, 21.299270527843998])


def test_moments_of_a_square_wave(extractor: Extractor) -> None:
    window = np.where(np.arange(1000) % 2, 3.0, -1.0)
    found = dict(zip(FEATURES, extractor.window(window), strict=True))
    # Two of three bins hold one half each; a fair coin has excess kurtosis -2.
    assert found["entropy"] == pytest.approx(np.log(2), abs=1e-6)
    assert found["kurtosis"] == pytest.approx(-2)
    assert found["skewness"] == pytest.approx(0, abs=1e-9)
    assert (found["mean"], found["standard deviation"]) == pytest.approx((1, 2))


def test_a_signal_is_filtered_and_cut_into_windows() -> None:
    noise = np.random.default_rng(1).normal(size=5400)
    features = Extractor(smoothing=0.75).signal(noise)
    assert features.shape == (9, 7)
    # What a Gaussian filter leaves of white noise: the root of the sum of its squared weights.
    weights = np.exp(-0.5 * (np.arange(-3, 4) / 0.75) ** 2)
    left = np.sqrt((weights**2).sum()) / weights.sum()
    assert features[:, -1].mean() == pytest.approx(left, rel=0.03)
    with pytest.raises(ValueError, match="at least 1000 samples"):
        Extractor().signal(noise[:999])


def test_pywavelets_agrees_but_for_its_staircase() -> None:
    extractor = Extractor()

    def theirs(window: NDArray[np.float64], precision: int) -> float:
        coefficients, frequencies = pywt.cwt(
            window, extractor.scales, "cmor1-0.5", 1 / RATE, "fft", precision=precision
        )
        np.testing.assert_allclose(frequencies, extractor.frequencies)
        return float((np.abs(coefficients) ** 2).sum())

    low, high = tone(30) + tone(70), tone(3200)
    assert extractor.powers(low).sum() == pytest.approx(theirs(low, 12), rel=1e-3)
    # A tone far above all wavelets: their steps let it in, the more the coarser they are.
    exact = extractor.powers(high).sum()
    assert theirs(high, 16) < 5 * exact
    assert theirs(high, 12) > 100 * exact


def test_a_simulated_bearing_is_heard_to_fail() -> None:
    bearing = simulated("xjtu_1_1", rigs()["xjtu_1_1"], rows=60, seed=0)
    assert bearing.features.shape == (60, 14)
    kurtosis, deviation = bearing.features[:, 3], bearing.features[:, 6]
    new, worn = bearing.label < 0.01, bearing.label > 0.3
    assert kurtosis[worn].mean() > kurtosis[new].mean() + 1
    assert deviation[worn].mean() > 1.5 * deviation[new].mean()
    again = simulated("xjtu_1_1", rigs()["xjtu_1_1"], rows=60, seed=0)
    np.testing.assert_array_equal(again.features, bearing.features)
    other = simulated("xjtu_1_2", rigs()["xjtu_1_1"], rows=60, seed=0)
    assert not np.array_equal(other.features, bearing.features)
