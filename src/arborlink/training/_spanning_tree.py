"""Who is whose positive inside a gold cluster; apart because importing numba takes a while.

Both kernels work through clusters one after another and compute one row of products at a time, so that no cluster
ever needs the affinities of all its pairs. The vectors of a cluster are turned on their side first: adding up a row
dimension by dimension is a loop the compiler can vectorise without changing the order of any sum, so that the
affinity of a pair is the same number from either end.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from arborlink.compiled import compiled


@compiled
def spanning_parents(
    vectors: NDArray[np.float32],
    entity_affinities: NDArray[np.float32],
    members: NDArray[np.int64],
    offsets: NDArray[np.int64],
    entity: int,
    parents: NDArray[np.int32],
) -> None:
    """Parents in the maximum-affinity tree of each cluster, grown from its root by Prim's algorithm.

    The next edge is always the one with the least (weight, source, target). Without an entity the first member is
    the root, and its own positive is the member that joins it first: its nearest.

    Args:
        vectors: shape (n_mentions, dimension).
        entity_affinities: shape (n_mentions,); minus infinity without an entity.
        members: the mentions of cluster c are ``members[offsets[c]:offsets[c + 1]]``, ascending, two or more.
        offsets: shape (n_clusters + 1,).
        entity: what stands for the entity as a parent; below every mention.
        parents: shape (n_mentions,): filled in for the members of these clusters.
    """
    for cluster in range(len(offsets) - 1):
        outside = members[offsets[cluster] : offsets[cluster + 1]].copy()
        columns = _on_their_side(vectors, outside)
        n_outside = len(outside)
        best = np.empty(n_outside, dtype=np.float32)
        source = np.full(n_outside, entity, dtype=np.int64)
        row = np.empty(n_outside, dtype=np.float32)
        for place in range(n_outside):
            best[place] = entity_affinities[outside[place]]
        root = np.int64(-1)
        if best[0] == -np.inf:
            root = outside[0]
            n_outside = _leave(0, n_outside, columns, outside, best, source)
            _products(vectors[root], columns, n_outside, row)
            _offer(root, row, n_outside, best, source)
        while n_outside > 0:
            place = _lightest(n_outside, outside, best, source)
            mention = outside[place]
            parents[mention] = source[place]
            if root >= 0:
                parents[root] = mention
                root = np.int64(-1)
            n_outside = _leave(place, n_outside, columns, outside, best, source)
            _products(vectors[mention], columns, n_outside, row)
            _offer(mention, row, n_outside, best, source)


@compiled
def nearest_members(
    vectors: NDArray[np.float32],
    entity_affinities: NDArray[np.float32],
    members: NDArray[np.int64],
    offsets: NDArray[np.int64],
    entity: int,
    nearest: NDArray[np.int32],
) -> None:
    """The nearest of each mention's fellow members and its entity; arguments as for :func:`spanning_parents`."""
    for cluster in range(len(offsets) - 1):
        own = members[offsets[cluster] : offsets[cluster + 1]]
        columns = _on_their_side(vectors, own)
        row = np.empty(len(own), dtype=np.float32)
        for place in range(len(own)):
            _products(vectors[own[place]], columns, len(own), row)
            best = entity_affinities[own[place]]
            nearest[own[place]] = entity
            for other in range(len(own)):
                if other != place and row[other] > best:
                    best = row[other]
                    nearest[own[place]] = own[other]


@compiled
def _on_their_side(vectors: NDArray[np.float32], members: NDArray[np.int64]) -> NDArray[np.float32]:
    """The members' vectors as columns, shape (dimension, n_members)."""
    columns = np.empty((vectors.shape[1], len(members)), dtype=np.float32)
    for place in range(len(members)):
        for dimension in range(vectors.shape[1]):
            columns[dimension, place] = vectors[members[place], dimension]
    return columns


@compiled
def _products(
    vector: NDArray[np.float32], columns: NDArray[np.float32], n_columns: int, row: NDArray[np.float32]
) -> None:
    """Inner products of a vector with the first columns, into ``row``."""
    n_dimensions = len(vector)
    row[:n_columns] = 0
    # Four dimensions at a time: the row is then read and written a quarter as often.
    whole = n_dimensions - n_dimensions % 4
    for d in range(0, whole, 4):
        a, b, c, e = vector[d], vector[d + 1], vector[d + 2], vector[d + 3]
        first, second, third, fourth = columns[d], columns[d + 1], columns[d + 2], columns[d + 3]
        for place in range(n_columns):
            row[place] += a * first[place] + b * second[place] + c * third[place] + e * fourth[place]
    for d in range(whole, n_dimensions):
        a, first = vector[d], columns[d]
        for place in range(n_columns):
            row[place] += a * first[place]


@compiled
def _leave(
    place: int,
    n_outside: int,
    columns: NDArray[np.float32],
    outside: NDArray[np.int64],
    best: NDArray[np.float32],
    source: NDArray[np.int64],
) -> int:
    """Put the last mention that is still outside where the one that has joined was; how many remain."""
    last = n_outside - 1
    for dimension in range(len(columns)):
        columns[dimension, place] = columns[dimension, last]
    outside[place], best[place], source[place] = outside[last], best[last], source[last]
    return last


@compiled
def _offer(
    mention: int,
    row: NDArray[np.float32],
    n_outside: int,
    best: NDArray[np.float32],
    source: NDArray[np.int64],
) -> None:
    """Let a mention that has joined be the parent of those it is nearer to than all before it."""
    for place in range(n_outside):
        if row[place] > best[place] or (row[place] == best[place] and mention < source[place]):
            best[place] = row[place]
            source[place] = mention


@compiled
def _lightest(
    n_outside: int, outside: NDArray[np.int64], best: NDArray[np.float32], source: NDArray[np.int64]
) -> int:
    """The place with the least (weight, source, target)."""
    found = 0
    for place in range(1, n_outside):
        if best[place] < best[found]:
            continue
        if (
            best[place] > best[found]
            or source[place] < source[found]
            or (source[place] == source[found] and outside[place] < outside[found])
        ):
            found = place
    return found
