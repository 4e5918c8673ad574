"""Nearest items against the whole matrix: best view of each item, sorted by affinity and then by number."""

from __future__ import annotations

import time
import tracemalloc
from importlib import import_module

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from arborlink.encoder import Embeddings
from arborlink.errors import ModelError
from arborlink.labels import Labels
from arborlink.search import Neighbours, nearest, nearest_others

LABEL_SETS = st.frozensets(st.sampled_from("ABC"), max_size=2)
VALUES = st.integers(-2, 2).map(float)  # few and whole: products are exact and often equal
Found = list[list[tuple[int, float]]]


def embeddings(vectors: NDArray[np.float32], views: list[list[int]]) -> Embeddings:
    """Item i has the vectors ``views[i]``."""
    rows = np.array([row for own in views for row in own], dtype=np.int32)
    return Embeddings(vectors, rows, np.cumsum([0, *map(len, views)], dtype=np.int64))


def meet(one: frozenset[str], other: frozenset[str]) -> bool:
    return not one or not other or bool(one & other)


def by_hand(queries: Embeddings, targets: Embeddings, k: int, labels: Labels | None = None) -> Found:
    """Every query against every view of every target."""
    found: Found = []
    for query in range(queries.n_items):
        vector = queries.vectors[queries.rows[query]]
        ranked = []
        for target in range(targets.n_items):
            views = targets.rows[targets.offsets[target] : targets.offsets[target + 1]]
            if labels is not None and not meet(labels.of_queries[query], labels.of_targets[target]):
                continue
            if len(views):
                ranked.append((-max(float(vector @ targets.vectors[row]) for row in views), target))
        found.append([(target, -weight) for weight, target in sorted(ranked)[:k]])
    return found


def others_by_hand(items: Embeddings, k: int, labels: list[frozenset[str]] | None) -> Found:
    """The docstring, word by word: the first of those alike stands for all."""
    kind = [(row, labels[number] if labels else None) for number, row in enumerate(items.rows.tolist())]
    found: Found = []
    for number in range(items.n_items):
        first = kind.index(kind[number])
        vector = items.vectors[items.rows[number]]
        if first != number:
            found.append([(first, float(vector @ vector))])
            continue
        ranked = sorted(
            (-float(vector @ items.vectors[items.rows[other]]), other)
            for other in range(items.n_items)
            if other != number
            and kind.index(kind[other]) == other
            and (labels is None or meet(labels[number], labels[other]))
        )
        found.append([(other, -weight) for weight, other in ranked[:k]])
    return [own[:k] for own in found]


def listed(neighbours: Neighbours) -> Found:
    """The neighbours as lists, after a look at shapes, types and the padding."""
    items, affinities = neighbours.items, neighbours.affinities
    assert items.dtype == np.int32
    assert affinities.dtype == np.float32
    assert items.shape == affinities.shape
    assert (np.isneginf(affinities) == (items == -1)).all()
    assert (np.diff((items < 0).astype(int), axis=1) >= 0).all(), "what is missing comes last"
    return [
        [(item, affinity) for item, affinity in zip(row, own, strict=True) if item >= 0]
        for row, own in zip(items.tolist(), affinities.tolist(), strict=True)
    ]


def patched(data: st.DataObject, monkeypatch: pytest.MonkeyPatch) -> None:
    """Any engine, and blocks so small that lists are merged over several."""
    rows_module = import_module("arborlink.search.top_rows")
    if data.draw(st.booleans(), label="torch"):
        monkeypatch.setattr(rows_module, "find_spec", lambda name: None)
    monkeypatch.setattr(rows_module, "_BLOCK", data.draw(st.sampled_from([1, 16, 1000])))
    monkeypatch.setattr(rows_module, "_N_QUERIES", data.draw(st.integers(1, 4)))
    monkeypatch.setattr(rows_module, "_N_GATHERED", data.draw(st.integers(1, 6)))
    monkeypatch.setattr("arborlink.search.neighbours._HELD", data.draw(st.sampled_from([1, 20, 1000])))


@st.composite
def single_views(draw: st.DrawFn) -> Embeddings:
    vectors = draw(arrays(np.float32, (draw(st.integers(1, 8)), 2), elements=VALUES))
    rows = draw(st.lists(st.integers(0, len(vectors) - 1), max_size=12))
    return Embeddings.one_each(vectors, np.array(rows, dtype=np.int32))


