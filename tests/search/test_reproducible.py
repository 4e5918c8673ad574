"""Affinities that depend on two vectors alone, and lists that are the same in pieces and as a whole."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from arborlink.encoder import Embeddings
from arborlink.labels import Labels
from arborlink.search import Neighbours
from arborlink.search.reproducible import (
    affinities_to_themselves,
    merged,
    nearest_others_reproducibly,
    nearest_reproducibly,
)

LABEL_SETS = st.frozensets(st.sampled_from("AB"), max_size=2)


def some(rng: np.random.Generator, n: int, dimension: int, near: float) -> NDArray[np.float32]:
    """Vectors of which many are the same or nearly so."""
    kinds = rng.normal(size=(3, dimension))
    noise = rng.normal(size=(n, dimension)) * near
    return (kinds[rng.integers(0, 3, n)] + noise).astype(np.float32)


def with_views(rng: np.random.Generator, vectors: NDArray[np.float32], n_items: int) -> Embeddings:
    counts = rng.integers(0, 4, n_items)
    rows = rng.integers(0, max(1, len(vectors)), counts.sum()).astype(np.int32)
    return Embeddings(vectors, rows, np.concatenate([[0], np.cumsum(counts)]).astype(np.int64))


def product(one: NDArray[np.float32], other: NDArray[np.float32]) -> float:
    """Four sums side by side, as the module says, in plain Python."""
    pairs = [float(a) * float(b) for a, b in zip(one.tolist(), other.tolist(), strict=True)]
    whole = len(pairs) - len(pairs) % 4
    sums = [0.0] * 4
    for place, pair in enumerate(pairs[:whole]):
        sums[place % 4] += pair
    for pair in pairs[whole:]:
        sums[0] += pair
    return (sums[0] + sums[1]) + (sums[2] + sums[3])


def by_hand(
    queries: Embeddings, targets: Embeddings, k: int, labels: Labels | None
) -> list[list[tuple[int, float]]]:
    found = []
    for query in range(queries.n_items):
        ranked = []
        for target in range(targets.n_items):
            views = targets.rows[targets.offsets[target] : targets.offsets[target + 1]].tolist()
            if labels is not None:
                own, its = labels.of_queries[query], labels.of_targets[target]
                if own and its and not own & its:
                    continue
            if views:
                vector = queries.vectors[queries.rows[query]]
                ranked.append((-max(product(vector, targets.vectors[row]) for row in views), target))
        found.append([(target, -weight) for weight, target in sorted(ranked)[:k]])
    return found


def told(found: Neighbours) -> list[list[tuple[int, float]]]:
    return [
        [(item, affinity) for item, affinity in zip(items, affinities, strict=True) if item >= 0]
        for items, affinities in zip(found.items.tolist(), found.affinities.tolist(), strict=True)
    ]


@settings(max_examples=80, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(0, 40),
    k=st.integers(0, 4),
    near=st.sampled_from([0.0, 1e-8, 1e-6, 1.0]),
    dimension=st.sampled_from([1, 3, 8, 13]),
    labels=st.none() | st.tuples(st.lists(LABEL_SETS, min_size=40), st.lists(LABEL_SETS, min_size=40)),
)
def test_nearest_is_that_of_the_exact_sums_bit_for_bit(
    seed: int, n: int, k: int, near: float, dimension: int, labels: tuple[list[frozenset[str]], ...] | None
) -> None:
    rng = np.random.default_rng(seed)
    queries = Embeddings.one_each(some(rng, 5, dimension, near))
    targets = with_views(rng, some(rng, max(1, n), dimension, near), n)
    meeting = None if labels is None else Labels(labels[0][:5], labels[1][:n])
    found = nearest_reproducibly(queries, targets, k, labels=meeting, progress=False)
    assert found.items.shape == (5, k)
    assert told(found) == by_hand(queries, targets, k, meeting)


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**6), cut=st.integers(0, 60), near=st.sampled_from([0.0, 1e-7, 1.0]))
def test_lists_of_two_halves_merged_are_those_of_the_whole(seed: int, cut: int, near: float) -> None:
    rng = np.random.default_rng(seed)
    queries = Embeddings.one_each(some(rng, 6, 33, near))
    targets = with_views(rng, some(rng, 60, 33, near), 60)
    is_left = np.arange(len(targets.rows)) < cut

    def part(kept: NDArray[np.bool_]) -> Embeddings:
        counts = np.bincount(targets.item_of_view[kept], minlength=60)
        return Embeddings(
            targets.vectors, targets.rows[kept], np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        )

    left, right = (
        nearest_reproducibly(queries, part(kept), 3, progress=False) for kept in (is_left, ~is_left)
    )
    whole = nearest_reproducibly(queries, targets, 3, progress=False)
    both = merged(left, right, 3)
    assert both.items.tolist() == whole.items.tolist()
    assert both.affinities.tolist() == whole.affinities.tolist()


@pytest.mark.parametrize("labelled", [False, True])
def test_others_are_the_plain_nearest_of_leaders(labelled: bool) -> None:
    rng = np.random.default_rng(5)
    vectors = some(rng, 12, 9, 1.0)
    rows = np.array([0, 1, 2, 0, 3, 4, 5, 6, 7, 8, 9, 10, 11, 2], dtype=np.int32)
    labels = [frozenset("a" if number % 3 else "b") for number in range(14)] if labelled else None
    items = Embeddings.one_each(vectors, rows)
    found = nearest_others_reproducibly(items, 2, labels=labels, progress=False)
    kinds = [(row, labels[number] if labels else None) for number, row in enumerate(rows.tolist())]
    for number in range(14):
        first = kinds.index(kinds[number])
        if first != number:
            assert told(found)[number] == [(first, product(vectors[rows[number]], vectors[rows[number]]))]
            continue
        others = sorted(
            (-product(vectors[rows[number]], vectors[rows[other]]), other)
            for other in range(14)
            if other != number
            and kinds.index(kinds[other]) == other
            and (not labels or labels[other] == labels[number])
        )
        assert told(found)[number] == [(other, -weight) for weight, other in others[:2]]
    assert nearest_others_reproducibly(items, 0).items.shape == (14, 0)
    own = affinities_to_themselves(items)
    assert math.isclose(own[0], float(vectors[0].astype(np.float64) @ vectors[0].astype(np.float64)))
