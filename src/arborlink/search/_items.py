"""From nearest rows to nearest items; apart because importing numba takes a while."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from arborlink.compiled import compiled


@compiled
def distinct_items(
    products: NDArray[np.float32],
    rows: NDArray[np.int64],
    row_offsets: NDArray[np.int64],
    row_items: NDArray[np.int32],
    n_items: int,
    k: int,
) -> tuple[NDArray[np.int32], NDArray[np.float32], NDArray[np.bool_]]:
    """The first k distinct items behind each query's rows, equal products ordered by item.

    Args:
        products: shape (n_queries, n_rows), highest first.
        rows: the rows they belong to, the same shape.
        row_offsets: row r stands for ``row_items[row_offsets[r]:row_offsets[r + 1]]``.
        row_items: the items of each row, ascending.
        n_items: how many items there are to be found behind all rows together.
        k: how many to find.

    Returns:
        (items, affinities, is_sure): -1 and -inf where fewer were found. An answer is sure if no row beyond those
        given can change it: rows beyond the last one might equal its product, so all k items must have been found
        before the run of rows that ends the list, unless every item was found.
    """
    n_queries, n_rows = rows.shape
    items = np.full((n_queries, k), -1, dtype=np.int32)
    affinities = np.full((n_queries, k), -np.inf, dtype=np.float32)
    is_sure = np.zeros(n_queries, dtype=np.bool_)
    for query in range(n_queries):
        n_found = 0
        start = 0
        while start < n_rows and n_found < k:
            stop = start + 1
            while stop < n_rows and products[query, stop] == products[query, start]:
                stop += 1
            for item in _items_of(rows[query, start:stop], row_offsets, row_items, k):
                is_new = True
                for earlier in range(n_found):
                    if items[query, earlier] == item:
                        is_new = False
                        break
                if is_new and n_found < k:
                    items[query, n_found] = item
                    affinities[query, n_found] = products[query, start]
                    n_found += 1
            start = stop
        is_sure[query] = n_found == n_items or (n_found == k and start < n_rows)
    return items, affinities, is_sure


@compiled
def _items_of(
    rows: NDArray[np.int64], row_offsets: NDArray[np.int64], row_items: NDArray[np.int32], k: int
) -> NDArray[np.int32]:
    """Items of the rows, ascending, the k first of each row: a name may be shared by a million entities."""
    n_room = 0
    for row in rows:
        n_room += min(k, row_offsets[row + 1] - row_offsets[row])
    found = np.empty(n_room, dtype=np.int32)
    n_found = 0
    for row in rows:
        n_taken = 0
        view = row_offsets[row]
        while view < row_offsets[row + 1] and n_taken < k:
            # An item may own one row twice.
            if n_taken == 0 or found[n_found - 1] != row_items[view]:
                found[n_found] = row_items[view]
                n_found += 1
                n_taken += 1
            view += 1
    found = found[:n_found]
    found.sort()
    return found
