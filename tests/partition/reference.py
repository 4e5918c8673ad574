"""Slow, literal readings of the modes, for small graphs. Nothing here is shared with the package."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

Edge = tuple[float, int, int]  # weight, source, target: tuples compare in the order that breaks ties


@dataclass
class Expected:
    """What every mention should have got."""

    entity: list[int]
    cluster: list[int]
    parent: list[int]
    weight: list[float]


def reached(sources: Iterable[int], edges: Iterable[Edge], both_ways: bool = False) -> set[int]:
    """Every node some source reaches, sources included."""
    ways = [(u, v) for _, u, v in edges]
    if both_ways:
        ways += [(v, u) for u, v in ways]
    found = set(sources)
    grew = True
    while grew:
        new = {v for u, v in ways if u in found and v not in found}
        found |= new
        grew = bool(new)
    return found


def light(edges: Iterable[Edge], threshold: float | None) -> list[Edge]:
    """The edges the threshold keeps, from the heaviest."""
    kept = (edge for edge in edges if threshold is None or edge[0] <= threshold)
    return sorted(kept, reverse=True)


def directed(edges: list[Edge], n_entities: int, n_mentions: int, threshold: float | None) -> Expected:
    """The paper's text: from the heaviest, drop (u, v) while an entity still reaches v."""
    entities = set(range(n_entities))
    kept = light(edges, threshold)
    position = 0
    while position < len(kept):
        _, u, v = kept[position]
        has_entity = entities & reached([u], kept, both_ways=True)
        without = kept[:position] + kept[position + 1 :]
        if has_entity and v in reached(entities, without):
            kept = without
        else:
            position += 1
    linked = reached(entities, kept)
    tree = [edge for edge in kept if edge[2] in linked]
    return rooted(tree + spanning_forest(kept, linked), n_entities, n_mentions)


def undirected(edges: list[Edge], n_entities: int, n_mentions: int, threshold: float | None) -> Expected:
    """From the heaviest, drop an edge while an entity still reaches both its ends, whatever the direction."""
    entities = set(range(n_entities))
    kept = light(edges, threshold)
    position = 0
    while position < len(kept):
        without = kept[:position] + kept[position + 1 :]
        if set(kept[position][1:]) <= reached(entities, without, both_ways=True):
            kept = without
        else:
            position += 1
    linked = reached(entities, kept, both_ways=True)
    tree = [edge for edge in kept if edge[2] in linked]
    return rooted(tree + spanning_forest(kept, linked), n_entities, n_mentions)


def minimax(edges: list[Edge], n_entities: int, n_mentions: int, threshold: float | None) -> Expected:
    """All simple paths from all entities; the best has, sorted from the heaviest, the smallest edges."""
    kept = light(edges, threshold)
    linked = reached(range(n_entities), kept)
    tree = []
    for mention in linked - set(range(n_entities)):
        paths = (path for entity in range(n_entities) for path in simple_paths(entity, mention, kept))
        tree.append(min(paths, key=lambda path: sorted(path, reverse=True))[-1])
    return rooted(tree + spanning_forest(kept, linked), n_entities, n_mentions)


def independent(edges: list[Edge], n_entities: int, n_mentions: int, threshold: float | None) -> Expected:
    """The lightest entity edge of every mention."""
    kept = [edge for edge in light(edges, threshold) if edge[1] < n_entities]
    tree = [min(edge for edge in kept if edge[2] == mention) for mention in {edge[2] for edge in kept}]
    return rooted(tree, n_entities, n_mentions)


def simple_paths(start: int, goal: int, edges: list[Edge]) -> Iterator[list[Edge]]:
    """All ways from start to goal that visit no node twice, as edges."""

    def extend(node: int, path: list[Edge], visited: frozenset[int]) -> Iterator[list[Edge]]:
        if node == goal:
            yield path
            return
        for edge in edges:
            if edge[1] == node and edge[2] not in visited:
                yield from extend(edge[2], [*path, edge], visited | {edge[2]})

    return extend(start, [], frozenset([start]))


def bottlenecks(edges: list[Edge], n_nodes: int) -> list[list[float]]:
    """Weight of the minimax path between all pairs of nodes, by the scheme of Floyd and Warshall."""
    f = [[math.inf] * n_nodes for _ in range(n_nodes)]
    for weight, u, v in edges:
        f[u][v] = min(f[u][v], weight)
    for middle in range(n_nodes):
        for u in range(n_nodes):
            for v in range(n_nodes):
                f[u][v] = min(f[u][v], max(f[u][middle], f[middle][v]))
    return f


def spanning_forest(kept: list[Edge], linked: set[int]) -> list[Edge]:
    """Of the edges among nodes outside ``linked``, those that close no circle with lighter ones."""
    forest: list[Edge] = []
    for edge in sorted(kept):
        if linked.isdisjoint(edge[1:]) and edge[2] not in reached([edge[1]], forest, both_ways=True):
            forest.append(edge)
    return forest


def rooted(tree: list[Edge], n_entities: int, n_mentions: int) -> Expected:
    """Parents of a forest: rooted at the entity of each tree or at its smallest mention."""
    parent = [-1] * (n_entities + n_mentions)
    weight = [math.nan] * (n_entities + n_mentions)
    root = [-1] * (n_entities + n_mentions)
    labels: dict[int, int] = {}
    # entities have the smaller numbers, so they root their trees
    for start in range(n_entities + n_mentions):
        if root[start] >= 0:
            continue
        root[start] = start
        frontier = [start]
        while frontier:
            node = frontier.pop()
            for w, u, v in tree:
                other = v if u == node else u if v == node else -1
                if other >= 0 and root[other] < 0:
                    parent[other], weight[other], root[other] = node, w, start
                    frontier.append(other)
    entity = [top if top < n_entities else -1 for top in root[n_entities:]]
    cluster = [labels.setdefault(top, len(labels)) for top in root[n_entities:]]
    return Expected(entity, cluster, parent[n_entities:], weight[n_entities:])
