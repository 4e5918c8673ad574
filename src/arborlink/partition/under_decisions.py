"""The four modes under decisions."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from arborlink.partition.decided import DECIDED, DecidedGraph
from arborlink.partition.labels import follow_parents
from arborlink.partition.modes import Mode
from arborlink.partition.refusing import grow_refusing
from arborlink.partition.refusing_sweep import sweep_refusing
from arborlink.partition.rounds import directed_in_rounds


def hang_under_decisions(
    graph: DecidedGraph, mode: Mode, parent: NDArray[Any], parent_key: NDArray[Any]
) -> None:
    """Write the parent of every mention and the key of the edge to it.

    Args:
        graph: edges and decisions.
        mode: the mode.
        parent: int32, shape (n_mentions,), all -1; written.
        parent_key: uint32, shape (n_mentions,), all 0; written.
    """
    if mode == "undirected":
        _grow(graph, None, parent, parent_key)
    elif mode == "independent":
        _grow(graph, (graph.source < graph.n_entities) | (graph.keys == DECIDED), parent, parent_key)
    elif mode == "minimax":
        sweep_refusing(
            graph.ascending(),
            graph.source,
            graph.target,
            graph.keys,
            graph.n_entities,
            graph.group,
            graph.start,
            graph.foes,
            parent,
            parent_key,
        )
        _grow_unlinked(graph, parent, parent_key)
    else:
        directed_in_rounds(graph, parent, parent_key)
        _grow_unlinked(graph, parent, parent_key)


def _grow_unlinked(graph: DecidedGraph, parent: NDArray[Any], parent_key: NDArray[Any]) -> None:
    """Cluster the mentions that have no entity among themselves, from the lightest edge, with refusals."""
    entity, _ = follow_parents(parent, graph.n_entities)
    parent[entity < 0], parent_key[entity < 0] = -1, 0
    is_free = np.concatenate([np.zeros(graph.n_entities, bool), entity < 0])
    _grow(graph, is_free[graph.source] & is_free[graph.target], parent, parent_key)


def _grow(
    graph: DecidedGraph, chosen: NDArray[np.bool_] | None, parent: NDArray[Any], parent_key: NDArray[Any]
) -> None:
    grow_refusing(
        graph.ascending(chosen),
        graph.source,
        graph.target,
        graph.keys,
        graph.n_entities,
        graph.start,
        graph.foes,
        parent,
        parent_key,
    )
