"""The lightest entity edge of every mention, and the edges it makes useless.

An edge that enters a mention after the mention's own lightest entity edge decides nothing in any mode: by
then an entity reaches the mention. At equal weight the entity edge comes first, because entities have the
smaller numbers. Leaving such edges out before anything is sorted is exact and cheap.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from arborlink.compiled import compiled
from arborlink.partition.radix import HALF, LOW

NONE = np.uint64(0xFFFFFFFFFFFFFFFF)


@compiled
def lightest_entity_edges(
    source: NDArray[Any],
    target: NDArray[Any],
    keys: NDArray[Any],
    limit: int,
    n_entities: int,
    n_mentions: int,
) -> NDArray[Any]:
    """The smallest (weight key, entity) of the entity edges into each mention, of those the limit keeps.

    Returns:
        uint64, shape (n_mentions,): the key in the upper half, the entity in the lower; all bits set where a
        mention has no such edge, which is above every key.
    """
    lightest = np.full(n_mentions, NONE, np.uint64)
    for edge in range(source.shape[0]):
        if source[edge] < n_entities and keys[edge] <= limit:
            value = (np.uint64(keys[edge]) << HALF) | np.uint64(source[edge])
            mention = target[edge] - n_entities
            if value < lightest[mention]:
                lightest[mention] = value
    return lightest


@compiled
def useful_edges(
    source: NDArray[Any],
    target: NDArray[Any],
    keys: NDArray[Any],
    limit: int,
    n_entities: int,
    lightest: NDArray[Any],
    either_end: bool,
) -> NDArray[Any]:
    """The edges that can still decide something, packed as (weight key, edge number) in the order given.

    Args:
        source: int32, node each edge leaves.
        target: int32, node each edge enters.
        keys: uint32, weight keys.
        limit: largest key that is kept.
        n_entities: how many entities there are.
        lightest: what :func:`lightest_entity_edges` returned.
        either_end: keep an edge that comes before the lightest entity edge of its source, too, as is needed
            where edges lead both ways.

    Returns:
        uint64, shape (n_kept,).
    """
    n_edges = source.shape[0]
    packed = np.empty(n_edges, np.uint64)
    n_kept = 0
    for edge in range(n_edges):
        key = keys[edge]
        if key > limit:
            continue
        bound = lightest[target[edge] - n_entities]
        node = source[edge]
        if node < n_entities:
            keep = (np.uint64(key) << HALF) | np.uint64(node) == bound
        else:
            keep = key < bound >> HALF
            if either_end and not keep:
                keep = key < lightest[node - n_entities] >> HALF
        if keep:
            packed[n_kept] = (np.uint64(key) << HALF) | np.uint64(edge)
            n_kept += 1
    return packed[:n_kept]


@compiled
def split(packed: NDArray[Any], parent: NDArray[Any], parent_key: NDArray[Any]) -> None:
    """Write (weight key, entity) of each mention that has one into ``parent`` and ``parent_key``."""
    for mention in range(packed.shape[0]):
        if packed[mention] != NONE:
            parent[mention] = np.int32(packed[mention] & LOW)
            parent_key[mention] = np.uint32(packed[mention] >> HALF)
