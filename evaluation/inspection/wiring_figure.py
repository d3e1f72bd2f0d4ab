"""``nsac-inspect wiring``: the circuit of a driver, its synapses by sign, its neurons at a step."""

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.collections import LineCollection
from matplotlib.colors import Normalize, to_rgb
from matplotlib.figure import Figure
from numpy.typing import NDArray
from torch import Tensor

import policies
from evaluation.errors import EvaluationError
from evaluation.figures import BLUE, VERMILION
from evaluation.inspection import traces
from evaluation.inspection.learned import learned_driver
from evaluation.inspection.seen_laps import SeenLap, seen_laps
from evaluation.inspection.wiring_config import WiringConfig
from maps.files.picture_file import find_fault, save_picture
from maps.files.whole import writable
from nsac_core import NSAC
from nsac_core.circuit_attention import CircuitAttention
from nsac_core.recording import layers

FloatArray = NDArray[np.float64]

GROUPS = ("sensory", "inter", "command", "motor")
_COLOURS = ScalarMappable(Normalize(-1, 1), "coolwarm")
"""Of potentials, each as a share of the largest of its group."""
_ROWS = 26
"""Neurons that lie below one another; further ones lie beside them."""


@dataclass(frozen=True)
class Circuit:
    """A backbone circuit as it is drawn.

    Attributes:
        synapses: Weights from each group of ``GROUPS`` to the next, ``(sources, targets)``; 0 where
            there is no synapse.
        sensory: Names of the inputs.
        motors: Names of the motor neurons.
    """

    synapses: tuple[FloatArray, FloatArray, FloatArray]
    sensory: tuple[str, ...]
    motors: tuple[str, ...]

    @classmethod
    def of(cls, layer: CircuitAttention, member: int | None = None) -> "Circuit":
        """That of an attention layer; ``member`` of one that is stacked."""
        backbone = layer.backbone
        command = backbone.command.weight * backbone.command.mask
        motor = backbone.motor.weight * backbone.motor.mask
        parts = (backbone.inter_weight, command.mT, motor.mT)
        first, second, third = (_array(part, member) for part in parts)
        inputs = [f"{kind} {i}" for kind in ("query", "key") for i in range(backbone.head_dim)]
        motors = ("phi", "kappa", "psi") if isinstance(layer, NSAC) else ("logit",)
        return cls((first, second, third), tuple(inputs), motors)

    @property
    def sizes(self) -> tuple[int, ...]:
        """Neurons of each group."""
        return (len(self.synapses[0]), *(own.shape[1] for own in self.synapses))


def save_wiring(config: WiringConfig) -> Path:
    """Draws the circuit and returns the file.

    Raises:
        EvaluationError: The driver has no circuit or no such member, the run no such lap, step or
            traces, or an option says nothing.
        PolicyError: The policy cannot be loaded.
    """
    fault = find_fault(config.out)
    if fault:
        raise EvaluationError(fault)
    if config.run is None and (config.lap or config.step):
        raise EvaluationError("--lap and --step are of a --run, which is not given")
    with writable(config.out):
        save_picture(_drawn(config), config.out)
    return config.out


def _drawn(config: WiringConfig) -> Figure:
    policy = policies.load(config.policy, trust=config.trust)
    driver = learned_driver(policy)
    found = layers(driver.method) if driver is not None else []
    if not found:
        raise EvaluationError(f"{config.policy}: has no attention circuit to draw")
    stacked = found[0].backbone.inter_weight.ndim == 3
    members = len(found[0].backbone.inter_weight) if stacked else 1
    if not 0 <= config.member < members:
        raise EvaluationError(
            f"{config.policy}: has no member {config.member}, expected 0 to {members - 1}"
        )
    circuit = Circuit.of(found[0], config.member if stacked else None)
    title, activity = policy.name, None
    if config.run is not None:
        lap = _lap(config.run, (policy.name, config.policy), config.lap)
        prefix = f"member_{config.member}_" if stacked else ""
        activity = activities(_row(lap, config.step), found[0].heads, prefix)
        steering = lap.steps["mean_steer"].iloc[config.step]
        title += f" on {lap.map}, step {config.step}: steering {steering:.2f}"
    return wiring_figure(circuit, title, activity)


