"""Groups of mentions that enter each other in a circle: contraction and expansion.

Groups are numbered from ``n_mentions`` in the order they arise; mention ``m`` is the group ``m`` of one. A
group that becomes part of a larger one is inside it from then on; the others are outermost.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from arborlink.partition.heap import NODE, meld, remove
from arborlink.partition.radix import LOW
from arborlink.partition.union_find import find, unite

NEW, ON_PATH, LINKED, UNLINKED = 0, 1, 2, 3


class Lists(NamedTuple):
    """What is left of the edges that enter each mention, one entry per mention but for ``edges``."""

    edges: NDArray[Any]
    cursor: NDArray[Any]  # place of the mention's lightest edge that is left
    end: NDArray[Any]
    nodes: NDArray[Any]  # of the heaps that hold the mentions of a group


class Groups(NamedTuple):
    """Groups: those that are outermost by the mention that leads them, and all by number."""

    leader: NDArray[Any]
    size: NDArray[Any]
    state: NDArray[Any]
    top: NDArray[Any]  # of the heap of the group's mentions
    number: NDArray[Any]

    inside: NDArray[Any]  # the group it is inside of, -1 for outermost ones
    entering: NDArray[Any]  # place of the edge it is entered by, -1 for none
    entered: NDArray[Any]  # the mention that edge enters


@njit(cache=True)
def follow_lightest_edges(start: NDArray[Any], edges: NDArray[Any], n_entities: int) -> Any:
    """Walk from every mention against its lightest edges until an entity is met, contracting circles.

    A group that no edge from outside is left for is out of every entity's reach; the group it was met from
    goes on with its next edge.

    Args:
        start: int64, shape (n_mentions + 1,), from :func:`arborlink.partition.incoming.incoming_edges`.
        edges: uint64, likewise.
        n_entities: how many entities there are.

    Returns:
        ``inside``, int32: the group each group is inside of, -1 for outermost ones; ``entering``, int64:
        place in ``edges`` of the edge each group is entered by, -1 for outermost groups out of every
        entity's reach; ``entered``, int32: the mention that edge enters. All of shape (n_groups,).
    """
    n_mentions = start.shape[0] - 1
    lists, groups = _single_mentions(start, edges)
    path = np.empty(n_mentions, np.int32)  # leaders
    n_groups = n_mentions
    for mention in range(n_mentions):
        if groups.state[find(groups.leader, mention)] != NEW:
            continue
        groups.state[mention] = ON_PATH
        path[0] = mention
        n_path = 1
        while n_path:
            here = path[n_path - 1]
            before = _enter(here, lists, groups, n_entities)
            if before == -1 or groups.state[before] == LINKED:
                for i in range(n_path):
                    groups.state[path[i]] = LINKED
                n_path = 0
            elif before == here:
                groups.state[here] = UNLINKED
                n_path -= 1
            elif groups.state[before] == NEW:
                groups.state[before] = ON_PATH
                path[n_path] = before
                n_path += 1
            else:
                n_path = _contract(path, n_path, before, n_groups, lists, groups)
                n_groups += 1
    return groups.inside[:n_groups], groups.entering[:n_groups], groups.entered[:n_groups]


@njit(cache=True)
def _single_mentions(start: NDArray[Any], edges: NDArray[Any]) -> Any:
    n_mentions = start.shape[0] - 1
    nodes = np.empty(n_mentions, NODE)
    top = np.full(n_mentions, -1, np.int32)
    for mention in range(n_mentions):
        nodes[mention].child = nodes[mention].sibling = -1
        if start[mention] < start[mention + 1]:
            top[mention] = mention
            nodes[mention].head = edges[start[mention]]
    lists = Lists(edges, start[:-1].copy(), start[1:], nodes)
    groups = Groups(
        np.arange(n_mentions, dtype=np.int32),
        np.ones(n_mentions, np.int32),
        np.full(n_mentions, NEW, np.uint8),
        top,
        np.arange(n_mentions, dtype=np.int32),
        # a group has two parts or more, so there are fewer groups than mentions
        np.full(2 * n_mentions, -1, np.int32),
        np.full(2 * n_mentions, -1, np.int64),
        np.full(2 * n_mentions, -1, np.int32),
    )
    return lists, groups


@njit(cache=True)
def _enter(here: int, lists: Lists, groups: Groups, n_entities: int) -> int:
    """Enter a group by its lightest edge from outside, past those that come from groups out of reach.

    Returns:
        The leader of the group the edge comes from, -1 for an entity, ``here`` if no edge is left.
    """
    top = groups.top[here]
    before = here
    while top >= 0:
        place = lists.cursor[top]
        while place < lists.end[top]:
            mention = np.int32(lists.edges[place] & LOW) - n_entities
            before = find(groups.leader, mention) if mention >= 0 else -1
            if before == -1 or (before != here and groups.state[before] != UNLINKED):
                break
            place += 1
        if place == lists.cursor[top]:
            break
        lists.cursor[top] = place
        rest = remove(lists.nodes, top)
        if place < lists.end[top]:
            lists.nodes[top].head = lists.edges[place]
            top = meld(lists.nodes, rest, top)
        else:
            top = rest
    groups.top[here] = top
    number = groups.number[here]
    groups.entered[number] = top
    groups.entering[number] = lists.cursor[top] if top >= 0 else -1
    return before if top >= 0 else here


@njit(cache=True)
def _contract(path: NDArray[Any], n_path: int, first: int, number: int, lists: Lists, groups: Groups) -> int:
    """Make one group of the end of a path, from the leader ``first`` on; return the path's length."""
    top, leader = -1, first
    while True:
        n_path -= 1
        part = path[n_path]
        groups.inside[groups.number[part]] = number
        top = meld(lists.nodes, top, groups.top[part])
        leader = unite(groups.leader, groups.size, leader, part)
        if part == first:
            break
    groups.top[leader] = top
    groups.number[leader] = number
    groups.state[leader] = ON_PATH
    path[n_path] = leader
    return n_path + 1


@njit(cache=True)
def expand(inside: NDArray[Any], entering: NDArray[Any], entered: NDArray[Any]) -> NDArray[Any]:
    """The place of the edge that enters each group in the end; -1 out of every entity's reach.

    An edge that enters a group enters everything that holds its mention inside that group, instead of the
    edges chosen there before. Outer groups come first, and what they settled is passed over: all steps
    together are as many as there are groups.

    Args:
        inside: int32, shape (n_groups,), from :func:`follow_lightest_edges`.
        entering: int64, likewise.
        entered: int32, likewise.

    Returns:
        int64, shape (n_groups,); mentions come first.
    """
    n_groups = inside.shape[0]
    settled = np.full(n_groups, -1, np.int64)
    for group in range(n_groups - 1, -1, -1):
        if settled[group] >= 0 or entering[group] < 0:
            continue
        if inside[group] >= 0 and settled[inside[group]] < 0:
            continue  # part of a group out of reach
        part = entered[group]
        settled[part] = entering[group]
        while part != group:
            part = inside[part]
            settled[part] = entering[group]
    return settled
