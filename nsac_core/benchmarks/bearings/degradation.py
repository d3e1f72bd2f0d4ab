"""Degradation labels: an ordinary differential equation of time alone, and an older formula.

Neither looks at the vibration: a label is a function of the time since the start, of the time of
the end, and of constants of the test rig.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

FloatArray = NDArray[np.float64]

_BOLTZMANN = 8.617e-5
"""In electron volts per kelvin."""

_ROOM = 293.15
_SHAFT = 0.025
"""Bore of the bearing, metres."""


@dataclass(frozen=True)
class Regime:
    """How a bearing runs.

    Attributes:
        load: Radial, newtons.
        speed: Revolutions per minute.
        temperature: Kelvin.
        capacity: Dynamic load capacity, newtons.
        wear: Coefficient of adhesive wear.
    """

    load: float
    speed: float
    temperature: float
    capacity: float
    wear: float


def degradation(time: FloatArray, regime: Regime) -> FloatArray:
    """The paper's label, 0 at the first time and 1 at the last.

    Oxidation, wear, roughness, contamination and fatigue feed each other; their sum, scaled to
    [0, 1], is close to ``(t / t_end) ** 15`` whatever the regime.

    Args:
        time: Seconds since the start, ``(rows,)``, not falling.
        regime: Load, speed and material.
    """
    moments, rows = np.unique(time, return_inverse=True)
    start = [0.0, 0.0, 1e-6, 0.0, 0.0, 0.0]  # a new surface is not quite smooth
    solution = solve_ivp(
        lambda _, state: _rates(state, regime),
        (moments[0], moments[-1]),
        start,
        method="LSODA",
        t_eval=moments,
        rtol=1e-10,
        atol=1e-30,
    )
    damage: FloatArray = solution.y[-1][rows]
    label: FloatArray = (damage - damage.min()) / (damage.max() - damage.min())
    return label


def _rates(state: FloatArray, regime: Regime) -> list[float]:
    """Rates of fatigue, wear, roughness, oxidation, contamination and damage."""
    _, wear, roughness, oxidation, contamination, _ = state
    load, speed, temperature = regime.load, regime.speed, regime.temperature
    oxidising = 1e-4 * (1 - oxidation) * np.exp(-0.1 / (_BOLTZMANN * temperature))
    friction = 0.005 * load * 2 * np.pi * speed / 60
    heating = (friction - 5 * (temperature - _ROOM) + 100 * oxidising) / 3.77e6
    viscosity = np.exp(
        -1e-5 * oxidation - 0.1 / (_BOLTZMANN * temperature) + 0.1 / (_BOLTZMANN * _ROOM)
    )
    sliding = np.pi * _SHAFT * speed / 60
    capacity = regime.capacity * viscosity * np.exp(-1e-6 * contamination)
    capacity /= 1 + 1e6 * wear + 1e12 * roughness**2
    stress = load / capacity
    fatiguing = 1e-5 * stress**4 * speed
    wearing = regime.wear * load * sliding / 1.5e9 + 1e-6 * roughness
    roughening = 1e-3 * wearing + 1e-5 * contamination
    damaging = stress**3 * speed / 6e7 + 1e-6 * fatiguing + 0.5 * wearing + 0.5 * heating
    return [fatiguing, wearing, roughening, oxidising, 1e6 * wearing, damaging]


def exponential_degradation(time: FloatArray) -> FloatArray:
    """The label that older files carry: all but linear in time, 0 at the start, 1 at the end.

    Args:
        time: Seconds since the start, ``(rows,)``.
    """
    rate = 3e-5
    grown: FloatArray = np.expm1(rate * time) / np.expm1(rate * time[-1])
    return grown
