"""Which keys a query attends to: the best keys inside the best blocks of about sqrt(T) keys.

The keys of a row are cut into ``n = T // floor(sqrt(T))`` blocks whose sizes differ by at most one,
so that every key belongs to a block. A query takes the ``min(n, K // floor(sqrt(T)) + 1)`` blocks
whose mean key it matches best, and the K best keys inside them. A masked key counts as absent: the
blocks are cut from the keys that remain, and padding changes nothing.
"""

import math
from dataclasses import dataclass
from functools import lru_cache

import torch
from torch import Tensor


@dataclass(frozen=True)
class Curation:
    """Chosen keys.

    Attributes:
        index: Positions of the chosen keys, int64 ``(batch, heads, query, chosen)``.
        valid: False where a row has fewer keys than ``chosen``; bool, shape of ``index``. None if
            all are valid.
    """

    index: Tensor
    valid: Tensor | None


@dataclass(frozen=True)
class Blocks:
    """Keys cut into blocks; ``rows`` is 1 where all rows of the batch share one cut, unmasked.

    Attributes:
        index: Positions of each block's keys, int64 ``(rows, blocks, size)``.
        valid: False for filling, bool, shape of ``index``.
        taken: How many blocks a query takes, int64 ``(rows,)``.
        most_taken: Upper bound of ``taken``, which fixes shapes.
        masked: Whether rows may have fewer keys than a query wants.
    """

    index: Tensor
    valid: Tensor
    taken: Tensor
    most_taken: int
    masked: bool

    @classmethod
    def cut(cls, n_keys: int, top_k: int, device: torch.device, mask: Tensor | None) -> "Blocks":
        """Cuts ``n_keys`` keys of each row.

        Args:
            n_keys: Number of keys, masked ones included.
            top_k: Keys a query may choose.
            device: Where the result lives.
            mask: True for keys that exist, bool ``(batch, n_keys)``, or None.
        """
        if mask is None:
            return _shared_cut(n_keys, top_k, device)
        lengths = mask.sum(1)
        extents = [_extent(length, top_k) for length in range(n_keys + 1)]
        count, _, taken = torch.tensor(extents, device=device)[lengths].unbind(1)
        blocks, size, most_taken = (max(sides) for sides in zip(*extents, strict=True))
        rank, valid = _ranks(lengths, count, blocks, size)
        # The keys that exist, in order, come first.
        order = torch.argsort(mask.logical_not().to(torch.uint8), dim=1, stable=True)
        index = order.gather(1, rank.flatten(1)).view_as(rank)
        return cls(index, valid, taken, most_taken, masked=True)


@lru_cache(maxsize=32)
def _shared_cut(n_keys: int, top_k: int, device: torch.device) -> Blocks:
    blocks, size, taken = _extent(n_keys, top_k)
    lengths, count = torch.tensor([[n_keys], [blocks]], device=device)
    index, valid = _ranks(lengths, count, blocks, size)
    return Blocks(index, valid, torch.tensor([taken], device=device), taken, masked=False)


def _ranks(lengths: Tensor, count: Tensor, blocks: int, size: int) -> tuple[Tensor, Tensor]:
    """Ranks of each block's keys and which of them exist, both ``(rows, blocks, size)``."""
    number = torch.arange(blocks + 1, device=lengths.device)
    shorter = torch.div(lengths, count.clamp_min(1), rounding_mode="floor")[:, None]
    longer = lengths[:, None] - shorter * count[:, None]
    edge = number * shorter + torch.minimum(number, longer)
    edge = torch.minimum(edge, lengths[:, None])
    rank = edge[:, :-1, None] + torch.arange(size, device=lengths.device)
    valid = rank < edge[:, 1:, None]
    return torch.where(valid, rank, 0), valid


