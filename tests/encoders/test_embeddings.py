"""Which vectors stand for which items."""

from __future__ import annotations

import numpy as np

from arborlink.encoder import Embeddings


def test_one_vector_for_each_item() -> None:
    vectors = np.arange(6, dtype=np.float32).reshape(3, 2)
    plain = Embeddings.one_each(vectors)
    assert plain.n_items == 3
    assert plain.rows.tolist() == [0, 1, 2]
    assert plain.rows.dtype == np.int32
    assert plain.offsets.tolist() == [0, 1, 2, 3]
    assert plain.offsets.dtype == np.int64


def test_items_may_share_a_vector() -> None:
    shared = Embeddings.one_each(np.ones((2, 2), np.float32), np.array([1, 0, 1, 1], dtype=np.int32))
    assert shared.n_items == 4
    assert shared.item_of_view.tolist() == [0, 1, 2, 3]


def test_items_may_have_several_vectors_or_none() -> None:
    several = Embeddings(
        np.ones((3, 2), np.float32), np.array([0, 2, 1], dtype=np.int32), np.array([0, 2, 2, 3, 3])
    )
    assert several.n_items == 4
    assert several.item_of_view.tolist() == [0, 0, 2]
    assert several.item_of_view.dtype == np.int32


def test_no_items() -> None:
    nobody = Embeddings.one_each(np.empty((0, 2), np.float32))
    assert nobody.n_items == 0
    assert nobody.item_of_view.tolist() == []
