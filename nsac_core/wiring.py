"""Neural circuit policy wiring (Lechner et al. 2020) as neuron groups and synapse masks.

The layout is that of ``ncps.wirings.AutoNCP``: sensory inputs excite *inter* neurons, these excite
*command* neurons, these excite *motor* neurons. Only the existence of a synapse is used, not its
polarity, which training decides.
"""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from ncps.wirings import AutoNCP
from numpy.typing import NDArray

DEFAULT_SEED = 22222


@dataclass(frozen=True, eq=False)
class Wiring:
    """One drawn circuit.

    Attributes:
        inputs: Number of input features.
        units: Number of neurons, all groups together.
        sensory_to_inter: Synapses, bool ``(inputs, inter)``.
        inter_to_command: Synapses, bool ``(inter, command)``.
        command_to_command: Recurrent synapses, bool ``(command, command)``.
        command_to_motor: Synapses, bool ``(command, motor)``.
    """

    inputs: int
    units: int
    sensory_to_inter: NDArray[np.bool_]
    inter_to_command: NDArray[np.bool_]
    command_to_command: NDArray[np.bool_]
    command_to_motor: NDArray[np.bool_]

    @property
    def inter(self) -> int:
        """Number of inter neurons."""
        return int(self.inter_to_command.shape[0])

    @property
    def command(self) -> int:
        """Number of command neurons."""
        return int(self.inter_to_command.shape[1])

    @property
    def motor(self) -> int:
        """Number of motor neurons."""
        return int(self.command_to_motor.shape[1])


@lru_cache(maxsize=64)
def draw(inputs: int, units: int, motors: int, sparsity: float, seed: int = DEFAULT_SEED) -> Wiring:
    """Draws the wiring ``AutoNCP(units, motors, sparsity, seed)`` for ``inputs`` features.

    Raises:
        ValueError: If ``sparsity`` is outside [0.1, 0.9] or there are too few units.
    """
    if not 0.1 <= sparsity <= 0.9:
        raise ValueError(f"sparsity must lie in [0.1, 0.9], got {sparsity}")
    ncp = AutoNCP(units, motors, sparsity_level=sparsity, seed=seed)
    ncp.build(inputs)
    inter, command, motor = (ncp.get_neurons_of_layer(layer) for layer in range(3))
    synapses = ncp.adjacency_matrix != 0
    return Wiring(
        inputs=inputs,
        units=units,
        sensory_to_inter=ncp.sensory_adjacency_matrix[:, inter] != 0,
        inter_to_command=synapses[np.ix_(inter, command)],
        command_to_command=synapses[np.ix_(command, command)],
        command_to_motor=synapses[np.ix_(command, motor)],
    )


def sensory_wiring(inputs: int, neurons: int, sparsity: float, seed: int = DEFAULT_SEED) -> Wiring:
    """The circuit of a sensory gate: it has exactly ``neurons`` inter neurons and no motors."""
    return draw(inputs, math.ceil((neurons - 0.5) / 0.6), 0, sparsity, seed)


def backbone_wiring(
    inputs: int, model_dim: int, motors: int, sparsity: float, seed: int = DEFAULT_SEED
) -> Wiring:
    """The circuit that turns a query-key pair into ``motors`` raw gate values."""
    return draw(inputs, model_dim + math.floor(model_dim / 0.6), motors, sparsity, seed)
