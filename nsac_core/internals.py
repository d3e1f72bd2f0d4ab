"""What happened inside one evaluation of a layer, for neuron traces and attention maps."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import torch
from torch import Tensor

from nsac_core.gates import Firing
from nsac_core.pairs import Memory, Pairs
from nsac_core.wiring import Wiring

_QUERY_AXIS = {"logits": 3, "weights": 3}


class Process(NamedTuple):
    """The process of each pair's logit, ``(chosen, batch, heads, query)``, and the neurons.

    The parameters and moments are those that ``Internals`` names.
    """

    phi: Tensor
    kappa: Tensor
    psi: Tensor
    time: Tensor
    ou_mean: Tensor
    ou_std: Tensor
    firing: Firing


@dataclass(frozen=True)
class Internals:
    """The record of one evaluation, detached from the gradient.

    ``chosen`` is the number of keys per query; ``query`` is 1 for ``positions="last"``. The logits
    of a NAC have no noise: ``psi`` and ``ou_std`` are 0, ``ou_mean`` is the logit, ``kappa`` its
    tau and ``phi`` lies in (0, 1).

    Attributes:
        phi: Level of each pair's process, in (-1, 1), ``(batch, heads, query, chosen)``.
        kappa: Rate of reversion, > 0, same shape.
        psi: Volatility, > 0, same shape.
        time: Elapsed time, in (0, 1), same shape.
        ou_mean: Mean of the logit, same shape.
        ou_std: Standard deviation of the logit at noise scale 1, same shape.
        key_index: Positions of the chosen keys, int64, same shape.
        key_valid: False for masked keys and for filling, bool, same shape.
        logits: Drawn logits, -inf for masked keys, ``(samples, batch, heads, query, chosen)``.
        weights: Attention weights, 0 for masked keys, shape of ``logits``.
        inter: Potentials of the backbone's inter neurons, mean over a query's keys,
            ``(batch, heads, query, inter)``.
        command: Likewise of the command neurons, ``(batch, heads, query, command)``.
        motor: Likewise of the motor neurons, the raw phi, kappa and psi of an NSAC layer or the
            one of a NAC, ``(batch, heads, query, motors)``.
        query: Potentials of the query gate's neurons, ``(batch, query, model_dim)``.
        key: Potentials of the key gate's neurons, ``(batch, key, model_dim)``.
        value: Potentials of the value gate's neurons, ``(batch, key, model_dim)``.
    """

    phi: Tensor
    kappa: Tensor
    psi: Tensor
    time: Tensor
    ou_mean: Tensor
    ou_std: Tensor
    key_index: Tensor
    key_valid: Tensor
    logits: Tensor
    weights: Tensor
    inter: Tensor
    command: Tensor
    motor: Tensor
    query: Tensor
    key: Tensor
    value: Tensor

    @classmethod
    def of(
        cls, process: Process, logits: Tensor, weights: Tensor, pairs: Pairs, wiring: Wiring
    ) -> "Internals":
        """The record of one chunk of queries.

        Args:
            process: The logits' process of each pair, chosen keys first.
            logits: ``(chosen, samples, batch, heads, query)``.
            weights: Shape of ``logits``.
            pairs: The keys that were met.
            wiring: Of the backbone.
        """
        shape = process.phi.shape
        number = torch.arange(shape[0], device=logits.device).view(-1, 1, 1, 1)
        valid = torch.ones_like(number, dtype=torch.bool) if pairs.valid is None else pairs.valid
        index = (number if pairs.index is None else pairs.index).expand(shape)
        valid = valid.expand(shape)
        drawn = logits.masked_fill(~valid.unsqueeze(1), -torch.inf)
        nothing = logits.new_empty(0)
        names = (*process._fields[:6], "key_index", "key_valid", "logits", "weights")
        by_key = (*process[:6], index, valid, drawn, weights)
        parts: dict[str, Any] = {
            name: part.detach().movedim(0, -1) for name, part in zip(names, by_key, strict=True)
        }
        return cls(
            **parts,
            inter=_mean(_potential(process.firing.inter_rate[..., : wiring.inter]), valid),
            command=_mean(_potential(process.firing.command_rate[..., : wiring.command]), valid),
            motor=_mean(process.firing.motor, valid),
            query=nothing,
            key=nothing,
            value=nothing,
        )

    @classmethod
    def joined(cls, parts: "Sequence[Internals]", query: Tensor, memory: Memory) -> "Internals":
        """One record of consecutive chunks and the gates of the whole evaluation."""
        whole: dict[str, Any] = {
            field.name: torch.cat(
                [getattr(part, field.name) for part in parts], _QUERY_AXIS.get(field.name, 2)
            )
            for field in fields(cls)
            if field.name not in _GATES
        }
        gates = (query.transpose(1, 2), memory.key, memory.value)
        for name, gate in zip(_GATES, gates, strict=True):
            whole[name] = gate.detach().float().flatten(2)
        return cls(**whole)


_GATES = ("query", "key", "value")


def _potential(rate: Tensor) -> Tensor:
    return 2 * rate.float() - 1


def _mean(neurons: Tensor, valid: Tensor) -> Tensor:
    """Mean over the chosen keys of neurons ``(chosen, batch, heads, query, neurons)``."""
    weight = valid.to(torch.float32)[..., None]
    return (neurons.detach().float() * weight).sum(0) / weight.sum(0).clamp_min(1)