def wiring_figure(circuit: Circuit, title: str, activity: list[FloatArray] | None = None) -> Figure:
    """The circuit from left to right: orange synapses excite, blue ones inhibit, by strength.

    Args:
        circuit: What is drawn.
        title: Of the figure.
        activity: Potentials of each group, or None: the neurons are left blank.
    """
    figure = Figure(figsize=(10, 8), layout="constrained")
    axes = figure.add_subplot()
    places = [_places(group, size) for group, size in enumerate(circuit.sizes)]
    for group, weights in enumerate(circuit.synapses):
        _draw_synapses(axes, places[group], places[group + 1], weights)
    for group, points in enumerate(places):
        fill: str | FloatArray = "white"
        if activity is not None:
            own = activity[group]
            fill = _COLOURS.to_rgba(own / max(float(np.abs(own).max()), 1e-12))
        x, y = points.T
        axes.scatter(x, y, s=70, c=fill, zorder=3, edgecolors="black", linewidths=0.5)
        axes.text(group, 1.06, f"{GROUPS[group]}\n{len(points)}", ha="center", va="bottom")
    for points, names, side in ((places[0], circuit.sensory, -1), (places[-1], circuit.motors, 1)):
        for (x, y), name in zip(points, names, strict=True):
            align = "right" if side < 0 else "left"
            axes.text(x + 0.06 * side, y, name, ha=align, va="center", fontsize="small")
    if activity is not None:
        figure.colorbar(
            _COLOURS, ax=axes, shrink=0.5, label="potential, of the largest in its group"
        )
    axes.plot([], [], color=VERMILION, label="excites")
    axes.plot([], [], color=BLUE, label="inhibits")
    axes.legend(frameon=False, loc="lower center", ncols=2, bbox_to_anchor=(0.5, -0.06))
    axes.set(xlim=(-0.5, 3.4), ylim=(-0.03, 1.16), title=title)
    axes.axis("off")
    return figure


def activities(row: "pd.Series[float]", heads: int, prefix: str = "") -> list[FloatArray]:
    """Potentials of the groups of ``GROUPS`` at one step: means over heads and over keys.

    Args:
        row: Of the traces.
        heads: Number of heads.
        prefix: Of the columns of one member of an ensemble.
    """

    def group(name: str) -> FloatArray:
        names = [n for n in row.index if n.removeprefix(f"{prefix}{name}_").isdecimal()]
        return np.asarray(row[names], dtype=np.float64)

    query, key = (group(name).reshape(heads, -1).mean(0) for name in ("query", "key"))
    return [np.concatenate([query, key]), *(group(name) for name in GROUPS[1:])]


def _draw_synapses(
    axes: Axes, sources: FloatArray, targets: FloatArray, weights: FloatArray
) -> None:
    source, target = np.nonzero(weights)
    own = weights[source, target]
    order = np.argsort(np.abs(own))
    strength = np.abs(own[order]) / np.abs(own).max(initial=1e-12)
    colours = np.empty((len(own), 4))
    colours[:, :3] = np.where(own[order, None] > 0, to_rgb(VERMILION), to_rgb(BLUE))
    colours[:, 3] = 0.03 + 0.8 * strength**2.5
    ends = np.stack([sources[source[order]], targets[target[order]]], axis=1)
    lines = LineCollection(list(ends), colors=colours, linewidths=0.3 + 1.4 * strength, zorder=1)
    axes.add_collection(lines)


def _places(group: int, size: int) -> FloatArray:
    """Where the neurons of a group are drawn, ``(size, 2)``: staggered, the first on top."""
    columns = math.ceil(size / _ROWS)
    spread = min(1.0, 0.12 * max(size - 1, 1))
    number = np.arange(size)
    places: FloatArray = np.empty((size, 2))
    places[:, 0] = group + 0.09 * (number % columns - (columns - 1) / 2)
    places[:, 1] = 0.5 + spread * (0.5 - (number + 0.5) / size)
    return places


def _array(weights: Tensor, member: int | None) -> FloatArray:
    own = weights if member is None else weights[member]
    return own.detach().double().numpy()


def _lap(run: Path, names: tuple[str, str], number: int) -> SeenLap:
    laps = [lap for lap in seen_laps(run) if lap.lap == number]
    own = [lap for lap in laps if lap.policy in names]
    if not own:
        drivers = ", ".join(sorted({lap.policy for lap in laps})) or "nobody"
        raise EvaluationError(f"{run}: lap {number} was driven by {drivers}, not by {names[0]}")
    return own[0]


def _row(lap: SeenLap, step: int) -> "pd.Series[float]":
    frame = traces.read(lap.folder)
    if frame is None:
        raise EvaluationError(f"{lap.folder}: has no traces; nsac-inspect traces makes them")
    if not 0 <= step < len(frame):
        raise EvaluationError(f"step is {step}, expected 0 to {len(frame) - 1}")
    return frame.iloc[step]
