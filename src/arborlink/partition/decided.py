"""A graph with decisions in it: edges that hold groups together, and the groups that must not meet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arborlink.compiled import compiled
from arborlink.graph import NeighbourGraph
from arborlink.partition.constraints import Constraints, Pairs
from arborlink.partition.keys import WeightKeys, weight_keys
from arborlink.partition.order import ascending
from arborlink.partition.radix import HALF
from arborlink.partition.union_find import find

DECIDED = 1  # key of the edges of decisions, below all keys of weights


@dataclass(frozen=True, slots=True)
class DecidedGraph:
    """The edges that may be used, those of decisions first in order, and who must not meet whom.

    A *group* is what decisions hold together, with its entity if it has one; it is known by its entity or its first
    mention, as a node.

    Args:
        source: int32, shape (n_edges,): the graph's edges up to the threshold that enter or leave no mention which
            is to stay alone, then the edges of decisions, between mentions both ways.
        target: int32, likewise.
        keys: uint32, likewise; ``DECIDED`` for the edges of decisions, above it for all others.
        n_entities: how many entities there are.
        n_mentions: how many mentions there are.
        group: int32, shape (n_nodes,): the node each node's group is known by.
        pairs: int32, shape (n_pairs, 2): groups that must not meet, each pair both ways, sorted.
        start: int64, shape (n_nodes + 1,): where the pairs of each node begin.
    """

    source: NDArray[np.int32]
    target: NDArray[np.int32]
    keys: NDArray[np.uint32]
    n_entities: int
    n_mentions: int
    group: NDArray[np.int32]
    pairs: NDArray[np.int32]
    start: NDArray[np.int64]
    _weights: WeightKeys

    @classmethod
    def of(cls, graph: NeighbourGraph, constraints: Constraints, threshold: float | None) -> DecidedGraph:
        """Put decisions, which must be free of contradictions, into a graph."""
        weights = weight_keys(graph.weight, threshold)
        shift = _shift(weights)
        usable = weights.keys <= weights.limit
        if constraints.alone:
            is_alone = np.zeros(graph.n_nodes, bool)
            is_alone[np.array(constraints.alone, np.int64) + graph.n_entities] = True
            usable &= ~(is_alone[graph.source] | is_alone[graph.target])
        group, joins = _groups(constraints, graph.n_entities, graph.n_nodes)
        pairs = _foes(constraints, group, graph.n_entities)
        counts = np.bincount(pairs[:, 0], minlength=graph.n_nodes)
        return cls(
            source=np.concatenate([graph.source[usable], joins[:, 0]]),
            target=np.concatenate([graph.target[usable], joins[:, 1]]),
            keys=np.concatenate([weights.keys[usable] + shift, np.full(len(joins), DECIDED, np.uint32)]),
            n_entities=graph.n_entities,
            n_mentions=graph.n_mentions,
            group=group,
            pairs=pairs,
            start=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
            _weights=weights,
        )

    @property
    def foes(self) -> NDArray[np.int32]:
        """The second of each pair, as a contiguous array."""
        return np.ascontiguousarray(self.pairs[:, 1])

    def ascending(self, chosen: NDArray[np.bool_] | None = None) -> NDArray[np.int32]:
        """The numbers of the chosen edges, or of all, in ascending order of (weight, source, target)."""
        edges = np.arange(len(self.source)) if chosen is None else np.flatnonzero(chosen)
        packed = (self.keys[edges].astype(np.uint64) << HALF) | edges.astype(np.uint64)
        order: NDArray[np.int32] = ascending(packed, self.source, self.target)
        return order

    def weights_of(self, parent_key: NDArray[np.uint32]) -> NDArray[np.floating[Any]]:
        """The weights of keys: NaN for 0, minus infinity for decisions."""
        shift = _shift(self._weights)
        weights = self._weights.decode(np.where(parent_key > DECIDED, parent_key - shift, np.uint32(0)))
        weights[parent_key == DECIDED] = -np.inf
        return weights


def _shift(weights: WeightKeys) -> np.uint32:
    """What makes room for ``DECIDED``: ranks begin at 1, the bits of a float32 far above."""
    return np.uint32(0 if weights.distinct is None else 1)


def _groups(constraints: Constraints, n_entities: int, n_nodes: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """The group of every node, and edges (source, target) that hold the groups together."""
    linked = _nodes(constraints.linked, 0, n_entities)
    together = _nodes(constraints.together, n_entities, n_entities)
    joins = np.concatenate([linked, together])
    group = np.arange(n_nodes, dtype=np.int32)
    _join(group, joins)
    return group, np.concatenate([joins, together[:, ::-1]])


@compiled
def _join(group: NDArray[Any], joins: NDArray[Any]) -> None:
    """Give the nodes that joins connect the smallest of them as their group."""
    for i in range(joins.shape[0]):
        one, other = find(group, joins[i, 0]), find(group, joins[i, 1])
        group[max(one, other)] = min(one, other)
    for node in range(group.shape[0]):
        group[node] = find(group, node)


def _foes(constraints: Constraints, group: NDArray[np.int32], n_entities: int) -> NDArray[np.int32]:
    """The groups that must not meet, each pair both ways, sorted."""
    apart = _nodes(constraints.apart, n_entities, n_entities)
    unlinked = _nodes(constraints.unlinked, 0, n_entities)
    pairs = group[np.concatenate([apart, unlinked])]
    return np.unique(np.concatenate([pairs, pairs[:, ::-1]]), axis=0)


def _nodes(pairs: Pairs, first: int, second: int) -> NDArray[np.int32]:
    """Pairs of numbers as pairs of nodes: where the numbers of each column begin among the nodes."""
    numbers = np.array(pairs, np.int32).reshape(-1, 2)
    return numbers + np.array([first, second], np.int32)
