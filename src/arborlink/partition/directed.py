"""Directed inference, the paper's text: the lexicographic-bottleneck arborescence.

The text goes through the edges from the heaviest and drops ``(u, v)`` while an entity still reaches ``v``.
What is left is found faster by the algorithm of Chu, Liu and Edmonds on the order of the edges alone,
without its adjustment of weights: every mention is entered by its lightest edge, mentions that enter each
other in a circle become a group, and a group is entered by the lightest edge from outside. O(n_edges log
n_mentions) in the worst case.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from arborlink.compiled import compiled
from arborlink.partition.contraction import expand, follow_lightest_edges
from arborlink.partition.forest import grow_unlinked
from arborlink.partition.incoming import incoming_edges
from arborlink.partition.lightest import lightest_entity_edges
from arborlink.partition.radix import HALF, LOW


@compiled
def directed(
    source: NDArray[Any],
    target: NDArray[Any],
    keys: NDArray[Any],
    limit: int,
    n_entities: int,
    parent: NDArray[Any],
    parent_key: NDArray[Any],
) -> None:
    """Hang every mention into the arborescence the paper's procedure leaves."""
    lightest = lightest_entity_edges(source, target, keys, limit, n_entities, parent.shape[0])
    start, edges = incoming_edges(source, target, keys, limit, n_entities, lightest)
    groups = follow_lightest_edges(start, edges, n_entities)
    entering = expand(*groups)
    for mention in range(parent.shape[0]):
        edge = entering[mention]
        if edge >= 0:
            parent[mention] = np.int32(edges[edge] & LOW)
            parent_key[mention] = np.uint32(edges[edge] >> HALF)
    grow_unlinked(source, target, keys, limit, n_entities, parent, parent_key)
