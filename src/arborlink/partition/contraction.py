"""Groups of mentions that enter each other in a circle: contraction and expansion.

Groups are numbered from ``n_mentions`` in the order they arise; mention ``m`` is the group ``m`` of one. A
group that becomes part of a larger one is inside it from then on; the others are outermost.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from arborlink.compiled import compiled
from arborlink.partition.heap import NODE, meld, remove
from arborlink.partition.radix import LOW
from arborlink.partition.union_find import find, unite

NEW, ON_PATH, LINKED, UNLINKED = 0, 1, 2, 3
ENTITY = -1


@compiled
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
    # of outermost groups, by the mention that leads them: number, state and the top of the heap of their mentions
    leader = np.arange(n_mentions, dtype=np.int32)
    size = np.ones(n_mentions, np.int32)
    number = np.arange(n_mentions, dtype=np.int32)
    state = np.full(n_mentions, NEW, np.uint8)
    nodes, top = _single_mentions(start, edges)
    cursor = start[:-1].copy()  # place of the lightest edge each mention has left
    # of all groups; one has two parts or more, so there are fewer than mentions
    inside = np.full(2 * n_mentions, -1, np.int32)
    entering = np.full(2 * n_mentions, -1, np.int64)
    entered = np.full(2 * n_mentions, -1, np.int32)
    path = np.empty(n_mentions, np.int32)
    n_groups = n_mentions
    for mention in range(n_mentions):
        if state[find(leader, mention)] != NEW:
            continue
        state[mention] = ON_PATH
        path[0] = mention
        n_path = 1
        while n_path:
            here = path[n_path - 1]
            before = here
            while top[here] >= 0:
                first = top[here]
                place, before = _from_outside(
                    here, cursor[first], start[first + 1], edges, n_entities, leader, state
                )
                if place == cursor[first]:
                    break
                cursor[first] = place
                top[here] = remove(nodes, first)
                if place < start[first + 1]:
                    nodes[first].head = edges[place]
                    top[here] = meld(nodes, top[here], first)
            if top[here] < 0:
                state[here] = UNLINKED
                entering[number[here]] = -1
                n_path -= 1
                continue
            entered[number[here]] = top[here]
            entering[number[here]] = cursor[top[here]]
            if before == ENTITY or state[before] == LINKED:
                for i in range(n_path):
                    state[path[i]] = LINKED
                n_path = 0
            elif state[before] == NEW:
                state[before] = ON_PATH
                path[n_path] = before
                n_path += 1
            else:
                n_path = _contract(path, n_path, before, n_groups, leader, size, number, nodes, top, inside)
                state[path[n_path - 1]] = ON_PATH
                n_groups += 1
    return inside[:n_groups], entering[:n_groups], entered[:n_groups]


@compiled
def _single_mentions(start: NDArray[Any], edges: NDArray[Any]) -> Any:
    """Heaps of one mention each, empty where no edge enters it."""
    n_mentions = start.shape[0] - 1
    nodes = np.empty(n_mentions, NODE)
    top = np.full(n_mentions, -1, np.int32)
    for mention in range(n_mentions):
        nodes[mention].child = nodes[mention].sibling = -1
        if start[mention] < start[mention + 1]:
            top[mention] = mention
            nodes[mention].head = edges[start[mention]]
    return nodes, top


@compiled
def _from_outside(
    here: int,
    place: int,
    end: int,
    edges: NDArray[Any],
    n_entities: int,
    leader: NDArray[Any],
    state: NDArray[Any],
) -> Any:
    """The first of some edges that comes from an entity or another group, one not known to be out of reach.

    Returns:
        The edge's place, ``end`` if there is none, and the leader of the group it comes from, or ENTITY.
    """
    before = ENTITY
    while place < end:
        mention = np.int32(edges[place] & LOW) - n_entities
        before = find(leader, mention) if mention >= 0 else ENTITY
        if before == ENTITY or (before != here and state[before] != UNLINKED):
            break
        place += 1
    return place, before


@compiled
def _contract(
    path: NDArray[Any],
    n_path: int,
    first: int,
    group: int,
    leader: NDArray[Any],
    size: NDArray[Any],
    number: NDArray[Any],
    nodes: NDArray[Any],
    top: NDArray[Any],
    inside: NDArray[Any],
) -> int:
    """Make one group of the end of a path, from the leader ``first`` on; return the path's length."""
    new_top, new_leader = -1, first
    while True:
        n_path -= 1
        part = path[n_path]
        inside[number[part]] = group
        new_top = meld(nodes, new_top, top[part])
        new_leader = unite(leader, size, new_leader, part)
        if part == first:
            break
    top[new_leader], number[new_leader] = new_top, group
    path[n_path] = new_leader
    return n_path + 1


@compiled
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