@st.composite
def many_views(draw: st.DrawFn) -> Embeddings:
    """Rows shared by items, items with several rows, with one row twice, with none; rows of nobody."""
    vectors = draw(arrays(np.float32, (draw(st.integers(1, 20)), 2), elements=VALUES))
    views = draw(st.lists(st.lists(st.integers(0, len(vectors) - 1), max_size=6), max_size=12))
    return embeddings(vectors, views)


@settings(max_examples=300, deadline=None)
@given(data=st.data(), queries=single_views(), targets=many_views(), k=st.integers(0, 14))
def test_nearest_equals_the_whole_matrix(
    data: st.DataObject, queries: Embeddings, targets: Embeddings, k: int
) -> None:
    labels = None
    if data.draw(st.booleans(), label="labelled"):
        sides = [
            st.lists(LABEL_SETS, min_size=side.n_items, max_size=side.n_items) for side in (queries, targets)
        ]
        labels = Labels(data.draw(sides[0]), data.draw(sides[1]))
    with pytest.MonkeyPatch.context() as monkeypatch:
        patched(data, monkeypatch)
        found = nearest(queries, targets, k, labels=labels)
    assert found.items.shape == (queries.n_items, k)
    assert listed(found) == by_hand(queries, targets, k, labels)


@settings(max_examples=300, deadline=None)
@given(data=st.data(), items=single_views(), k=st.integers(0, 10))
def test_nearest_others_equals_the_whole_matrix(data: st.DataObject, items: Embeddings, k: int) -> None:
    labels = data.draw(st.none() | st.lists(LABEL_SETS, min_size=items.n_items, max_size=items.n_items))
    with pytest.MonkeyPatch.context() as monkeypatch:
        patched(data, monkeypatch)
        found = nearest_others(items, k, labels=labels)
    assert found.items.shape == (items.n_items, k)
    assert listed(found) == others_by_hand(items, k, labels)


def test_no_item_is_its_own_neighbour_even_where_it_is_not_its_own_nearest() -> None:
    items = Embeddings.one_each(np.array([[1, 0], [5, 0], [2, 0], [0, 1]], dtype=np.float32))
    found = nearest_others(items, 2)
    assert found.items.tolist() == [[1, 2], [2, 0], [1, 0], [0, 1]]


def test_copies_do_not_fill_the_lists() -> None:
    """Fifty mentions of one string name the first of them, which is tied to the rest of the world."""
    vectors = np.array([[2, 0], [1, 1], [1, 0]], dtype=np.float32)
    items = Embeddings.one_each(vectors, np.array([0] * 50 + [1, 2], dtype=np.int32))
    found = nearest_others(items, 4)
    assert found.items[0].tolist() == [50, 51, -1, -1]
    assert set(found.items[1:50, 0].tolist()) == {0}
    assert (found.items[1:50, 1:] == -1).all()
    assert found.affinities[1:50, 0].tolist() == [4.0] * 49
    assert found.items[50].tolist() == [0, 51, -1, -1]


def test_copies_with_other_labels_stand_for_themselves() -> None:
    items = Embeddings.one_each(np.ones((1, 2), np.float32), np.zeros(4, dtype=np.int32))
    found = nearest_others(items, 2, labels=[frozenset("A"), frozenset("B"), frozenset(), frozenset("A")])
    assert found.items.tolist() == [[2, -1], [2, -1], [0, 1], [0, -1]]


