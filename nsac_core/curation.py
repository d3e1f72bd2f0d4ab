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
        keys: As they came, ``(batch, heads, key, head_dim)``.
        blocks: How they are cut.
        by_block: The keys of each block, ``(batch, heads, blocks, head_dim, size)``; filling holds
            any key.
        means: Mean key of each block, ``(batch, heads, blocks, head_dim)``; zero if empty.
    """

    keys: Tensor
    blocks: Blocks
    by_block: Tensor
    means: Tensor

    @classmethod
    @torch.no_grad()
    def of(cls, keys: Tensor, blocks: Blocks) -> "CutKeys":
        """Lays out keys ``(batch, heads, key, head_dim)``."""
        batch, heads, _, head_dim = keys.shape
        index = blocks.index
        if blocks.masked:
            flat = index.flatten(1)[:, None, :, None].expand(-1, heads, -1, head_dim)
            members = keys.gather(2, flat).view(batch, heads, *index.shape[1:], head_dim)
        else:
            members = keys[:, :, index[0]]
        by_block = members.transpose(-1, -2).contiguous()
        total = (by_block * blocks.valid[:, None, :, None]).sum(-1)
        size = blocks.valid.sum(2).clamp_min(1)
        return cls(keys.detach(), blocks, by_block, total / size[:, None, :, None])


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
    best = scores.topk(min(top_k, cut.keys.shape[2]), dim=-1)
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
    head_dim, size = cut.by_block.shape[-2:]
    if cut.keys.shape[2] <= index.shape[-1] * head_dim:
        # All products at once cost less than fetching a few keys for each query.
        return (query @ cut.keys.transpose(-1, -2)).gather(-1, index)
    row = flat_rows(chosen, cut.by_block.shape[2])
    members = gather_rows(cut.by_block.flatten(3), row).view(*row.shape, head_dim, size)
    scores: Tensor = query[:, :, :, None, None] @ members
    return scores.flatten(3)


def flat_rows(index: Tensor, n_keys: int) -> Tensor:
    """Key positions ``(batch, heads, ...)`` as rows of all keys of the batch laid end to end."""
    batch, heads = index.shape[:2]
    row = torch.arange(batch * heads, device=index.device) * n_keys
    return index + row.view(batch, heads, 1, 1)


def gather_rows(values: Tensor, row: Tensor) -> Tensor:
    """Rows of ``values (batch, heads, key, width)``, counted end to end: ``(*row.shape, width)``.

    As an embedding look-up: whole rows are copied, and the gradient adds whole rows.
    """
    return torch.nn.functional.embedding(row, values.reshape(-1, values.shape[-1]))