def _extent(n_keys: int, top_k: int) -> tuple[int, int, int]:
    """Number of blocks, largest block and blocks taken for ``n_keys`` keys."""
    if n_keys == 0:
        return 0, 0, 0
    side = math.isqrt(n_keys)
    blocks = n_keys // side
    return blocks, -(-n_keys // blocks), min(blocks, top_k // side + 1)


@dataclass(frozen=True)
class CutKeys:
    """Keys of a batch laid out by block.

    Attributes:
        keys: As they came, ``(batch, key, heads, head_dim)``.
        blocks: How they are cut.
        means: Mean key of each block, ``(batch, heads, blocks, head_dim)``; zero if empty.
        by_block: The keys of each block, ``(batch, blocks, heads, head_dim, size)``; filling holds
            any key. None where the scores need no such layout.
    """

    keys: Tensor
    blocks: Blocks
    means: Tensor
    by_block: Tensor | None

    @classmethod
    @torch.no_grad()
    def of(cls, keys: Tensor, blocks: Blocks, queries: int) -> "CutKeys":
        """Lays out keys ``(batch, key, heads, head_dim)`` for that many queries."""
        keys = keys.detach()
        count, size = blocks.index.shape[1:]
        # A few queries fetch single keys at less cost than it takes to lay out all of them.
        wanted = _sparse(keys, blocks) and queries * blocks.most_taken >= count
        if not blocks.masked:
            members = keys[:, blocks.index[0]] if wanted else None
            means = _means_of_runs(keys, count, size)
        else:
            row = torch.arange(keys.shape[0], device=keys.device)[:, None, None]
            members = keys[row, blocks.index]
            total = (members * blocks.valid[..., None, None]).sum(2)
            means = total / blocks.valid.sum(2).clamp_min(1)[..., None, None]
        by_block = members.movedim(2, 4).contiguous() if wanted and members is not None else None
        return cls(keys, blocks, means.transpose(1, 2), by_block)


def _sparse(keys: Tensor, blocks: Blocks) -> bool:
    """Whether fetching a query's candidates costs less than its products with all keys."""
    return keys.shape[1] > blocks.most_taken * blocks.index.shape[2] * keys.shape[3]


def _means_of_runs(keys: Tensor, count: int, size: int) -> Tensor:
    """Mean keys ``(batch, blocks, heads, head_dim)`` of blocks that are runs of keys.

    The longer blocks come first; no key is copied.
    """
    longer = keys.shape[1] - count * (size - 1)
    runs = keys[:, : longer * size], keys[:, longer * size :]
    shapes = (longer, size), (count - longer, size - 1)
    means = [
        run.reshape(-1, *shape, *keys.shape[2:]).mean(2)
        for run, shape in zip(runs, shapes, strict=True)
        if shape[0]
    ]
    return torch.cat(means, 1)


@torch.no_grad()
def curate(query: Tensor, cut: CutKeys, top_k: int) -> Curation:
    """Chooses up to ``top_k`` keys for each query, in float32.

    Args:
        query: ``(batch, heads, query, head_dim)``.
        cut: The keys.
        top_k: How many keys at most.
    """
    blocks = cut.blocks
    coarse = query @ cut.means.transpose(-1, -2)
    if blocks.masked:
        coarse = coarse.masked_fill(~blocks.valid[:, None, None, :, 0], -math.inf)
    chosen = coarse.topk(blocks.most_taken, dim=-1).indices
    index, valid = _candidates(chosen, blocks)
    scores = _scores(query, cut, chosen, index).masked_fill_(~valid, -math.inf)
    # Taken blocks hold more than top_k keys unless they hold all of them.
    best = scores.topk(min(top_k, cut.keys.shape[1]), dim=-1)
    return Curation(
        index.gather(-1, best.indices), best.values > -math.inf if blocks.masked else None
    )


def _candidates(chosen: Tensor, blocks: Blocks) -> tuple[Tensor, Tensor]:
    """Keys of the chosen blocks, and which of them exist: ``(batch, heads, query, candidate)``."""
    if not blocks.masked:
        return blocks.index[0][chosen].flatten(-2), blocks.valid[0][chosen].flatten(-2)
    row = torch.arange(chosen.shape[0], device=chosen.device)[:, None, None, None]
    rank = torch.arange(blocks.most_taken, device=chosen.device)
    taken = rank < blocks.taken[:, None, None, None]
    valid = blocks.valid[row, chosen] & taken[..., None]
    return blocks.index[row, chosen].flatten(-2), valid.flatten(-2)


def _scores(query: Tensor, cut: CutKeys, chosen: Tensor, index: Tensor) -> Tensor:
    """Inner product of each query with its candidates, shape of ``index``."""
    if cut.by_block is not None:
        row = flat_rows(chosen, cut.by_block.shape[1])
        members = gather_rows(cut.by_block.flatten(3), row)
        scores = query[:, :, :, None, None] @ members.view(*row.shape, *cut.by_block.shape[3:])
        return scores.flatten(3)
    if _sparse(cut.keys, cut.blocks):
        members = gather_rows(cut.keys, flat_rows(index, cut.keys.shape[1]))
        return (members @ query[..., None]).squeeze(-1)
    return (query @ cut.keys.permute(0, 2, 3, 1)).gather(-1, index)


def flat_rows(index: Tensor, n_keys: int) -> Tensor:
    """Positions ``(batch, heads, query, ...)`` as rows of ``(batch, position, heads)`` laid out."""
    batch, heads = index.shape[:2]
    first = torch.arange(batch, device=index.device)[:, None] * (n_keys * heads)
    first = first + torch.arange(heads, device=index.device)
    return index * heads + first[:, :, None, None]


def gather_rows(values: Tensor, row: Tensor) -> Tensor:
    """Rows of ``values (batch, position, heads, width)``, counted end to end: ``(..., width)``.

    As an embedding look-up: whole rows are copied, and the gradient adds whole rows.
    """
    return torch.nn.functional.embedding(row, values.reshape(-1, values.shape[-1]))
