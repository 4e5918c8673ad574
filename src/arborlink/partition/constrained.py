"""The partition under decisions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arborlink.errors import InputError
from arborlink.graph import NeighbourGraph
from arborlink.partition.constraints import Constraints, check_range
from arborlink.partition.contradictions import contradictions
from arborlink.partition.modes import Mode, check_mode
from arborlink.partition.result import Partition


@dataclass(frozen=True, eq=False, slots=True)
class ConstrainedPartition(Partition):
    """A partition that honours decisions.

    Args:
        decided: bool, shape (n_mentions,): whether the edge between the mention and its parent is a decision. Its
            weight is minus infinity then: nothing could be closer. In files, where infinity has no place, such a
            mention has a parent and no affinity.
    """

    decided: NDArray[np.bool_]


def partition_under(
    graph: NeighbourGraph, constraints: Constraints, mode: Mode = "directed", threshold: float | None = None
) -> ConstrainedPartition:
    """Give every mention an entity, or a cluster without one, so that every decision holds.

    ``together`` and ``linked`` are edges lighter than all others, which no threshold cuts. ``apart`` and
    ``unlinked`` forbid trees to be joined: in ``independent``, ``undirected`` and ``minimax`` an edge that would is
    passed over; in ``directed`` edges are removed until none does. See ``docs/partition.md`` for what is guaranteed.

    Args:
        graph: neighbours and weights. Give it more than one entity per mention: without decisions the others change
            nothing, and a mention kept from its entity has them to turn to.
        constraints: what must hold.
        mode: as in :func:`arborlink.partition.partition`. In ``independent`` mentions held together go to the
            nearest entity of any of them.
        threshold: as there.

    Returns:
        The partition. Without constraints it is that of :func:`arborlink.partition.partition`, and so it is if
        constraints only keep apart what is apart there already.

    Raises:
        InputError: constraints contradict each other or name what the graph does not have, the mode is unknown or
            the threshold is NaN.

    Example:
        >>> graph = NeighbourGraph([0, 1, 3], [2, 3, 2], [2.0, 3.0, 1.0], n_entities=2, n_mentions=2)
        >>> partition_under(graph, Constraints(apart=[(0, 1)])).entity.tolist()
        [0, 1]
        >>> partition_under(graph, Constraints(together=[(0, 1)], unlinked=[(0, 1)])).entity.tolist()
        [1, 1]
    """
    check_mode(mode, threshold)
    check_range(constraints, graph.n_entities, graph.n_mentions)
    found = contradictions(constraints)
    if found:
        more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
        raise InputError(f"decisions contradict each other: {found[0]}{more}; take one of them back")
    # the compiler behind these takes a while to load
    from arborlink.partition.decided import DECIDED, DecidedGraph
    from arborlink.partition.labels import follow_parents
    from arborlink.partition.under_decisions import hang_under_decisions

    decided = DecidedGraph.of(graph, constraints, threshold)
    parent = np.full(graph.n_mentions, -1, np.int32)
    parent_key = np.zeros(graph.n_mentions, np.uint32)
    hang_under_decisions(decided, mode, parent, parent_key)
    entity, cluster = follow_parents(parent, graph.n_entities)
    weight = decided.weights_of(parent_key)
    return ConstrainedPartition(entity, cluster, parent, weight, graph.n_entities, parent_key == DECIDED)
