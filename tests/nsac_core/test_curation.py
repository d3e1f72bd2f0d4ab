import math

import numpy as np
import pytest
import torch
from torch import Tensor

from nsac_core.curation import Blocks, Curation, CutKeys, curate


def choose(query: Tensor, key: Tensor, top_k: int, mask: Tensor | None = None) -> Curation:
    blocks = Blocks.cut(key.shape[2], top_k, key.device, mask)
    return curate(query, CutKeys.of(key.transpose(1, 2), blocks, query.shape[2]), top_k)


def by_brute_force(query: Tensor, key: Tensor, top_k: int) -> set[int]:
    """The rule for one query (d,) and its keys (n, d), written out."""
    n_keys = len(key)
    side = math.isqrt(n_keys)
    n_blocks = n_keys // side
    sizes = [n_keys // n_blocks + (i < n_keys % n_blocks) for i in range(n_blocks)]
    starts = [sum(sizes[:i]) for i in range(n_blocks)]
    members = [list(range(a, a + size)) for a, size in zip(starts, sizes, strict=True)]
    match = [float(query @ key[block].mean(0)) for block in members]
    taken = sorted(range(n_blocks), key=lambda i: -match[i])[: top_k // side + 1]
    candidates = [position for i in taken for position in members[i]]
    return set(sorted(candidates, key=lambda p: -float(query @ key[p]))[:top_k])


@pytest.mark.parametrize(
    ("n_keys", "top_k"), [(9, 8), (13, 8), (50, 8), (50, 3), (97, 20), (300, 8)]
)
@pytest.mark.parametrize("queries", [1, 5, 40])
@pytest.mark.parametrize("masked", [False, True])
def test_choice_matches_brute_force(n_keys: int, top_k: int, queries: int, masked: bool) -> None:
    """However few or many keys and queries there are, each by its own way of computing."""
    generator = torch.Generator().manual_seed(n_keys)
    query = torch.randn(2, 3, queries, 4, generator=generator)
    key = torch.randn(2, 3, n_keys, 4, generator=generator)
    mask = torch.ones(2, n_keys, dtype=torch.bool) if masked else None
    chosen = choose(query, key, top_k, mask).index
    for b, h, q in np.ndindex(2, 3, queries):
        expected = by_brute_force(query[b, h, q], key[b, h], top_k)
        assert set(chosen[b, h, q].tolist()) == expected
        assert chosen.shape[-1] == len(expected)


@pytest.mark.parametrize("n_keys", [1, 2, 3, 7, 8])
def test_all_keys_are_chosen_where_they_are_few(n_keys: int) -> None:
    chosen = choose(torch.randn(1, 2, 3, 4), torch.randn(1, 2, n_keys, 4), 8)
    assert torch.equal(chosen.index.sort(-1).values, torch.arange(n_keys).expand(1, 2, 3, -1))


@pytest.mark.parametrize("n_keys", [50, 1000, 1023])
def test_every_key_belongs_to_one_block_of_balanced_size(n_keys: int) -> None:
    blocks = Blocks.cut(n_keys, 8, torch.device("cpu"), None)
    assert sorted(blocks.index[blocks.valid].tolist()) == list(range(n_keys))
    sizes = blocks.valid.sum(-1)
    assert sizes.max() - sizes.min() <= 1
    assert blocks.index.shape[1] == n_keys // math.isqrt(n_keys)


def test_the_last_keys_can_be_chosen() -> None:
    """The published code never sees the last T mod block-size keys: 8 of 1000."""
    key = torch.randn(1, 1, 1000, 4) * 0.01
    key[0, 0, 999] = 5.0
    assert 999 in choose(torch.ones(1, 1, 1, 4), key, 8).index


@pytest.mark.parametrize("length", [0, 1, 5, 8, 9, 15, 16, 37])
def test_padding_changes_no_choice(length: int) -> None:
    generator = torch.Generator().manual_seed(length)
    query, key = torch.randn(2, 2, 3, 4, generator=generator), torch.randn(2, 2, 40, 4)
    mask = torch.ones(2, 40, dtype=torch.bool)
    mask[1, length:] = False
    padded = choose(query, key, 8, mask)
    assert padded.valid is not None
    whole = choose(query[:1], key[:1], 8)
    assert torch.equal(padded.index[:1].sort(-1).values, whole.index.sort(-1).values)
    if length == 0:
        assert not padded.valid[1].any()
        return
    short = choose(query[1:], key[1:, :, :length], 8)
    assert int(padded.valid[1].sum()) == short.index.numel()
    for h, q in [(h, q) for h in range(2) for q in range(3)]:
        kept = padded.index[1, h, q][padded.valid[1, h, q]]
        assert set(kept.tolist()) == set(short.index[0, h, q].tolist())


def test_a_masked_key_counts_as_absent_wherever_it_stands() -> None:
    generator = torch.Generator().manual_seed(3)
    query, key = torch.randn(1, 1, 4, 4, generator=generator), torch.randn(1, 1, 60, 4)
    kept = torch.rand(60, generator=generator) < 0.5
    masked = choose(query, key, 8, kept[None])
    positions = torch.arange(60)[kept]
    compact = positions[choose(query, key[:, :, kept], 8).index]
    assert masked.valid is not None
    assert masked.valid.all()
    assert torch.equal(masked.index.sort(-1).values, compact.sort(-1).values)
