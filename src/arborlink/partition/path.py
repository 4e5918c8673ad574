"""Why a mention stands where it stands: the way to the root of its tree and the weakest edge on it."""

from __future__ import annotations

from typing import NamedTuple

from arborlink.errors import InputError
from arborlink.partition.result import Partition


class Edge(NamedTuple):
    """An edge of a tree of the partition; ``parent`` and ``child`` are nodes."""

    parent: int
    child: int
    weight: float


def path_to_root(partition: Partition, mention: int) -> list[int]:
    """The nodes from a mention to the root of its tree, both included.

    Args:
        partition: what :func:`arborlink.partition.partition` returned.
        mention: number of the mention, from 0.

    Returns:
        Nodes; the first is the mention's own, the last its entity or the root of its cluster without one.

    Example:
        >>> from arborlink.graph import NeighbourGraph
        >>> from arborlink.partition import partition
        >>> graph = NeighbourGraph([0, 1, 3], [2, 3, 2], [2.0, 3.0, 1.0], n_entities=2, n_mentions=2)
        >>> path_to_root(partition(graph, "directed"), 0)
        [2, 3, 1]
    """
    if not 0 <= mention < partition.n_mentions:
        raise InputError(
            f"there is no mention {mention}; the partition has {partition.n_mentions}, numbered from 0"
        )
    nodes = [partition.n_entities + mention]
    while nodes[-1] >= partition.n_entities:
        parent = int(partition.parent[nodes[-1] - partition.n_entities])
        if parent < 0:
            break
        nodes.append(parent)
    return nodes


def bottleneck(partition: Partition, mention: int) -> Edge | None:
    """The heaviest edge between a mention and the root of its tree; ``None`` where the mention is the root.

    Of edges that weigh the same, the one with the largest (parent, child) is given.
    """
    nodes = path_to_root(partition, mention)
    weights = (float(partition.weight[child - partition.n_entities]) for child in nodes[:-1])
    edges = (
        Edge(parent, child, weight)
        for child, parent, weight in zip(nodes[:-1], nodes[1:], weights, strict=True)
    )
    return max(edges, key=lambda edge: (edge.weight, edge.parent, edge.child), default=None)
