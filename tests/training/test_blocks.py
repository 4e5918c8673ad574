"""Blocks: every mention in one, all but the last full, like mentions together."""

from __future__ import annotations

import doctest

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arborlink.training import blocks as blocks_module
from arborlink.training.blocks import blocks_of_like

seeds = st.integers(0, 10_000)
sizes = st.integers(1, 9)


def test_the_example_in_the_docstring_runs() -> None:
    outcome = doctest.testmod(blocks_module)
    assert outcome.attempted > 0
    assert outcome.failed == 0


@settings(deadline=None)
@given(n=st.integers(0, 40), k=st.integers(0, 5), size=sizes, seed=seeds)
def test_every_mention_is_in_one_block_and_all_but_the_last_are_full(
    n: int, k: int, size: int, seed: int
) -> None:
    candidates = np.random.default_rng(seed).integers(-1, 12, (n, k))
    found = blocks_of_like(candidates, size, seed)
    assert found.shape == (n,)
    assert found.dtype == np.int32
    counts = np.bincount(found).tolist()
    assert counts == [size] * (n // size) + [n % size] * (n % size > 0)
    assert blocks_of_like(candidates, size, seed).tolist() == found.tolist()


@settings(deadline=None)
@given(size=sizes, n_kinds=st.integers(1, 6), seed=seeds)
def test_mentions_with_the_same_candidates_stay_together(size: int, n_kinds: int, seed: int) -> None:
    """Kinds without a candidate in common, each as large as a block: the blocks are the kinds."""
    draw = np.random.default_rng(seed)
    kind = draw.permutation(np.repeat(np.arange(n_kinds), size))
    candidates = draw.permuted(kind[:, None] * 10 + np.arange(4), axis=1)  # the order in a row says nothing
    found = blocks_of_like(candidates, size, seed)
    assert len(set(zip(kind.tolist(), found.tolist(), strict=True))) == n_kinds


@settings(deadline=None)
@given(n_each=st.lists(st.integers(1, 12), min_size=1, max_size=6), size=sizes, seed=seeds)
def test_a_kind_is_spread_over_no_more_blocks_than_it_must(n_each: list[int], size: int, seed: int) -> None:
    kind = np.random.default_rng(seed).permutation(np.repeat(np.arange(len(n_each)), n_each))
    found = blocks_of_like(kind[:, None] * np.array([[3, 3]]) + np.array([[0, 2]]), size, seed)
    for number, n in enumerate(n_each):
        own = np.unique(found[kind == number])
        assert own.tolist() == list(range(int(own[0]), int(own[-1]) + 1))
        assert len(own) <= 1 + -(-(n - 1) // size)


def test_mentions_that_share_most_candidates_are_together_more_often_than_not() -> None:
    draw = np.random.default_rng(0)
    own = draw.permutation(640).reshape(64, 10)  # a pool of ten for each kind, nine of which a mention has
    kind = np.repeat(np.arange(64), 4)
    candidates = np.array([draw.permutation(own[number])[:9] for number in kind])
    found = blocks_of_like(candidates, 4, seed=1)
    together = np.mean([found[one] == found[one + 1] for one in range(0, 256, 2)])
    assert together > 0.5  # 3 / 255 by chance


def test_missing_candidates_make_nobody_alike() -> None:
    candidates = np.array([[-1, 4], [7, -1], [-1, 4], [7, -1]])
    for seed in range(20):
        found = blocks_of_like(candidates, 2, seed)
        assert found[0] == found[2] != found[1] == found[3]


@pytest.mark.parametrize("k", [0, 3])
def test_mentions_without_candidates_come_last(k: int) -> None:
    nobody = np.full((3, k), -1)
    assert blocks_of_like(nobody, 2, seed=5).tolist() == [0, 0, 1]
    some = np.array([[-1, -1], [3, 5], [-1, -1], [5, -1]])
    assert set(blocks_of_like(some, 2, seed=5)[[1, 3]].tolist()) == {0}


def test_another_seed_makes_other_blocks() -> None:
    candidates = np.random.default_rng(0).integers(0, 50, (200, 4))
    one, other = blocks_of_like(candidates, 8, seed=1), blocks_of_like(candidates, 8, seed=2)
    pairs = [(found[:, None] == found).sum() - 200 for found in (one, other)]
    both = ((one[:, None] == one) & (other[:, None] == other)).sum() - 200
    assert both < min(pairs) / 2