@pytest.mark.parametrize("torch", [False, True])
def test_equal_affinities_beyond_the_rows_first_looked_at(
    torch: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All is equal, and the lowest items have the last rows."""
    if torch:
        monkeypatch.setattr(import_module("arborlink.search.top_rows"), "find_spec", lambda name: None)
    rows = np.arange(60, dtype=np.int32)
    for order in (rows, rows[::-1].copy()):
        targets = Embeddings.one_each(np.ones((60, 2), np.float32), order)
        found = nearest(Embeddings.one_each(np.ones((30, 2), np.float32)), targets, 3)
        assert (found.items == [0, 1, 2]).all()


def test_a_name_that_everybody_bears_is_cheap() -> None:
    """A million entities called alike: the first ones are named, and no query looks at all of them."""
    n_items = 1_000_000
    targets = Embeddings.one_each(np.ones((1, 2), np.float32), np.zeros(n_items, dtype=np.int32))
    queries = Embeddings.one_each(np.arange(600, dtype=np.float32).reshape(-1, 2))
    nearest(queries, targets, 3)  # compiles
    start = time.perf_counter()
    found = nearest(queries, targets, 3)
    assert time.perf_counter() - start < 3
    assert (found.items == [0, 1, 2]).all()


def test_an_item_with_many_vectors_does_not_hide_the_next() -> None:
    """Twenty thousand names of one entity are nearer than the one name of another."""
    vectors = np.ones((20_001, 2), dtype=np.float32)
    vectors[-1] = 0
    targets = embeddings(vectors, [[20_000], list(range(20_000))])
    found = nearest(Embeddings.one_each(np.ones((3, 2), np.float32)), targets, 2)
    assert listed(found) == [[(1, 2.0), (0, 0.0)]] * 3


def test_fewer_items_than_asked_for_end_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two items with a hundred vectors each: both are found at once, and the other rows are left alone."""
    asked: list[int] = []
    plain = import_module("arborlink.search.top_rows").top_rows

    def watched(queries: object, targets: object, k: int, **options: object) -> object:
        asked.append(k)
        return plain(queries, targets, k, **options)

    monkeypatch.setattr("arborlink.search.neighbours.top_rows", watched)
    vectors = np.arange(400, dtype=np.float32).reshape(200, 2)
    targets = embeddings(vectors, [list(range(0, 200, 2)), list(range(1, 200, 2))])
    found = nearest(Embeddings.one_each(vectors[:5]), targets, 8)
    assert len(asked) == 1
    assert asked[0] < 200
    assert found.items[4].tolist() == [1, 0, *[-1] * 6]


def test_equal_affinities_everywhere_hold_few_rows_at_a_time() -> None:
    """Queries of zeros tie with all 50,000 targets: all must be looked at, but not for all queries at once."""
    targets = Embeddings.one_each(np.ones((50_000, 2), np.float32))
    queries = Embeddings.one_each(np.zeros((200, 2), np.float32))
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr("arborlink.search.neighbours._HELD", 1_000_000)
        tracemalloc.start()
        try:
            found = nearest(queries, targets, 2)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
    assert (found.items == [0, 1]).all()
    assert peak < 80_000_000  # 200 × 50,000 products and rows alone are 120 MB


def test_nothing_to_search() -> None:
    none = Embeddings.one_each(np.empty((0, 2), np.float32))
    some = Embeddings.one_each(np.ones((3, 2), np.float32))
    assert nearest(none, some, 4).items.shape == (0, 4)
    assert (nearest(some, none, 4).items == -1).all()
    assert nearest_others(none, 4).items.shape == (0, 4)
    assert nearest_others(some, 0).items.shape == (3, 0)


def test_progress_counts_items_not_vectors(capsys: pytest.CaptureFixture[str]) -> None:
    queries = Embeddings.one_each(np.ones((2, 2), np.float32), np.array([0, 1, 1, 1, 0], dtype=np.int32))
    labels = Labels(
        [frozenset("A"), frozenset("B"), frozenset("A"), frozenset(), frozenset()], [frozenset()] * 2
    )
    nearest(
        queries,
        Embeddings.one_each(np.eye(2, dtype=np.float32)),
        1,
        labels=labels,
        progress=True,
        what="names",
    )
    shown = capsys.readouterr().err
    assert "Searching names" in shown
    assert "5/5" in shown


def test_vectors_that_are_no_numbers_are_refused() -> None:
    good, bad = np.ones((3, 2), np.float32), np.ones((3, 2), np.float32)
    for value in (np.nan, np.inf):
        bad[1, 1] = value
        for queries, targets in ((good, bad), (bad, good)):
            with pytest.raises(ModelError, match="not finite"):
                nearest(Embeddings.one_each(queries), Embeddings.one_each(targets), 1)


def test_sides_that_do_not_fit_are_refused() -> None:
    two = Embeddings.one_each(np.ones((3, 2), np.float32))
    with pytest.raises(ModelError, match="vectors of 2 and of 3 dimensions"):
        nearest(two, Embeddings.one_each(np.ones((3, 3), np.float32)), 1)
    with pytest.raises(ValueError, match="2 queries have 3 vectors"):
        nearest(embeddings(two.vectors, [[0, 1], [2]]), two, 1)
    with pytest.raises(ValueError, match="labels are given for 2 queries and 3 targets; expected 3 and 3"):
        nearest(two, two, 1, labels=Labels([frozenset()] * 2, [frozenset()] * 3))
