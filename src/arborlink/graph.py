"""The neighbour graph: who could have said so about whom, as arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arborlink.errors import InputError

MAX_COUNT = int(np.iinfo(np.int32).max)
NO_NEIGHBOUR = -1
_PLURAL = {"entity": "entities", "mention": "mentions"}


@dataclass(frozen=True, eq=False, slots=True)
class NeighbourGraph:
    """Directed, weighted edges from entities and mentions to mentions.

    Nodes ``0 .. n_entities - 1`` are the entities, nodes ``n_entities .. n_entities + n_mentions - 1`` the
    mentions. An edge ``(u, v)`` says that ``u`` is near to the mention ``v``. Several edges may join the
    same two nodes, in either direction; where edges weigh the same, the order ``(weight, source, target)``
    decides, so no result depends on the order of the edges.

    The arrays are kept without a copy where their dtype allows it, as read-only views: whoever keeps the
    originals must leave them as they are.

    Args:
        source: node each edge leaves, shape (n_edges,), kept as int32.
        target: mention each edge enters, as a node, shape (n_edges,), kept as int32.
        weight: dissimilarity, smaller is closer, shape (n_edges,); float32 and float64 stay what they are,
            float16 becomes float32, integers become float64. Infinite weights are allowed, NaN is not.
        n_entities: how many entities there are.
        n_mentions: how many mentions there are.

    Raises:
        InputError: lengths differ, a node is out of range, an edge enters an entity or leaves the mention it
            enters, a weight is NaN, or there are more than 2,147,483,647 nodes or edges.

    Example:
        >>> graph = NeighbourGraph([0, 1, 3], [2, 3, 2], [2.0, 3.0, 1.0], n_entities=2, n_mentions=2)
        >>> graph.n_edges, graph.n_nodes
        (3, 4)
    """

    source: NDArray[np.int32]
    target: NDArray[np.int32]
    weight: NDArray[np.floating[Any]]
    n_entities: int
    n_mentions: int

    def __post_init__(self) -> None:
        _check_counts(self.n_entities, self.n_mentions)
        source, target = _nodes(self.source, "source"), _nodes(self.target, "target")
        weight = _weights(self.weight)
        if not len(source) == len(target) == len(weight):
            raise InputError(
                f"the neighbour graph has {len(source)} sources, {len(target)} targets and {len(weight)} "
                "weights; expected one of each per edge"
            )
        if len(source) > MAX_COUNT:
            raise InputError(f"the neighbour graph has {len(source)} edges; at most {MAX_COUNT} are possible")
        if len(source):
            self._check_edges(source, target, weight)
        for name, array in (("source", source), ("target", target)):
            object.__setattr__(self, name, _frozen(array, np.int32))
        object.__setattr__(self, "weight", _frozen(weight, weight.dtype))

    def _check_edges(self, source: NDArray[Any], target: NDArray[Any], weight: NDArray[Any]) -> None:
        for name, array, first in (("source", source, 0), ("target", target, self.n_entities)):
            for edge in (int(array.argmin()), int(array.argmax())):
                if not first <= array[edge] < self.n_nodes:
                    raise InputError(
                        f"edge {edge} of the neighbour graph has {name} {array[edge]}; with "
                        f"{self.n_entities} entities and {self.n_mentions} mentions a {name} lies in "
                        f"{first}..{self.n_nodes - 1}"
                        + (", because edges enter mentions only" if first else "")
                    )
        # min() is NaN as soon as one weight is, and needs no array of its own
        if np.isnan(weight.min()):
            edge = int(np.isnan(weight).argmax())
            raise InputError(f"edge {edge} of the neighbour graph has the weight NaN; expected a number")
        loops = source == target
        if loops.any():
            edge = int(loops.argmax())
            raise InputError(
                f"edge {edge} of the neighbour graph joins node {source[edge]} to itself; "
                "leave such edges out"
            )

    @property
    def n_edges(self) -> int:
        """How many edges there are, parallel ones counted each."""
        return len(self.source)

    @property
    def n_nodes(self) -> int:
        """Entities and mentions together."""
        return self.n_entities + self.n_mentions

    @classmethod
    def from_neighbours(
        cls,
        entity_neighbours: ArrayLike,
        entity_affinities: ArrayLike,
        mention_neighbours: ArrayLike,
        mention_affinities: ArrayLike,
        n_entities: int,
    ) -> NeighbourGraph:
        """The graph of a search's results. Here the sign turns: the weight of an edge is minus its affinity.

        A mention that stands among its own neighbours is passed over.

        Args:
            entity_neighbours: entities near each mention, shape (n_mentions, k_e), integers; -1 is "none".
            entity_affinities: their affinities, same shape; larger is closer. Ignored where there is none.
            mention_neighbours: mentions near each mention, numbered from 0, shape (n_mentions, k_m); -1 is
                "none".
            mention_affinities: their affinities, same shape.
            n_entities: how many entities the knowledge base has.

        Raises:
            InputError: shapes that do not match, neighbours out of range, or an affinity that is NaN.

        Example:
            >>> near, far = [[0.9], [0.8]], [[0.5], [0.5]]
            >>> graph = NeighbourGraph.from_neighbours([[0], [1]], near, [[1], [0]], far, n_entities=2)
            >>> graph.source.tolist(), graph.target.tolist()
            ([0, 1, 3, 2], [2, 3, 2, 3])
        """
        entities = _table(entity_neighbours, entity_affinities, "entity")
        mentions = _table(mention_neighbours, mention_affinities, "mention")
        n_mentions = len(entities[0])
        if len(mentions[0]) != n_mentions:
            raise InputError(
                f"entity_neighbours has {n_mentions} rows and mention_neighbours {len(mentions[0])}; "
                "expected one row per mention in both"
            )
        _check_counts(n_entities, n_mentions)
        blocks = (
            _edges(*entities, "entity", 0, n_entities, n_entities),
            _edges(*mentions, "mention", n_entities, n_mentions, n_entities),
        )
        source, target, weight = (np.concatenate(parts) for parts in zip(*blocks, strict=True))
        return cls(source, target, weight, n_entities, n_mentions)


def _check_counts(n_entities: int, n_mentions: int) -> None:
    if n_entities < 0 or n_mentions < 0:
        raise InputError(f"n_entities is {n_entities} and n_mentions {n_mentions}; neither can be negative")
    if n_entities + n_mentions > MAX_COUNT:
        raise InputError(
            f"{n_entities} entities and {n_mentions} mentions are {n_entities + n_mentions} nodes; "
            f"at most {MAX_COUNT} are possible"
        )


def _nodes(values: ArrayLike, name: str) -> NDArray[Any]:
    array = np.asarray(values)
    if array.ndim != 1:
        raise InputError(f"{name} has the shape {array.shape}; expected one dimension, one node per edge")
    if array.size and not np.issubdtype(array.dtype, np.integer):
        raise InputError(f"{name} holds {array.dtype} values; expected integers, the numbers of nodes")
    return array


def _weights(values: ArrayLike) -> NDArray[Any]:
    array = np.asarray(values)
    if array.ndim != 1:
        raise InputError(f"weight has the shape {array.shape}; expected one dimension, one weight per edge")
    return _floating(array, "weight")


def _floating(array: NDArray[Any], name: str) -> NDArray[Any]:
    native = array.dtype.newbyteorder("=")  # what compiled code reads
    if native in (np.float32, np.float64):
        return array.astype(native, copy=False)
    if native == np.float16:
        return array.astype(np.float32)
    if np.issubdtype(array.dtype, np.integer) or np.issubdtype(array.dtype, np.floating):
        return array.astype(np.float64)
    raise InputError(f"{name} holds {array.dtype} values; expected numbers")


def _frozen(array: NDArray[Any], dtype: Any) -> NDArray[Any]:
    view = np.ascontiguousarray(array, dtype=dtype).view()
    view.setflags(write=False)
    return view


def _table(neighbours: ArrayLike, affinities: ArrayLike, kind: str) -> tuple[NDArray[Any], NDArray[Any]]:
    nodes = np.asarray(neighbours)
    values = _floating(np.asarray(affinities), f"{kind}_affinities")
    if nodes.ndim != 2 or nodes.shape != values.shape:
        raise InputError(
            f"{kind}_neighbours has the shape {nodes.shape} and {kind}_affinities {values.shape}; "
            "expected the same two dimensions, (n_mentions, k)"
        )
    if nodes.size and not np.issubdtype(nodes.dtype, np.integer):
        raise InputError(f"{kind}_neighbours holds {nodes.dtype} values; expected integers")
    return nodes, values


def _edges(
    neighbours: NDArray[Any], affinities: NDArray[Any], kind: str, first: int, count: int, n_entities: int
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    n_mentions, k = neighbours.shape
    present = neighbours != NO_NEIGHBOUR
    wrong = present & ((neighbours < 0) | (neighbours >= count))
    if wrong.any():
        row, column = (int(i) for i in np.argwhere(wrong)[0])
        raise InputError(
            f"{kind}_neighbours[{row}, {column}] is {neighbours[row, column]}; expected a number below "
            f"{count}, the count of {_PLURAL[kind]}, or {NO_NEIGHBOUR} for none"
        )
    wrong = present & np.isnan(affinities)
    if wrong.any():
        row, column = (int(i) for i in np.argwhere(wrong)[0])
        raise InputError(f"{kind}_affinities[{row}, {column}] is NaN; expected a number")
    if kind == "mention":
        present &= neighbours != np.arange(n_mentions)[:, None]
    rows = np.repeat(np.arange(n_entities, n_entities + n_mentions, dtype=np.int32), k)
    kept = present.ravel()
    source = neighbours.ravel()[kept].astype(np.int32)
    source += np.int32(first)
    return source, rows[kept], -affinities.ravel()[kept]
