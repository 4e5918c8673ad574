"""Sums of the weights of words that two texts share; apart because importing numba takes a while."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from arborlink.compiled import compiled


@compiled
def shared_sums(
    items: NDArray[np.int32],
    asked: NDArray[np.int32],
    counts: NDArray[np.float64],
    asked_offsets: NDArray[np.int64],
    words: NDArray[np.int32],
    weights: NDArray[np.float64],
    offsets: NDArray[np.int64],
) -> NDArray[np.float64]:
    """For each mention and each of its entities, what the words that they share add up to.

    Args:
        items: numbers of entities, shape (n_mentions, k); below 0 for none.
        asked: distinct words of mention m, ascending: ``asked[asked_offsets[m]:asked_offsets[m + 1]]``.
        counts: what each of them counts for that mention, the same shape.
        asked_offsets: shape (n_mentions + 1,).
        words: distinct words of entity e, ascending: ``words[offsets[e]:offsets[e + 1]]``.
        weights: what each of them counts for in that entity, the same shape.
        offsets: shape (n_entities + 1,).

    Returns:
        The shape of ``items``; 0 where there is no entity, or nothing shared.
    """
    sums = np.zeros(items.shape)
    for mention in range(items.shape[0]):
        for place in range(items.shape[1]):
            entity = items[mention, place]
            if entity < 0:
                continue
            low, end = offsets[entity], offsets[entity + 1]
            for number in range(asked_offsets[mention], asked_offsets[mention + 1]):
                word, high = asked[number], end
                while low < high:
                    middle = (low + high) // 2
                    if words[middle] < word:
                        low = middle + 1
                    else:
                        high = middle
                if low < end and words[low] == word:
                    sums[mention, place] += counts[number] * weights[low]
    return sums
