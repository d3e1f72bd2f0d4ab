"""What happened inside one evaluation of a layer, for neuron traces and attention maps."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace

import torch
from torch import Tensor

from nsac_core.circuit_attention import Memory, Pairs

_QUERY_AXIS = {"logits": 3, "weights": 3}


@dataclass(frozen=True)
class Internals:
    """The record of one evaluation, detached from the gradient.

    ``chosen`` is the number of keys per query; ``query`` is 1 for ``positions="last"``.

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
    query: Tensor
    key: Tensor
    value: Tensor

    @classmethod
    def of(
        cls, process: Mapping[str, Tensor], logits: Tensor, weights: Tensor, pairs: Pairs
    ) -> "Internals":
        """The record of one chunk of queries.

        Args:
            process: phi, kappa, psi, time, ou_mean, ou_std, inter and command of each pair.
            logits: ``(batch, heads, query, samples, chosen)``.
            weights: Shape of ``logits``.
            pairs: The keys that were met.
        """
        shape = process["phi"].shape
        chosen = torch.arange(shape[-1], device=logits.device)
        valid = chosen.new_ones((), dtype=torch.bool) if pairs.valid is None else pairs.valid
        valid = valid.expand(shape)
        parts = {name: value.detach() for name, value in process.items()}
        for group in ("inter", "command"):
            parts[group] = _mean_over_keys(parts[group].float(), valid)
        nothing = logits.new_empty(0)
        return cls(
            **parts,
            key_index=(chosen if pairs.index is None else pairs.index).expand(shape),
            key_valid=valid,
            logits=logits.detach().movedim(3, 0).masked_fill(~valid, -torch.inf),
            weights=weights.detach().movedim(3, 0),
            query=nothing,
            key=nothing,
            value=nothing,
        )

    @classmethod
    def joined(cls, parts: "Sequence[Internals]", query: Tensor, memory: Memory) -> "Internals":
        """One record of consecutive chunks and the gates of the whole evaluation."""
        whole = parts[0]
        if len(parts) > 1:
            names = [field.name for field in fields(cls) if field.name not in _GATES]
            whole = replace(
                whole,
                **{
                    name: torch.cat(
                        [getattr(part, name) for part in parts], _QUERY_AXIS.get(name, 2)
                    )
                    for name in names
                },
            )
        gates = (query, memory.key, memory.value)
        potentials = (gate.detach().float().transpose(1, 2).flatten(2) for gate in gates)
        return replace(whole, **dict(zip(_GATES, potentials, strict=True)))


_GATES = ("query", "key", "value")


def _mean_over_keys(potentials: Tensor, valid: Tensor) -> Tensor:
    weight = valid.to(potentials.dtype)[..., None]
    return (potentials * weight).sum(3) / weight.sum(3).clamp_min(1)
