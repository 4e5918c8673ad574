"""Random vectors of items, and their affinities the literal way."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from arborlink.encoder import Embeddings


def affinity(mentions: Embeddings, entities: Embeddings, i: int, j: int) -> float:
    """The literal one: the best pair of vectors."""
    own = mentions.vectors[mentions.rows[mentions.offsets[i]]]
    rows = entities.rows[entities.offsets[j] : entities.offsets[j + 1]]
    return max((float(own @ entities.vectors[row]) for row in rows), default=-np.inf)


@st.composite
def embeddings(draw: st.DrawFn, n_items: int, least: int, most: int, dimension: int) -> Embeddings:
    """Random vectors, shared between items, ``least`` to ``most`` for each."""
    counts = [draw(st.integers(least, most)) for _ in range(n_items)]
    n_rows = draw(st.integers(1, 5))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    vectors = rng.normal(size=(n_rows, dimension)).astype(np.float32)
    rows = rng.integers(0, n_rows, sum(counts)).astype(np.int32)
    return Embeddings(vectors, rows, np.concatenate([[0], np.cumsum(counts)]).astype(np.int64))
