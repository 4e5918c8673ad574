"""Slow, literal readings of the modes under decisions. Nothing here is shared with the package but the data."""

from __future__ import annotations

import math
from collections.abc import Iterable

from arborlink.partition import Constraints

from . import reference
from .graphs import Case
from .reference import Edge, Expected

DECIDED = -1.0  # below all ranks


class Decided:
    """A case with ranks for weights, edges for decisions, and the question whether a set of nodes may be one."""

    def __init__(self, case: Case, constraints: Constraints) -> None:
        self.n_entities, self.n_mentions = case.n_entities, case.n_mentions
        first = case.n_entities
        self.together = [(a + first, b + first) for a, b in constraints.together]
        self.linked = [(e, m + first) for e, m in constraints.linked]
        self.foes = [(a + first, b + first) for a, b in constraints.apart]
        self.foes += [(e, m + first) for e, m in constraints.unlinked]
        alone = {m + first for m in constraints.alone}
        light = [edge for edge in case.edges if case.threshold is None or edge[0] <= case.threshold]
        self.distinct = sorted({weight for weight, _, _ in light})
        self.edges: list[Edge] = [
            (float(self.distinct.index(w)), u, v) for w, u, v in light if not alone & {u, v}
        ]
        self.decisions: list[Edge] = [(DECIDED, e, m) for e, m in self.linked]
        self.decisions += [(DECIDED, a, b) for pair in self.together for a, b in (pair, pair[::-1])]

    def group(self, node: int) -> set[int]:
        return reference.reached([node], self.decisions, both_ways=True)

    def may_be_one(self, nodes: Iterable[int]) -> bool:
        everyone = set(nodes)
        if sum(node < self.n_entities for node in everyone) > 1:
            return False
        return not self.has_foes(everyone)

    def has_foes(self, nodes: set[int]) -> bool:
        return any(a in nodes and b in nodes for a, b in self.foes)

    def rooted(self, tree: list[Edge]) -> Expected:
        expected = reference.rooted(tree, self.n_entities, self.n_mentions)
        expected.weight = [
            rank if math.isnan(rank) else -math.inf if rank == DECIDED else self.distinct[int(rank)]
            for rank in expected.weight
        ]
        return expected


def kruskal(decided: Decided, edges: list[Edge]) -> list[Edge]:
    """From the lightest, take an edge unless it closes a circle or joins what may not be one."""
    tree: list[Edge] = []
    for edge in sorted([*decided.decisions, *edges]):
        one, other = (reference.reached([node], tree, both_ways=True) for node in edge[1:])
        if one != other and decided.may_be_one(one | other):
            tree.append(edge)
    return tree


def undirected(decided: Decided) -> Expected:
    return decided.rooted(kruskal(decided, decided.edges))


def independent(decided: Decided) -> Expected:
    return decided.rooted(kruskal(decided, [edge for edge in decided.edges if edge[1] < decided.n_entities]))


def with_unlinked(decided: Decided, tree: list[Edge]) -> Expected:
    """Add the clusters of the mentions outside a tree that begins at the entities."""
    linked = reference.reached(range(decided.n_entities), tree)
    free = [edge for edge in decided.edges if linked.isdisjoint(edge[1:])]
    forest = [edge for edge in kruskal(decided, free) if linked.isdisjoint(edge[1:])]
    return decided.rooted(tree + forest)


def minimax(decided: Decided) -> Expected:
    """Cross the lightest edge out of what is reached that brings a group where it may be, again and again."""
    edges = sorted([*decided.decisions, *decided.edges])
    cluster = {entity: {entity} for entity in range(decided.n_entities)}
    owner = {entity: entity for entity in cluster}
    tree: list[Edge] = []
    while True:
        for edge in edges:
            _, u, v = edge
            if u in owner and v not in owner and decided.may_be_one(cluster[owner[u]] | decided.group(v)):
                break
        else:
            return with_unlinked(decided, tree)
        tree.append(edge)
        owner[v] = owner[u]
        cluster[owner[u]].add(v)


def directed(decided: Decided) -> Expected:
    """The paper's text in rounds: where two foes meet, the edges between the parts they hold are removed."""
    edges = [
        edge
        for edge in decided.edges
        if not decided.has_foes(decided.group(edge[1]) | decided.group(edge[2]))
    ]
    while True:
        found = reference.directed(
            decided.decisions + edges, decided.n_entities, decided.n_mentions, threshold=None
        )
        tree = [
            (weight, parent, mention + decided.n_entities)
            for mention, (parent, weight) in enumerate(zip(found.parent, found.weight, strict=True))
            if found.entity[mention] >= 0
        ]
        owner = {entity: entity for entity in range(decided.n_entities)}
        owner |= {mention + decided.n_entities: entity for mention, entity in enumerate(found.entity)}
        meeting = [(a, b) for a, b in decided.foes if owner[a] == owner[b] >= 0]
        if not meeting:
            return with_unlinked(decided, tree)
        broken = {owner[a] for a, _ in meeting}
        parts = kruskal_of_tree(decided, [edge for edge in tree if owner[edge[2]] in broken])
        for a, b in meeting:
            one, other = (reference.reached([node], parts, both_ways=True) for node in (a, b))
            edges = [
                (w, u, v) for w, u, v in edges if not ((u in one and v in other) or (u in other and v in one))
            ]


def kruskal_of_tree(decided: Decided, tree: list[Edge]) -> list[Edge]:
    parts: list[Edge] = []
    for edge in sorted(tree):
        one, other = (reference.reached([node], parts, both_ways=True) for node in edge[1:])
        if decided.may_be_one(one | other):
            parts.append(edge)
    return parts
