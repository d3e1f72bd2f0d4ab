"""The two circuits of the attention layer: sensory gates and the backbone."""

from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from nsac_core.wiring import DEFAULT_SEED, Wiring, backbone_wiring, sensory_wiring


class SensoryGate(nn.Module):
    """Projects features onto the sensory neurons of a circuit.

    Sensory neurons have no synapse among each other and their potential is linear, so the gate has
    no memory: one matrix product over all time points replaces a loop over them. Every feature
    reaches every sensory neuron; the neurons of the other groups are left out altogether.

    Attributes:
        weight: ``(neurons, input_dim)``.
        bias: ``(neurons,)``.
    """

    def __init__(
        self, input_dim: int, neurons: int, sparsity: float, wiring_seed: int = DEFAULT_SEED
    ) -> None:
        super().__init__()
        wired = sensory_wiring(input_dim, neurons, sparsity, wiring_seed).inter
        if wired != neurons:
            raise ValueError(f"the wiring holds {wired} sensory neurons where {neurons} are needed")
        self.weight = nn.Parameter(torch.empty(neurons, input_dim))
        self.bias = nn.Parameter(torch.zeros(neurons))
        nn.init.xavier_uniform_(self.weight)

    def forward(self, x: Tensor) -> Tensor:
        """Membrane potentials ``(..., neurons)`` of features ``(..., input_dim)``."""
        return functional.linear(x, self.weight, self.bias)

    def extra_repr(self) -> str:
        """Sizes, for ``print``."""
        return f"input_dim={self.weight.shape[1]}, neurons={self.weight.shape[0]}"


class MaskedSynapses(nn.Module):
    """A linear map that exists only along the synapses of a wiring.

    Attributes:
        weight: ``(targets, sources)``; entries without a synapse stay zero and get no gradient.
        bias: ``(targets,)``.
        mask: 1 along synapses, ``(targets, sources)``, not trained.
    """

    mask: Tensor

    def __init__(self, synapses: NDArray[np.bool_]) -> None:
        super().__init__()
        mask = torch.tensor(synapses.T, dtype=torch.get_default_dtype())
        self.register_buffer("mask", mask, persistent=False)
        self.weight = nn.Parameter(torch.empty_like(mask))
        self.bias = nn.Parameter(torch.zeros(mask.shape[0]))
        with torch.no_grad():
            # Glorot with the fans that the synapses leave, so that sparsity keeps the variance.
            fans = float(synapses.sum()) * (1 / mask.shape[0] + 1 / mask.shape[1])
            self.weight.uniform_(-1.0, 1.0).mul_((6.0 / fans) ** 0.5).mul_(self.mask)

    def _load_from_state_dict(
        self,
        state_dict: dict[str, Any],
        prefix: str,
        local_metadata: dict[str, Any],
        strict: bool,
        missing_keys: list[str],
        unexpected_keys: list[str],
        error_msgs: list[str],
    ) -> None:
        """As any module, and refuses weights along synapses that this wiring has not."""
        name = f"{prefix}weight"
        weight = state_dict.get(name)
        absent = (self.mask == 0).to("cpu")
        fits = isinstance(weight, Tensor) and weight.shape == absent.shape
        if weight is not None and fits and weight.cpu()[absent].any():
            error_msgs.append(
                f"{name} is of another wiring: it holds synapses that this one has not; build the "
                "layer with the wiring_seed and the sparsity that it was trained with"
            )
        super()._load_from_state_dict(
            *(state_dict, prefix, local_metadata, strict),
            *(missing_keys, unexpected_keys, error_msgs),
        )

    def from_rates(self, gain: float) -> tuple[Tensor, Tensor]:
        """Weights and bias that turn rates of the sources into ``gain`` times the drive.

        The drive of potentials ``2 rate - 1`` is ``W (2 rate - 1) + b = 2 W rate + (b - W 1)``.

        Returns:
            ``(targets, sources)`` and ``(targets,)``.
        """
        weight = self.weight * self.mask
        return 2 * gain * weight, gain * (self.bias - weight.sum(1))


