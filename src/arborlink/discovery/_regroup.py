"""What becomes of a cluster without an entity when mentions leave it.

From every mention that stood beside one that left, a search goes through what remains, all of them in turns, a
mention each. Searches that meet become one; one that has nowhere to go has found a piece that came off. When a single
search of a cluster is left, the rest of the cluster is its, seen or not, and stays as it was. So a piece that comes
off is paid for by its own size, not by that of the cluster.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arborlink.compiled import compiled
from arborlink.discovery._rings import Rings, join_rings, spare_cluster, take_out
from arborlink.discovery._tally import Tally
from arborlink.partition.union_find import find

NOBODY = -1


class Adjacency(NamedTuple):
    """Edges between mentions, by mention.

    Args:
        start: int64, shape (n_mentions + 1,): mention m has the places ``start[m] .. start[m + 1] - 1``.
        beside: int32, shape (2 * n_edges,): the mention at the other end; lightest edges first.
        level: int32, likewise: the edge's level.
        join_level: int32, shape (n_mentions,): the level at which each mention is linked.
    """

    start: NDArray[np.int64]
    beside: NDArray[np.int32]
    level: NDArray[np.int32]
    join_level: NDArray[np.int32]


class Desk(NamedTuple):
    """Room for the searches, as it is between them; a mention is in one list of each kind at most.

    Args:
        search_of: int32, shape (n_mentions,): the search that has seen the mention; NOBODY.
        next_waiting: int32, likewise: the mention after it in the list of those to go on from; anything.
        next_seen: int32, likewise: the mention after it in the list of those seen; anything.
        running: int32, shape (n_clusters,): searches that go on in a cluster; 0.
    """

    search_of: NDArray[np.int32]
    next_waiting: NDArray[np.int32]
    next_seen: NDArray[np.int32]
    running: NDArray[np.int32]


class _Searches(NamedTuple):
    """Of each search: the one it became part of, or itself, and the ends of its two lists of mentions."""

    leader: NDArray[np.int32]
    first_waiting: NDArray[np.int32]
    last_waiting: NDArray[np.int32]
    first_seen: NDArray[np.int32]
    last_seen: NDArray[np.int32]


@compiled
def adjacency_of(
    one: NDArray[Any], other: NDArray[Any], edge_level: NDArray[Any], join_level: NDArray[Any]
) -> Adjacency:
    """The edges of each mention, ascending as the edges are given."""
    n_edges, n_mentions = one.shape[0], join_level.shape[0]
    start = np.zeros(n_mentions + 1, np.int64)
    for edge in range(n_edges):
        start[one[edge] + 1] += 1
        start[other[edge] + 1] += 1
    for mention in range(n_mentions):
        start[mention + 1] += start[mention]
    free = start[:-1].copy()
    beside, level = np.empty(2 * n_edges, np.int32), np.empty(2 * n_edges, np.int32)
    for edge in range(n_edges):
        for here, there in ((one[edge], other[edge]), (other[edge], one[edge])):
            beside[free[here]], level[free[here]] = there, edge_level[edge]
            free[here] += 1
    return Adjacency(start, beside, level, join_level)


@compiled
def regroup(
    tally: Tally, rings: Rings, adjacency: Adjacency, desk: Desk, joined: NDArray[Any], level: int
) -> None:
    """Split the clusters that some mentions have just left, where nothing else holds them together.

    Args:
        tally: the clusters; changed.
        rings: their mentions; changed.
        adjacency: who stands beside whom.
        desk: room to work, given back as it was.
        joined: int32, the mentions that left.
        level: edges up to this one count.
    """
    seeds = _seeds(adjacency, desk, joined, level)
    if seeds.shape[0] > 1:
        searches = _Searches(
            np.arange(seeds.shape[0]).astype(np.int32), seeds.copy(), seeds.copy(), seeds.copy(), seeds.copy()
        )
        for mention in seeds:
            desk.running[tally.cluster[mention]] += 1
        active = np.arange(seeds.shape[0]).astype(np.int32)
        while active.shape[0]:
            n_kept = 0
            for search in active:
                if _goes_on(tally, rings, adjacency, desk, searches, search, level):
                    active[n_kept] = search
                    n_kept += 1
            active = active[:n_kept]
        for number in range(seeds.shape[0]):
            if searches.leader[number] == number:
                _forget(desk, searches.first_seen[number])
    for mention in seeds:
        desk.running[tally.cluster[mention]] = 0
        desk.search_of[mention] = NOBODY


@compiled
def _seeds(adjacency: Adjacency, desk: Desk, joined: NDArray[Any], level: int) -> NDArray[Any]:
    """The mentions beside those that left; each begins a search."""
    seeds = np.empty(8, np.int32)
    n_seeds = 0
    for mention in joined:
        for place in range(adjacency.start[mention], adjacency.start[mention + 1]):
            if adjacency.level[place] > level:
                break
            beside = adjacency.beside[place]
            if adjacency.join_level[beside] <= level or desk.search_of[beside] != NOBODY:
                continue
            if n_seeds == seeds.shape[0]:
                seeds = np.concatenate((seeds, np.empty_like(seeds)))
            seeds[n_seeds] = beside
            desk.search_of[beside] = n_seeds
            desk.next_waiting[beside] = desk.next_seen[beside] = NOBODY
            n_seeds += 1
    return seeds[:n_seeds]


@compiled
def _goes_on(
    tally: Tally,
    rings: Rings,
    adjacency: Adjacency,
    desk: Desk,
    searches: _Searches,
    search: int | np.integer[Any],
    level: int,
) -> bool:
    """Take one turn of a search; return whether it has another."""
    if searches.leader[search] != search:
        return False
    cluster = tally.cluster[searches.first_seen[search]]
    if desk.running[cluster] == 1:
        return False
    mention = searches.first_waiting[search]
    if mention == NOBODY:
        desk.running[cluster] -= 1
        _come_off(tally, rings, desk, searches.first_seen[search])
        return False
    searches.first_waiting[search] = desk.next_waiting[mention]
    for place in range(adjacency.start[mention], adjacency.start[mention + 1]):
        if adjacency.level[place] > level:
            break
        beside = adjacency.beside[place]
        if adjacency.join_level[beside] <= level:
            continue
        if desk.search_of[beside] == NOBODY:
            desk.search_of[beside] = search
            desk.next_waiting[beside] = desk.next_seen[beside] = NOBODY
            _append(desk, searches, search, beside, beside, beside, beside)
            continue
        met = find(searches.leader, desk.search_of[beside])
        if met != search:
            _append(
                desk,
                searches,
                search,
                searches.first_waiting[met],
                searches.last_waiting[met],
                searches.first_seen[met],
                searches.last_seen[met],
            )
            searches.leader[met] = search
            desk.running[cluster] -= 1
    return True


@compiled
def _append(
    desk: Desk,
    searches: _Searches,
    search: int | np.integer[Any],
    first_waiting: int,
    last_waiting: int,
    first_seen: int,
    last_seen: int,
) -> None:
    """Put mentions at the end of a search's two lists; there may be none to wait."""
    if first_waiting != NOBODY:
        if searches.first_waiting[search] == NOBODY:
            searches.first_waiting[search] = first_waiting
        else:
            desk.next_waiting[searches.last_waiting[search]] = first_waiting
        searches.last_waiting[search] = last_waiting
    desk.next_seen[searches.last_seen[search]] = first_seen
    searches.last_seen[search] = last_seen


@compiled
def _come_off(tally: Tally, rings: Rings, desk: Desk, first: int) -> None:
    """Make a cluster of its own of all that a search has seen."""
    cluster = spare_cluster(rings)
    mention = first
    while mention != NOBODY:
        take_out(tally, rings, mention, cluster)
        if mention != first:
            join_rings(rings, first, mention)
        mention = desk.next_seen[mention]


@compiled
def _forget(desk: Desk, first: int) -> None:
    mention = first
    while mention != NOBODY:
        desk.search_of[mention] = NOBODY
        mention = desk.next_seen[mention]
