"""Mentions that are compared with the same candidates, in blocks.

A step of whole blocks holds far fewer distinct texts than one of mentions from everywhere, and what it holds is
harder: the negatives that a mention shares with others of its block are near to it as well.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

# Hash functions: the first brings most mentions together, the others order those it cannot tell apart.
_HASHES = 4


def blocks_of_like(candidates: NDArray[np.integer[Any]], size: int, seed: int) -> NDArray[np.int32]:
    """Part mentions into blocks whose candidates overlap, by min-hashing.

    Candidates are put in a random order, and each mention is known by the first of its own: two mentions get the same
    one with the probability of their Jaccard similarity (Broder, 1997: On the resemblance and containment of
    documents). Mentions sorted by several such hashes are cut into blocks. A seed for each epoch makes other blocks.

    Args:
        candidates: int, shape (n, k): what each mention is compared with; -1 for none.
        size: mentions of a block.
        seed: decides the random orders.

    Returns:
        int32, shape (n,): the block of each mention.

    Example:
        >>> blocks_of_like(np.array([[1, 2], [8, 9], [2, 1], [9, 8]]), 2, seed=0).tolist()
        [1, 0, 1, 0]
    """
    n = len(candidates)
    draw = np.random.default_rng(seed)
    n_candidates = int(candidates.max(initial=-1)) + 1
    hashes = []
    for _ in range(_HASHES):
        place = np.append(draw.permutation(n_candidates), n_candidates)  # -1 is the last of all
        hashes.append(place[candidates].min(axis=1, initial=n_candidates))
    order = np.lexsort(hashes[::-1])
    blocks = np.empty(n, dtype=np.int32)
    blocks[order] = np.arange(n) // size
    return blocks
