"""Decisions that cannot hold at once."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Set
from dataclasses import dataclass

from arborlink.partition.constraints import Constraints, Statement

Node = tuple[str, int]  # "entity" or "mention", and its number
Joins = dict[Node, list[tuple[Statement, Node]]]  # of every node the statements that join it to another


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Statements of which at least one has to go: a chain that brings two together and what forbids it.

    Args:
        statements: the chain from one end to the other, shortest possible, and at last the statement against it.
            Where the ends are two entities, the chain alone is the contradiction. None is dispensable, and there are
            two at least.
    """

    statements: tuple[Statement, ...]

    def told(self, mention: Callable[[int], str] = str, entity: Callable[[int], str] = str) -> str:
        """The statements in words.

        Args:
            mention: what to call the mention of a number.
            entity: what to call the entity of a number.
        """
        *chain, against = (_told(said, mention, entity) for said in self.statements)
        return f"{' and '.join(chain)}, but {against}"

    def __str__(self) -> str:
        return self.told()


def contradictions(constraints: Constraints) -> list[Contradiction]:
    """What cannot hold at once; empty if some partition honours everything.

    Without a contradiction, :func:`arborlink.partition.partition_under` honours everything on any graph: nothing but
    these statements can force two mentions together.

    Example:
        >>> said = Constraints(together=[(0, 1)], linked=[(4, 0), (5, 1)])
        >>> [str(contradiction) for contradiction in contradictions(said)]
        ['mention 0 is linked to entity 4 and mentions 0 and 1 are together, but mention 1 is linked to entity 5']
    """
    joins = _joins(constraints)
    component = _components(joins)
    found = [
        Contradiction((*way, against))
        for one, other, against in _kept_apart(constraints)
        if one in component and component[one] == component.get(other)
        # a chain through two entities is a contradiction without the statement against it, and told as such
        if _n_entities(way := _way(joins, one, {other})) < 2
    ]
    found.extend(Contradiction(way) for way in _between_entities(constraints, joins, component))
    for mention in constraints.alone:
        for said, _ in joins.get(("mention", mention), [])[:1]:
            found.append(Contradiction((said, Statement("alone", mention, None))))
    return found


def _joins(constraints: Constraints) -> Joins:
    joins: Joins = {}
    pairs: list[tuple[Statement, Node, Node]] = [
        *((Statement("linked", e, m), ("entity", e), ("mention", m)) for e, m in constraints.linked),
        *((Statement("together", a, b), ("mention", a), ("mention", b)) for a, b in constraints.together),
    ]
    for said, one, other in pairs:
        joins.setdefault(one, []).append((said, other))
        joins.setdefault(other, []).append((said, one))
    return joins


def _components(joins: Joins) -> dict[Node, Node]:
    """The first node of the component of every node that is joined to another."""
    component: dict[Node, Node] = {}
    for start in joins:
        if start in component:
            continue
        component[start] = start
        waiting = [start]
        while waiting:
            for _, node in joins[waiting.pop()]:
                if node not in component:
                    component[node] = start
                    waiting.append(node)
    return component


def _kept_apart(constraints: Constraints) -> Iterator[tuple[Node, Node, Statement]]:
    """Pairs that must not be joined, with the statement that says so."""
    for one, other in constraints.apart:
        yield ("mention", one), ("mention", other), Statement("apart", one, other)
    for entity, mention in constraints.unlinked:
        yield ("entity", entity), ("mention", mention), Statement("unlinked", entity, mention)


def _between_entities(
    constraints: Constraints, joins: Joins, component: dict[Node, Node]
) -> Iterator[tuple[Statement, ...]]:
    """Where entities are joined, for each but the first a chain to the nearest other, every chain once."""
    entities: set[Node] = {("entity", entity) for entity, _ in constraints.linked}
    seen: set[Node] = set()
    told: set[frozenset[Statement]] = set()
    for start in sorted(entities):
        if component[start] not in seen:
            seen.add(component[start])
            continue
        way = _way(joins, start, entities - {start})
        if frozenset(way) not in told:
            told.add(frozenset(way))
            yield tuple(reversed(way))


def _n_entities(way: tuple[Statement, ...]) -> int:
    return len({said.one for said in way if said.kind == "linked"})


def _way(joins: Joins, start: Node, goals: Set[Node]) -> tuple[Statement, ...]:
    """A shortest chain of statements that joins a node to the nearest of some goals, one of them in its component."""
    came: dict[Node, tuple[Statement, Node]] = {}
    waiting = deque([start])
    while waiting[0] not in goals:
        node = waiting.popleft()
        for said, other in joins[node]:
            if other != start and other not in came:
                came[other] = said, node
                waiting.append(other)
    chain = []
    node = waiting[0]
    while node != start:
        said, node = came[node]
        chain.append(said)
    return tuple(reversed(chain))


def _told(said: Statement, mention: Callable[[int], str], entity: Callable[[int], str]) -> str:
    if said.other is None:
        return f"mention {mention(said.one)} is to stay alone"
    if said.kind == "together":
        return f"mentions {mention(said.one)} and {mention(said.other)} are together"
    if said.kind == "apart":
        return f"mentions {mention(said.one)} and {mention(said.other)} are apart"
    verb = "is linked" if said.kind == "linked" else "is not to be linked"
    return f"mention {mention(said.other)} {verb} to entity {entity(said.one)}"
