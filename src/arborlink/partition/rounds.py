"""Directed inference under decisions, in rounds.

Whom a mention is linked to is known only when all groups of the algorithm are opened, so nothing can be refused on
the way. Instead, the tree of an entity in which two meet that must not is taken apart where it is weakest, the
edges between the parts that must not meet are removed, and the partition is made again.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arborlink.partition.decided import DecidedGraph
from arborlink.partition.directed import directed
from arborlink.partition.keys import KEEP_ALL
from arborlink.partition.labels import follow_parents
from arborlink.partition.refusing import grow_refusing


def directed_in_rounds(graph: DecidedGraph, parent: NDArray[Any], parent_key: NDArray[Any]) -> int:
    """Hang every mention into an arborescence in which no entity links two that must not meet.

    Args:
        graph: edges and decisions.
        parent: int32, shape (n_mentions,), all -1; written. Clusters without an entity are left as the mode alone
            would make them.
        parent_key: uint32, shape (n_mentions,), all 0; written.

    Returns:
        How many rounds it took; 1 where nothing had to be removed.
    """
    graph = _without(graph, graph.group, graph.pairs)
    n_rounds = 0
    while True:
        parent[:], parent_key[:] = -1, 0
        directed(graph.source, graph.target, graph.keys, KEEP_ALL, graph.n_entities, parent, parent_key)
        n_rounds += 1
        root = _linked_roots(parent, graph.n_entities)
        ends = root[graph.pairs]
        meeting = (ends[:, 0] == ends[:, 1]) & (ends[:, 0] >= 0)
        if not meeting.any():
            return n_rounds
        parts = _parts(graph, parent, parent_key, np.unique(ends[meeting, 0]), root)
        graph = _without(graph, parts, parts[graph.pairs[meeting]])


def _linked_roots(parent: NDArray[Any], n_entities: int) -> NDArray[np.int32]:
    """The entity of every node, entities included; -1 without one."""
    entity, _ = follow_parents(parent, n_entities)
    return np.concatenate([np.arange(n_entities, dtype=np.int32), entity])


def _parts(
    graph: DecidedGraph,
    parent: NDArray[Any],
    parent_key: NDArray[Any],
    entities: NDArray[np.int32],
    root: NDArray[np.int32],
) -> NDArray[np.int32]:
    """What is left of the trees of some entities if their edges are joined from the lightest, with refusals.

    Returns:
        Shape (n_nodes,): the node each part is known by; nodes of other trees are parts of their own.
    """
    children = np.flatnonzero(np.isin(root[graph.n_entities :], entities))
    tree = replace(
        graph,
        source=parent[children],
        target=(children + graph.n_entities).astype(np.int32),
        keys=parent_key[children],
    )
    above = np.full(graph.n_mentions, -1, np.int32)
    above_key = np.zeros(graph.n_mentions, np.uint32)
    grow_refusing(
        tree.ascending(),
        tree.source,
        tree.target,
        tree.keys,
        tree.n_entities,
        tree.start,
        tree.foes,
        above,
        above_key,
    )
    entity, cluster = follow_parents(above, graph.n_entities)
    _, first = np.unique(cluster, return_index=True)
    of_mentions = np.where(entity >= 0, entity, first[cluster] + graph.n_entities)
    return np.concatenate([np.arange(graph.n_entities), of_mentions]).astype(np.int32)


def _without(graph: DecidedGraph, part: NDArray[np.int32], pairs: NDArray[np.int32]) -> DecidedGraph:
    """The graph without the edges between two parts that must not meet; ``pairs`` holds each pair both ways."""
    if not len(pairs):
        return graph
    concerned = np.zeros(len(part), bool)
    concerned[pairs] = True
    source, target = part[graph.source], part[graph.target]
    edges = np.flatnonzero(concerned[source] & concerned[target])
    code = np.int64(len(part))
    forbidden = pairs[:, 0] * code + pairs[:, 1]
    kept = np.ones(len(source), bool)
    kept[edges[np.isin(source[edges] * code + target[edges], forbidden)]] = False
    return replace(graph, source=graph.source[kept], target=graph.target[kept], keys=graph.keys[kept])
