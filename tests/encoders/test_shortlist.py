"""The names that are near some mention by spelling."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from arborlink.encoder import Embeddings
from arborlink.encoders.shortlist import shortlist
from arborlink.labels import Labels


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 1000),
    n_mentions=st.integers(1, 8),
    n_names=st.integers(1, 40),
    n_each=st.integers(1, 9),
)
def test_the_nearest_of_any_mention_are_kept(seed: int, n_mentions: int, n_names: int, n_each: int) -> None:
    generator = np.random.default_rng(seed)
    mentions = generator.normal(size=(n_mentions, 5)).astype(np.float32)
    names = generator.normal(size=(n_names, 5)).astype(np.float32)
    kept = shortlist(Embeddings.one_each(mentions), Embeddings.one_each(names), n_each)
    expected = np.unique(np.argsort(-mentions @ names.T, axis=1)[:, :n_each])
    assert kept.dtype == np.int64
    np.testing.assert_array_equal(kept, expected)


def test_few_names_are_all_kept() -> None:
    names = Embeddings.one_each(np.eye(4, dtype=np.float32))
    one = Embeddings.one_each(np.eye(4, dtype=np.float32)[:1])
    assert shortlist(one, names, 4).tolist() == [0, 1, 2, 3]
    assert shortlist(one, names, 9).tolist() == [0, 1, 2, 3]


def test_nothing_to_go_by_keeps_all() -> None:
    names = Embeddings.one_each(np.eye(4, dtype=np.float32))
    nobody = Embeddings.one_each(np.empty((0, 4), dtype=np.float32))
    assert shortlist(nobody, names, 2).tolist() == [0, 1, 2, 3]
    assert shortlist(names, nobody, 2).tolist() == []


def test_a_mention_keeps_the_nearest_it_may_meet() -> None:
    """Entity 0 has the two nearest names, but the mention may only meet entities 1 and 2."""
    vectors = np.array([[1.0], [0.9], [0.1], [0.2], [0.3]], dtype=np.float32)
    names = Embeddings(vectors, np.arange(5, dtype=np.int32), np.array([0, 2, 4, 5]))
    mention = Embeddings.one_each(np.ones((1, 1), dtype=np.float32))
    labels = Labels([frozenset("a")], [frozenset("b"), frozenset("a"), frozenset("ab")])
    assert shortlist(mention, names, 1).tolist() == [0]
    assert shortlist(mention, names, 1, labels).tolist() == [4]
    assert shortlist(mention, names, 4, labels).tolist() == [2, 3, 4]


def test_a_mention_that_may_meet_nobody_keeps_nothing() -> None:
    names = Embeddings.one_each(np.eye(4, dtype=np.float32))
    labels = Labels([frozenset("a")] * 4, [frozenset("b")] * 4)
    assert shortlist(names, names, 2, labels).tolist() == []
