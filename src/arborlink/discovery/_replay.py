"""The life of the clusters while the threshold admits one edge after another."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from arborlink.compiled import compiled
from arborlink.discovery._regroup import NOBODY, Adjacency, Desk, regroup
from arborlink.discovery._rings import merge, single_rings, take_out
from arborlink.discovery._tally import N_TOTALS, Tally


@compiled
def bottlenecks(
    parent: NDArray[Any], parent_level: NDArray[Any], n_entities: int, never: int
) -> NDArray[Any]:
    """The level from which on each mention is linked: that of the heaviest edge between it and its entity.

    Args:
        parent: int32, shape (n_mentions,): node each mention hangs from, -1 for roots without an entity.
        parent_level: int32, likewise: level of that edge.
        n_entities: how many entities there are.
        never: what to say of mentions without an entity.

    Returns:
        int32, shape (n_mentions,).
    """
    n_mentions = parent.shape[0]
    found = np.full(n_mentions, -1, np.int32)
    way = np.empty(n_mentions, np.int32)
    for mention in range(n_mentions):
        n_way = 0
        at = mention
        while found[at] < 0 and parent[at] >= n_entities:
            way[n_way] = at
            n_way += 1
            at = parent[at] - n_entities
        if found[at] < 0:
            found[at] = parent_level[at] if parent[at] >= 0 else never
        level = found[at]
        for i in range(n_way - 1, -1, -1):
            level = level if level == never else max(level, parent_level[way[i]])
            found[way[i]] = level
    return found


@compiled
def replay(
    tally: Tally,
    adjacency: Adjacency,
    one: NDArray[Any],
    other: NDArray[Any],
    edge_level: NDArray[Any],
    joining: NDArray[Any],
    entity: NDArray[Any],
) -> Any:
    """Let edges and links come in, level by level, and note the totals wherever a cluster has changed.

    Mentions without an entity belong together where edges connect them. A mention that is linked leaves them for
    good, and what it held together may fall apart. At every level edges come first: their ends are linked later.

    Args:
        tally: every mention alone; changed.
        adjacency: the edges of each mention, and the level at which each mention is linked.
        one: int32, shape (n_edges,): mention at one end of each edge; both are linked above the edge's level.
        other: int32, likewise: mention at the other end.
        edge_level: int32, likewise, ascending.
        joining: int32: the mentions that are linked some time, by ascending level.
        entity: int32, shape (n_mentions,): what each is linked to.

    Returns:
        ``levels``, int32, shape (n_points,), and ``totals``, int64, shape (n_points, N_TOTALS). The first point is
        the beginning, at level -1.
    """
    n_mentions, join_level = entity.shape[0], adjacency.join_level
    rings = single_rings(n_mentions)
    desk = Desk(
        np.full(n_mentions, NOBODY, np.int32),
        np.empty(n_mentions, np.int32),
        np.empty(n_mentions, np.int32),
        np.zeros(tally.members.shape[0], np.int32),
    )
    most = 1 + _n_levels(edge_level) + _n_levels(join_level[joining])
    levels, totals = np.empty(most, np.int32), np.empty((most, N_TOTALS), np.int64)
    levels[0], totals[0] = -1, tally.totals
    n_points, edge, join = 1, 0, 0
    while edge < one.shape[0] or join < joining.shape[0]:
        if join == joining.shape[0]:
            level = edge_level[edge]
        elif edge == one.shape[0]:
            level = join_level[joining[join]]
        else:
            level = min(edge_level[edge], join_level[joining[join]])
        has_changed = False
        while edge < one.shape[0] and edge_level[edge] == level:
            has_changed |= merge(tally, rings, one[edge], other[edge])
            edge += 1
        first = join
        while join < joining.shape[0] and join_level[joining[join]] == level:
            take_out(tally, rings, joining[join], entity[joining[join]])
            join += 1
        regroup(tally, rings, adjacency, desk, joining[first:join], level)
        if has_changed or join > first:
            levels[n_points], totals[n_points] = level, tally.totals
            n_points += 1
    return levels[:n_points].copy(), totals[:n_points].copy()


@compiled
def _n_levels(ascending: NDArray[Any]) -> int:
    n = 0
    for i in range(ascending.shape[0]):
        n += i == 0 or ascending[i] != ascending[i - 1]
    return n