class Firing(NamedTuple):
    """The neurons of a backbone for each pair.

    The potential tanh(d) of a driven neuron is ``2 rate - 1`` with ``rate = sigmoid(2 d)``; rates
    are kept because the sigmoid is evaluated six times faster than the tanh.

    Attributes:
        inter_rate: In (0, 1), ``(..., inter)``, filled up to a multiple of 8.
        command_rate: In (0, 1), ``(..., command)``, likewise filled.
        motor: Linear potentials, ``(..., motors)``.
    """

    inter_rate: Tensor
    command_rate: Tensor
    motor: Tensor


class Backbone(nn.Module):
    """The circuit inter -> command -> motor, evaluated for query-key pairs.

    One evaluation carries a pair over three synaptic hops (input to inter, inter to command,
    command to motor; tanh potentials, linear motors), so that the motors depend on the pair.
    Recurrent command synapses would need a fourth hop: they are not used and hold no parameters.

    With ``authors_mode`` all groups step once, from potentials of zero, as in the published code:
    commands and motors then hear nothing but their biases.

    Attributes:
        wiring: The drawn circuit.
        authors_mode: Whether one step is all.
    """

    def __init__(
        self,
        head_dim: int,
        model_dim: int,
        motors: int,
        sparsity: float,
        wiring_seed: int = DEFAULT_SEED,
        authors_mode: bool = False,
    ) -> None:
        super().__init__()
        self.authors_mode = authors_mode
        self.wiring: Wiring = backbone_wiring(
            2 * head_dim, model_dim, motors, sparsity, wiring_seed
        )
        self.head_dim = head_dim
        self.inter_weight = nn.Parameter(torch.empty(2 * head_dim, self.wiring.inter))
        self.inter_bias = nn.Parameter(torch.zeros(self.wiring.inter))
        nn.init.xavier_uniform_(self.inter_weight)
        self.command = MaskedSynapses(self.wiring.inter_to_command)
        self.motor = MaskedSynapses(self.wiring.command_to_motor)

    def forward(self, query: Tensor, key: Tensor) -> Firing:
        """The three groups for the pairs ``[query; key]``.

        The two halves of a pair are projected apart and added, which spares building the pairs.

        Args:
            query: ``(..., head_dim)``.
            key: ``(..., head_dim)``; broadcasts against ``query``.
        """
        inter_weight = _filled(2 * self.inter_weight)
        inter_bias = _filled(2 * self.inter_bias)
        of_query, of_key = inter_weight.chunk(2)
        # Matrix products as x @ W: the gradient of F.linear is ten times slower for so few rows.
        of_pair, drive = key @ of_key, query @ of_query + inter_bias
        shared = key.shape[-2] != query.shape[-2]
        inter = (of_pair + drive if shared else of_pair.add_(drive)).sigmoid_()
        if self.authors_mode:
            return self._unmoved(inter)
        weight, bias = self.command.from_rates(gain=2.0)
        weight = _filled(_filled(weight).T).T
        # On a matrix, since the gradient through a changed view would copy it.
        command = functional.linear(inter.flatten(0, -2), weight, _filled(bias)).sigmoid_()
        weight, bias = self.motor.from_rates(gain=1.0)
        motor = functional.linear(command, _filled(weight), bias)
        pairs = inter.shape[:-1]
        return Firing(inter, command.view(*pairs, -1), motor.view(*pairs, -1))

    def _unmoved(self, inter: Tensor) -> Firing:
        """Commands and motors after a single step, which their biases alone decide."""
        command = _filled((2 * self.command.bias)[None]).sigmoid()[0]
        pairs = inter.shape[:-1]
        return Firing(inter, command.expand(*pairs, -1), self.motor.bias.expand(*pairs, -1))

    def extra_repr(self) -> str:
        """Sizes of the neuron groups, for ``print``."""
        wiring = self.wiring
        return f"inter={wiring.inter}, command={wiring.command}, motor={wiring.motor}"


def _filled(weight: Tensor) -> Tensor:
    """Zero columns up to a multiple of 8: a product of odd size is a third slower on a CPU."""
    return functional.pad(weight, (0, -weight.shape[-1] % 8))
