"""Affinities of given pairs; apart because importing numba takes a while."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from arborlink.compiled import compiled


@compiled
def pair_affinities(
    queries: NDArray[np.float32],
    items: NDArray[np.int32],
    vectors: NDArray[np.float32],
    rows: NDArray[np.int32],
    offsets: NDArray[np.int64],
) -> NDArray[np.float64]:
    """The affinity of each query to each of its items: the highest inner product with one of the item's vectors.

    A product of two float32 is exact in float64, and they are added in one fixed order: the sum depends on the two
    vectors alone, on every machine.

    Args:
        queries: shape (n_queries, dimension).
        items: shape (n_queries, n); -1 is nobody.
        vectors: shape (n_rows, dimension).
        rows: item i has the vectors ``rows[offsets[i]:offsets[i + 1]]``.
        offsets: see there.

    Returns:
        float64, shape (n_queries, n); -inf for nobody and for items without a vector.
    """
    n_queries, n = items.shape
    dimension = queries.shape[1]
    n_fours = dimension - dimension % 4
    found = np.full((n_queries, n), -np.inf)
    for query in range(n_queries):
        for place in range(n):
            item = items[query, place]
            if item < 0:
                continue
            for view in range(offsets[item], offsets[item + 1]):
                row = rows[view]
                # four sums side by side: the processor need not wait for one to be done before the next
                first, second, third, fourth = 0.0, 0.0, 0.0, 0.0
                for at in range(0, n_fours, 4):
                    first += np.float64(queries[query, at]) * np.float64(vectors[row, at])
                    second += np.float64(queries[query, at + 1]) * np.float64(vectors[row, at + 1])
                    third += np.float64(queries[query, at + 2]) * np.float64(vectors[row, at + 2])
                    fourth += np.float64(queries[query, at + 3]) * np.float64(vectors[row, at + 3])
                for at in range(n_fours, dimension):
                    first += np.float64(queries[query, at]) * np.float64(vectors[row, at])
                product = (first + second) + (third + fourth)
                found[query, place] = max(found[query, place], product)
    return found
