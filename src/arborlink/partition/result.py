"""What a partition says about every mention."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False, slots=True)
class Partition:
    """Entity, cluster and parent of every mention, as read-only arrays of shape (n_mentions,).

    Parents make a forest over the nodes of the graph: following them from a mention ends at the entity the
    mention is linked to, or, in a cluster without an entity, at one mention of that cluster.

    Args:
        entity: number of the entity the mention is linked to, -1 where it is linked to none; int32.
        cluster: label of the mention's cluster; int32. Labels run from 0 without a gap, in the order of the
            clusters' first mentions. Mentions share a label exactly if they share an entity or, without
            one, a tree.
        parent: node the mention hangs from, -1 at the root of a cluster without an entity; int32. Entities
            are the nodes 0 .. n_entities - 1, mention ``m`` is the node ``n_entities + m``.
        weight: weight of the edge between the mention and its parent, NaN where there is none; the graph's
            dtype.
        n_entities: how many entities the graph has.
    """

    entity: NDArray[np.int32]
    cluster: NDArray[np.int32]
    parent: NDArray[np.int32]
    weight: NDArray[np.floating[Any]]
    n_entities: int

    def __post_init__(self) -> None:
        for field in fields(self):
            if field.name != "n_entities":
                getattr(self, field.name).setflags(write=False)

    @property
    def n_mentions(self) -> int:
        """How many mentions were partitioned."""
        return len(self.entity)

    @property
    def n_clusters(self) -> int:
        """How many clusters hold a mention, with and without an entity."""
        return int(self.cluster.max()) + 1 if len(self.cluster) else 0
