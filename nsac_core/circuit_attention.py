"""What the NSAC and the NAC layer share: gates, choice of keys, pairs and chunks of queries."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Literal, NamedTuple, get_args

import torch
from torch import Tensor, nn
from torch.nn import functional

from nsac_core.activation import Activation
from nsac_core.curation import Blocks, CutKeys, curate, flat_rows, gather_rows
from nsac_core.gates import Backbone, SensoryGate
from nsac_core.internals import Internals, Process
from nsac_core.options import check_choices, check_counts, check_flags, check_numbers
from nsac_core.pairs import Memory, Pairs

Positions = Literal["last", "all", "asked"]
"""Which queries are evaluated; those asked are all behind the context."""

Sequences = Tensor | tuple[Tensor, Tensor, Tensor]

ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "sigmoid": torch.sigmoid,
    "relu": torch.relu,
    "elu": functional.elu,
    "tanh": torch.tanh,
}
_PAIRS_AT_ONCE = 8192
_PAIRS_AT_ONCE_WITH_GRADIENT = 65536


class Evaluation(NamedTuple):
    """What a layer makes of some queries.

    Attributes:
        outputs: Its predictions, each ``(..., query, output_dim)``.
        process: The process of the logits.
        logits: ``(chosen, samples, batch, heads, query)``.
        weights: Attention weights, shape of ``logits``.
    """

    outputs: tuple[Tensor, ...]
    process: Process
    logits: Tensor
    weights: Tensor


Evaluate = Callable[[Tensor, Pairs, Tensor], Evaluation]
"""Evaluates queries ``(batch, heads, query, head_dim)``, their pairs and their time stamps."""


class CircuitAttention(nn.Module):
    """Projections by sensory gates, sparse choice of keys, and the backbone circuit over pairs.

    Attributes:
        input_dim: Features of a token.
        model_dim: Width of queries, keys and values, all heads together.
        heads: Number of heads.
        top_k: Keys a query attends to at most.
        output_dim: Number of predicted values.
        activation: Name of the non-linearity.
        authors_mode: Whether the backbone runs one step, as the published code does.
        positions: What is predicted unless a call says otherwise.
        time_feature: Feature of a token that is its time stamp, or None.
        context: First tokens of a sequence that can be attended to, or None for all.
        records: Where the internals of each pass are noted (by ``recording``), or None.
    """

    records: list[Internals] | None

    def __init__(  # noqa: PLR0913 - the settings of one layer
        self,
        input_dim: int,
        output_dim: int,
        *,
        motors: int,
        model_dim: int,
        heads: int,
        top_k: int,
        sparsity: float,
        activation: Activation,
        wiring_seed: int,
        authors_mode: bool,
        positions: Positions,
        time_feature: int | None,
        context: int | None,
    ) -> None:
        super().__init__()
        self.records = None
        check_counts(
            input_dim=input_dim,
            output_dim=output_dim,
            model_dim=model_dim,
            heads=heads,
            top_k=top_k,
        )
        check_counts(0, wiring_seed=wiring_seed)
        check_numbers(0.1, 0.9, sparsity=sparsity)
        check_choices(ACTIVATIONS, activation=activation)
        check_choices(get_args(Positions), positions=positions)
        check_flags(authors_mode=authors_mode)
        if model_dim % heads:
            raise ValueError(f"model_dim {model_dim} is not a multiple of heads {heads}")
        self.output_dim, self.activation, self.authors_mode = output_dim, activation, authors_mode
        self.input_dim, self.model_dim, self.heads, self.top_k = input_dim, model_dim, heads, top_k
        if time_feature is not None:
            check_counts(0, time_feature=time_feature)
        if time_feature is not None and time_feature >= input_dim:
            raise ValueError(f"time_feature must be below {input_dim}, got {time_feature}")
        if context is not None:
            check_counts(context=context)
        self.positions, self.time_feature, self.context = positions, time_feature, context
        self.query_gate = SensoryGate(input_dim, model_dim, sparsity, wiring_seed)
        self.key_gate = SensoryGate(input_dim, model_dim, sparsity, wiring_seed)
        self.value_gate = SensoryGate(input_dim, model_dim, sparsity, wiring_seed)
        head_dim = model_dim // heads
        self.backbone = Backbone(
            head_dim, model_dim, motors, sparsity, wiring_seed, authors_mode=authors_mode
        )
        self.time_gate = glorot_linear(2 * head_dim, 2)

    def evaluate(
        self,
        x: Sequences,
        times: Tensor | None,
        key_mask: Tensor | None,
        positions: Positions | None,
        chunk: int | Literal["auto"],
        by: Evaluate,
        return_internals: bool,
    ) -> tuple[Any, ...]:
        """Predicts chunk by chunk with ``by``; the other arguments are those of ``forward``."""
        positions = self.positions if positions is None else positions
        if positions not in get_args(Positions):
            raise ValueError(f"positions must be 'last', 'all' or 'asked', got {positions!r}")
        if self.context is not None and isinstance(x, Tensor):
            known = x[:, : self.context]
            x = (x[:, self.context :] if positions == "asked" else x, known, known)
        elif positions == "asked":
            raise ValueError("positions 'asked' need a context and tokens in one tensor")
        if times is None and self.time_feature is not None:
            times = (x if isinstance(x, Tensor) else x[0])[..., self.time_feature]
        query, clock, memory = self.project(x, times, key_mask, positions)
        kept = return_internals or self.records is not None
        outputs, parts = [], []
        for first, end in self.chunks(query, memory, chunk):
            part = query[:, :, first:end]
            pairs = self.pair(part, memory)
            result = by(part, pairs, clock[:, first:end])
            outputs.append(result.outputs)
            if kept:
                parts.append(Internals.of(*result[1:], pairs, self.backbone.wiring))
        joined: tuple[Any, ...] = tuple(map(_joined, zip(*outputs, strict=True)))
        if positions == "last":
            joined = tuple(output.squeeze(-2) for output in joined)
        if not kept:
            return joined
        record = Internals.joined(parts, query, memory)
        if self.records is not None:
            self.records.append(record)
        return (*joined, record) if return_internals else joined

    def project(
        self, x: Sequences, times: Tensor | None, key_mask: Tensor | None, positions: Positions
    ) -> tuple[Tensor, Tensor, Memory]:
        """Queries ``(batch, heads, query, head_dim)``, their times ``(batch|1, query)``, memory.

        Raises:
            ValueError: If a shape does not fit.
        """
        query_in, key_in, value_in = x if isinstance(x, tuple) else (x, x, x)
        self._check(query_in, key_in, value_in, key_mask)
        number = self.query_gate.weight.dtype
        query_in, key_in, value_in = (part.to(number) for part in (query_in, key_in, value_in))
        if key_mask is not None:
            # Padding may hold anything, NaN too, which a weight of zero would pass to the gradient.
            absent = ~key_mask.unsqueeze(-1)
            key_in, value_in = (part.masked_fill(absent, 0) for part in (key_in, value_in))
            query_in = key_in if isinstance(x, Tensor) else query_in
        clock = _query_times(times, query_in)
        if positions == "last":
            last_of_key = key_mask if isinstance(x, Tensor) else None
            query_in, clock = _last(query_in, clock, last_of_key)
        # Queries and keys decide which keys are chosen: rounding them to half precision would
        # choose others.
        with _full_precision(key_in.device):
            query = self._split(self.query_gate(query_in))
            key = self._split(self.key_gate(key_in))
            cut = self._cut(key, key_mask, query.shape[1])
        value = self._split(self.value_gate(value_in))
        return query.transpose(1, 2), clock, Memory(key, value, key_mask, cut)

    def _check(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None) -> None:
        for name, part in (("query", query), ("key", key), ("value", value)):
            if part.ndim != 3 or part.shape[2] != self.input_dim or part.shape[1] == 0:
                shape = tuple(part.shape)
                raise ValueError(f"{name} must be (batch, time, {self.input_dim}), got {shape}")
        if len(query) == 0:
            raise ValueError("a batch needs at least one row, got none")
        if key.shape[:2] != value.shape[:2] or query.shape[0] != key.shape[0]:
            raise ValueError("query, key and value must agree in batch, key and value in time")
        if mask is not None and (mask.dtype != torch.bool or mask.shape != key.shape[:2]):
            raise ValueError(
                f"key_mask must be bool {tuple(key.shape[:2])}, got {mask.dtype} "
                f"{tuple(mask.shape)}"
            )

    def _split(self, x: Tensor) -> Tensor:
        return x.view(*x.shape[:2], self.heads, self.model_dim // self.heads)

    def _cut(self, key: Tensor, mask: Tensor | None, queries: int) -> CutKeys | None:
        n_keys = key.shape[1]
        if n_keys <= self.top_k:
            return None
        return CutKeys.of(key, Blocks.cut(n_keys, self.top_k, key.device, mask), queries)

    def pair(self, query: Tensor, memory: Memory) -> Pairs:
        """The keys that each of the queries ``(batch, heads, query, head_dim)`` attends to."""
        if memory.cut is None:
            valid = None if memory.mask is None else memory.mask.T[:, :, None, None]
            key, value = (
                part.transpose(0, 1).unsqueeze(3).contiguous()
                for part in (memory.key, memory.value)
            )
            return Pairs(key, value, None, valid)
        with _full_precision(query.device):
            chosen = curate(query, memory.cut, self.top_k)
        index = chosen.index.movedim(-1, 0)
        valid = None if chosen.valid is None else chosen.valid.movedim(-1, 0)
        row = flat_rows(chosen.index, memory.key.shape[1]).movedim(-1, 0).contiguous()
        return Pairs(gather_rows(memory.key, row), gather_rows(memory.value, row), index, valid)

    def elapsed(self, query: Tensor, key: Tensor, clock: Tensor) -> Tensor:
        """Time that a pair's process has run: ``sigmoid(c - a clock)`` in (0, 1), float32.

        Args:
            query: ``(batch, heads, query, head_dim)``.
            key: ``(chosen, batch, heads, query|1, head_dim)``.
            clock: Time stamps of the queries, ``(batch|1, query)``.
        """
        of_query, of_key = self.time_gate.weight.chunk(2, dim=1)
        gate = functional.linear(query, of_query)
        gate = gate + functional.linear(key, of_key, self.time_gate.bias)
        slope, offset = gate.float().unbind(-1)
        return torch.sigmoid(offset - slope * clock[:, None])

    def chunks(
        self, query: Tensor, memory: Memory, chunk: int | Literal["auto"]
    ) -> list[tuple[int, int]]:
        """Half-open ranges of queries to evaluate together: memory stays flat and in cache."""
        batch, heads, total, _ = query.shape
        if chunk != "auto":
            if not isinstance(chunk, int) or chunk < 1:
                raise ValueError(f"chunk must be 'auto' or at least 1, got {chunk!r}")
            step = chunk
        else:
            pairs = max(1, batch * heads * min(self.top_k, memory.key.shape[1]))
            limit = _PAIRS_AT_ONCE_WITH_GRADIENT if torch.is_grad_enabled() else _PAIRS_AT_ONCE
            step = max(1, limit // pairs)
        return [(first, min(first + step, total)) for first in range(0, total, step)]

    def extra_repr(self) -> str:
        """Sizes, for ``print``."""
        return (
            f"input_dim={self.input_dim}, model_dim={self.model_dim}, heads={self.heads}, "
            f"top_k={self.top_k}, output_dim={self.output_dim}, activation={self.activation}"
            + (", authors_mode=True" if self.authors_mode else "")
        )


def _full_precision(device: torch.device) -> AbstractContextManager[None]:
    """Switches autocast off inside; costs nothing where it is off already."""
    kind = device.type
    if torch.amp.is_autocast_available(kind) and torch.is_autocast_enabled(kind):
        return torch.autocast(kind, enabled=False)
    return nullcontext()


def _query_times(times: Tensor | None, query: Tensor) -> Tensor:
    """Time stamps ``(batch|1, query)``, float32; 1 where none are given."""
    if times is None:
        return torch.ones(1, query.shape[1], device=query.device)
    if times.shape not in (query.shape[:2], query.shape[1:2], torch.Size([])):
        expected = tuple(query.shape[:2])
        raise ValueError(f"times must be a scalar, (time,) or {expected}, got {tuple(times.shape)}")
    return times.to(query.device, torch.float32).expand(
        times.shape[0] if times.ndim == 2 else 1, query.shape[1]
    )


def _last(query: Tensor, clock: Tensor, mask: Tensor | None) -> tuple[Tensor, Tensor]:
    """The last query of each row, which is the last that exists where a mask says so."""
    if mask is None:
        return query[:, -1:], clock[:, -1:]
    number = torch.arange(1, mask.shape[1] + 1, device=mask.device)
    # A row without any key has no last query either: any will do, since it attends to nothing.
    last = (mask * number).amax(1, keepdim=True).sub(1).clamp_min(0)
    rows = last[..., None].expand(-1, -1, query.shape[2])
    return query.gather(1, rows), clock.expand(len(query), -1).gather(1, last)


def glorot_linear(inputs: int, outputs: int) -> nn.Linear:
    """A linear layer with Glorot-uniform weights and zero bias."""
    layer = nn.Linear(inputs, outputs)
    nn.init.xavier_uniform_(layer.weight)
    nn.init.zeros_(layer.bias)
    return layer


def _joined(parts: tuple[Tensor, ...]) -> Tensor:
    return parts[0] if len(parts) == 1 else torch.cat(parts, dim=-2)
