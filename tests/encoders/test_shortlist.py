"""The names that are near some mention by spelling."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from arborlink.encoders.shortlist import shortlist


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
    kept = shortlist(mentions, names, n_each)
    expected = np.unique(np.argsort(-mentions @ names.T, axis=1)[:, :n_each])
    assert kept.dtype == np.int64
    np.testing.assert_array_equal(kept, expected)


def test_few_names_are_all_kept() -> None:
    names = np.eye(4, dtype=np.float32)
    assert shortlist(names[:1], names, 4).tolist() == [0, 1, 2, 3]
    assert shortlist(names[:1], names, 9).tolist() == [0, 1, 2, 3]


def test_nothing_to_go_by_keeps_all() -> None:
    names = np.eye(4, dtype=np.float32)
    assert shortlist(names[:0], names, 2).tolist() == [0, 1, 2, 3]
    assert shortlist(names, names, 0).tolist() == [0, 1, 2, 3]
    assert shortlist(names, names[:0], 2).tolist() == []
