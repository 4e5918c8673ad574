"""The current partition: where every mention is, since when, and in which discovery."""

from __future__ import annotations

from dataclasses import dataclass, fields
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arborlink.partition import ConstrainedPartition, Constraints, partition_under
from arborlink.workspace.lists import Lists
from arborlink.workspace.settings import WorkspaceSettings

NOWHERE = -1


@dataclass(frozen=True, slots=True)
class Parts:
    """One entry for each mention; the first five as in :class:`arborlink.partition.ConstrainedPartition`.

    Args:
        entity: int32: number of the entity it is linked to, -1 for none.
        cluster: int32: label of its cluster.
        parent: int32: node it hangs from, -1 for none.
        weight: float64: of that edge.
        decided: bool: whether that edge is a decision.
        discovery: int32: number of the discovered entity it belongs to, -1 where it is linked.
        changed: int32: version of the workspace with which entity or discovery last changed.
    """

    entity: NDArray[np.int32]
    cluster: NDArray[np.int32]
    parent: NDArray[np.int32]
    weight: NDArray[np.float64]
    decided: NDArray[np.bool_]
    discovery: NDArray[np.int32]
    changed: NDArray[np.int32]

    @classmethod
    def empty(cls) -> Parts:
        """The partition of nobody."""
        numbers = np.empty(0, dtype=np.int32)
        return cls(numbers, numbers, numbers, np.empty(0), np.empty(0, dtype=bool), numbers, numbers)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """All arrays by name, for a file."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @property
    def n_mentions(self) -> int:
        """How many mentions there are."""
        return len(self.entity)

    def members(self) -> dict[int, NDArray[np.int64]]:
        """Mentions of each discovery, by its number, in corpus order."""
        unlinked = np.flatnonzero(self.discovery != NOWHERE)
        return grouped(unlinked, self.discovery[unlinked])


def grouped(values: NDArray[np.int64], keys: NDArray[np.int32]) -> dict[int, NDArray[np.int64]]:
    """The values of each key, in their order; keys ascending."""
    order = np.argsort(keys, kind="stable")
    distinct, starts = np.unique(keys[order], return_index=True)
    ordered, bounds = values[order], [*starts.tolist(), len(values)]
    # np.split takes ten times as long for many small groups
    groups = (ordered[start:stop] for start, stop in pairwise(bounds))
    return dict(zip(distinct.tolist(), groups, strict=True))


def partitioned(
    lists: Lists, n_entities: int, settings: WorkspaceSettings, constraints: Constraints
) -> ConstrainedPartition:
    """The partition of all mentions under the decisions.

    With decisions every mention is joined to all the entities in its list, not only the nearest, so that one that may
    not be its nearest entity finds its second choice; without, the others decide nothing.
    """
    hood = lists.neighbourhood(n_entities, settings.detour)
    n_near = settings.candidates if constraints else 1
    graph = hood.graph(hood.others.items.shape[1], n_near=n_near)
    threshold = settings.inference.threshold
    # affinities are turned into weights when the graph is built; the threshold turns with them
    return partition_under(
        graph, constraints, settings.inference.mode, None if threshold is None else -threshold
    )
