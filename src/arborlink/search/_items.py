"""From nearest rows to nearest items; apart because importing numba takes a while."""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray


@numba.njit(cache=True, nogil=True)
def distinct_items(
    products: NDArray[np.float32],
    rows: NDArray[np.int64],
    row_offsets: NDArray[np.int64],
    row_items: NDArray[np.int32],
    k: int,
) -> tuple[NDArray[np.int32], NDArray[np.float32], NDArray[np.bool_]]:
    """The first k distinct items behind each query's rows, equal products ordered by item.

    Also says for which queries the answer is sure: rows beyond the last one given might equal its product, so all
    k items must have been found before the run of rows that ends the list.
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
            n_run = 0
            for place in range(start, stop):
                row = rows[query, place]
                n_run += row_offsets[row + 1] - row_offsets[row]
            run = np.empty(n_run, dtype=np.int32)
            n_run = 0
            for place in range(start, stop):
                row = rows[query, place]
                for view in range(row_offsets[row], row_offsets[row + 1]):
                    run[n_run] = row_items[view]
                    n_run += 1
            run.sort()
            for item in run:
                is_new = True
                for earlier in range(n_found):
                    if items[query, earlier] == item:
                        is_new = False
                        break
                if is_new and n_found < k:
                    items[query, n_found] = item
                    affinities[query, n_found] = products[query, start]
                    n_found += 1
            if n_found == k and stop < n_rows:
                is_sure[query] = True
            start = stop
    return items, affinities, is_sure
