"""Nearest rows of other groups, against two literal loops."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from arborlink.errors import ModelError
from arborlink.labels import Labels
from arborlink.search import nearest_apart

MODULE = import_module("arborlink.search.apart")
Pairs = list[tuple[NDArray[np.int64], NDArray[np.int64] | None]]


def integers(seed: int, n_rows: int, dimension: int = 3) -> NDArray[np.float32]:
    """Vectors whose products are exact and often equal."""
    generator = np.random.default_rng(seed)
    return generator.integers(-2, 2, (n_rows, dimension), endpoint=True).astype(np.float32)


def by_hand(
    queries: NDArray[np.float32],
    targets: NDArray[np.float32],
    k: int,
    query_groups: NDArray[np.int64],
    target_groups: NDArray[np.int64],
    *,
    pairs: Pairs | None = None,
) -> list[list[int]]:
    may_meet: dict[int, set[int]] = {}
    for asking, answering in pairs if pairs is not None else [(np.arange(len(queries)), None)]:
        for query in asking.tolist():
            may_meet[query] = set(range(len(targets)) if answering is None else answering.tolist())
    found = []
    for query in range(len(queries)):
        ranked = []
        for target in range(len(targets)):
            if query_groups[query] != target_groups[target] and target in may_meet.get(query, set()):
                ranked.append((-float(np.dot(queries[query], targets[target])), target))
        best = [target for _, target in sorted(ranked)[:k]]
        found.append(best + [-1] * (k - len(best)))
    return found


def search(
    queries: NDArray[np.float32], targets: NDArray[np.float32], k: int, *rest: Any, **options: Any
) -> NDArray[np.int32]:
    found = nearest_apart(torch.from_numpy(queries), torch.from_numpy(targets), k, *rest, **options)
    assert found.dtype == np.int32
    assert found.shape == (len(queries), k)
    return found


@st.composite
def searches(draw: st.DrawFn) -> tuple[Any, ...]:
    seed = draw(st.integers(0, 10_000))
    n_queries, n_targets = draw(st.integers(0, 12)), draw(st.integers(0, 40))
    generator = np.random.default_rng(seed)
    n_groups = draw(st.integers(1, 6))
    return (
        integers(seed, n_queries),
        integers(seed + 1, n_targets),
        draw(st.integers(0, 9)),
        generator.integers(-n_groups, n_groups, n_queries),
        generator.integers(-n_groups, n_groups, n_targets),
    )


@st.composite
def blocks(draw: st.DrawFn) -> dict[str, int]:
    """Block sizes from one product at a time to all at once."""
    sizes = {"_BLOCK": st.sampled_from([1, 16, 150, 1 << 20]), "_N_QUERIES": st.sampled_from([1, 3, 100])}
    return {name: draw(size) for name, size in sizes.items()} | {"_RUN": draw(st.sampled_from([1, 2, 5, 64]))}


@given(case=searches(), sizes=blocks())
@settings(deadline=None, max_examples=150)
def test_equals_the_literal_loops(case: tuple[Any, ...], sizes: dict[str, int]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        for name, size in sizes.items():
            patch.setattr(MODULE, name, size)
        assert search(*case).tolist() == by_hand(*case)


@given(case=searches(), sizes=blocks(), n_labels=st.integers(1, 3))
@settings(deadline=None, max_examples=100)
def test_only_those_meet_that_may(case: tuple[Any, ...], sizes: dict[str, int], n_labels: int) -> None:
    generator = np.random.default_rng(n_labels)

    def some_labels(n: int) -> list[frozenset[str]]:
        return [
            frozenset(str(each) for each in range(n_labels) if generator.random() < 0.4) for _ in range(n)
        ]

    pairs = list(Labels(some_labels(len(case[0])), some_labels(len(case[1]))).meetings())
    with pytest.MonkeyPatch.context() as patch:
        for name, size in sizes.items():
            patch.setattr(MODULE, name, size)
        assert search(*case, allowed=iter(pairs)).tolist() == by_hand(*case, pairs=pairs)


def test_a_query_in_no_meeting_meets_nobody_and_targets_need_no_order() -> None:
    vectors = np.ones((4, 2), dtype=np.float32)
    groups = np.arange(4)
    pairs: Pairs = [(np.array([2]), np.array([3, 0, 3, 1])), (np.array([0]), np.array([], dtype=np.int64))]
    found = search(vectors, vectors, 3, groups, groups, allowed=pairs)
    assert found.tolist() == [[-1, -1, -1], [-1, -1, -1], [0, 1, 3], [-1, -1, -1]]


def test_equal_products_over_many_blocks_come_by_row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MODULE, "_BLOCK", 1 << 12)
    monkeypatch.setattr(MODULE, "_N_QUERIES", 8)
    queries, targets = np.ones((20, 4), dtype=np.float32), np.ones((3000, 4), dtype=np.float32)
    targets[2500:2503] = 2.0
    found = search(queries, targets, 6, np.zeros(20, dtype=np.int64), np.arange(3000) % 3)
    # rows 0, 3, 6, ... are of the queries' own group, and so is 2502
    assert (found == [2500, 2501, 1, 2, 4, 5]).all()


def test_minus_zero_equals_zero() -> None:
    targets = np.array([[-0.0], [0.0], [-0.0], [1e-30]], dtype=np.float32)
    found = search(np.ones((1, 1), dtype=np.float32), targets, 4, np.array([9]), np.arange(4))
    assert found.tolist() == [[3, 0, 1, 2]]


def test_never_more_products_than_a_block(monkeypatch: pytest.MonkeyPatch) -> None:
    held = []
    real = torch.empty

    def watched(*arguments: Any, **options: Any) -> torch.Tensor:
        held.append(int(np.prod(arguments[0])))
        return real(*arguments, **options)

    monkeypatch.setattr(MODULE, "_BLOCK", 1 << 14)
    monkeypatch.setattr(torch, "empty", watched)
    vectors = np.random.default_rng(0).normal(size=(2000, 4)).astype(np.float32)
    groups = np.arange(2000)
    search(vectors, vectors, 4, groups, groups)
    assert held
    assert max(held) <= 1 << 14


def test_real_vectors_under_autocast_are_searched_in_full_precision() -> None:
    vectors = np.random.default_rng(3).normal(size=(500, 24)).astype(np.float32)
    groups = np.random.default_rng(4).integers(0, 80, 500)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        found = search(vectors, vectors, 8, groups, groups)
    products = vectors.astype(np.float64) @ vectors.T.astype(np.float64)
    products[groups[:, None] == groups] = -np.inf
    np.testing.assert_array_equal(found, np.argsort(-products, axis=1, kind="stable")[:, :8])


def test_vectors_that_are_being_trained_can_be_searched() -> None:
    vectors = torch.eye(3, requires_grad=True)
    assert nearest_apart(vectors, vectors, 1, np.arange(3), np.arange(3)).tolist() == [[1], [0], [0]]


def test_what_does_not_go_together_is_refused() -> None:
    two, none = torch.ones(2, 3), np.zeros(2, dtype=np.int64)
    with pytest.raises(ValueError, match="-1 nearest rows"):
        nearest_apart(two, two, -1, none, none)
    with pytest.raises(ValueError, match=r"groups of shape \(2,\) are given for 3 targets"):
        nearest_apart(two, torch.ones(3, 3), 1, none, none)
    with pytest.raises(ValueError, match=r"queries are torch\.float64"):
        nearest_apart(two.double(), two, 1, none, none)
    with pytest.raises(ValueError, match="expected one device"):
        nearest_apart(two, two.to("meta"), 1, none, none)
    with pytest.raises(ModelError, match="3 and of 4 dimensions"):
        nearest_apart(two, torch.ones(2, 4), 1, none, none)
    with pytest.raises(ModelError, match="vectors of targets hold NaN"):
        nearest_apart(two, two * torch.nan, 1, none, none)
