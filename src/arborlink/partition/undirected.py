"""Undirected inference: a minimum spanning forest with at most one entity per tree.

Edges lead both ways and are taken from the lightest; one that would join two trees with an entity each is
left out. That is Kruskal's algorithm after all entities are contracted into one node. Edges in ascending
order are independent of the threshold, which only says where to stop: raising it never takes a mention from
its entity.
"""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from arborlink.compiled import compiled
from arborlink.partition.forest import grow_forest
from arborlink.partition.lightest import lightest_entity_edges, useful_edges
from arborlink.partition.order import ascending


@compiled
def undirected(
    source: NDArray[Any],
    target: NDArray[Any],
    keys: NDArray[Any],
    limit: int,
    n_entities: int,
    parent: NDArray[Any],
    parent_key: NDArray[Any],
) -> None:
    """Hang every mention into the minimum spanning forest that is rooted at the entities."""
    lightest = lightest_entity_edges(source, target, keys, limit, n_entities, parent.shape[0])
    packed = useful_edges(source, target, keys, limit, n_entities, lightest, True)
    order = ascending(packed, source, target)
    grow_forest(order, source, target, keys, n_entities, parent, parent_key)
