"""What was decided about mentions and must hold in every partition, in the numbers of the graph."""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Literal, NamedTuple

from arborlink.errors import InputError
from arborlink.partition.result import Partition

Kind = Literal["together", "linked", "apart", "unlinked", "alone"]
Pairs = Collection[tuple[int, int]]


class Statement(NamedTuple):
    """One thing that was decided.

    ``one`` and ``other`` are the numbers of two mentions (``together``, ``apart``), of an entity and a mention
    (``linked``, ``unlinked``), or of a mention and nothing (``alone``).
    """

    kind: Kind
    one: int
    other: int | None


@dataclass(frozen=True, slots=True)
class Constraints:
    """Decisions about mentions; a value, equal to every other that says the same.

    Any collections of pairs are taken and kept as sorted tuples without repetition.

    Args:
        together: pairs of mentions that share a cluster.
        linked: (entity, mention): the mention is linked to the entity.
        apart: pairs of mentions that share no cluster, with an entity or without.
        unlinked: (entity, mention): the mention is not linked to the entity.
        alone: mentions that are linked to no entity and share their cluster with no mention.

    Raises:
        InputError: a number is negative or no integer, or a pair holds the same mention twice.

    Example:
        >>> Constraints(together=[(3, 1), (1, 3)], linked=[(0, 1)])
        Constraints(together=((1, 3),), linked=((0, 1),), apart=(), unlinked=(), alone=())
    """

    together: Pairs = ()
    linked: Pairs = ()
    apart: Pairs = ()
    unlinked: Pairs = ()
    alone: Collection[int] = ()

    def __post_init__(self) -> None:
        for kind in ("together", "apart"):
            object.__setattr__(self, kind, _mention_pairs(getattr(self, kind), kind))
        for kind in ("linked", "unlinked"):
            object.__setattr__(self, kind, tuple(sorted(set(_pairs(getattr(self, kind), kind)))))
        alone = {_number(mention, "alone", "a mention") for mention in self.alone}
        object.__setattr__(self, "alone", tuple(sorted(alone)))

    def __bool__(self) -> bool:
        return any((self.together, self.linked, self.apart, self.unlinked, self.alone))

    def __or__(self, other: Constraints) -> Constraints:
        """What either says."""
        return Constraints(
            together=(*self.together, *other.together),
            linked=(*self.linked, *other.linked),
            apart=(*self.apart, *other.apart),
            unlinked=(*self.unlinked, *other.unlinked),
            alone=(*self.alone, *other.alone),
        )

    def statements(self) -> list[Statement]:
        """Everything that is said, one by one, in a fixed order."""
        return [
            *(Statement("together", *pair) for pair in self.together),
            *(Statement("linked", *pair) for pair in self.linked),
            *(Statement("apart", *pair) for pair in self.apart),
            *(Statement("unlinked", *pair) for pair in self.unlinked),
            *(Statement("alone", mention, None) for mention in self.alone),
        ]


def violated(constraints: Constraints, partition: Partition) -> list[Statement]:
    """The statements that a partition breaks, in their fixed order.

    Args:
        constraints: what should hold.
        partition: any partition of the same mentions and entities.
    """
    entity: list[int] = partition.entity.tolist()
    cluster: list[int] = partition.cluster.tolist()
    size = Counter(cluster)

    def holds(said: Statement) -> bool:
        if said.other is None:
            return entity[said.one] < 0 and size[cluster[said.one]] == 1
        if said.kind in ("linked", "unlinked"):
            return (entity[said.other] == said.one) == (said.kind == "linked")
        return (cluster[said.one] == cluster[said.other]) == (said.kind == "together")

    return [said for said in constraints.statements() if not holds(said)]


def check_range(constraints: Constraints, n_entities: int, n_mentions: int) -> None:
    """Refuse numbers the graph does not have.

    Raises:
        InputError: an entity or a mention is out of range.
    """
    for said in constraints.statements():
        is_link = said.kind in ("linked", "unlinked")
        mentions = (said.other,) if is_link else (said.one, said.other)
        for mention in mentions:
            if mention is not None and mention >= n_mentions:
                raise InputError(
                    f"{said.kind} names mention {mention}; the graph has {n_mentions} mentions, numbered from 0"
                )
        if is_link and said.one >= n_entities:
            raise InputError(
                f"{said.kind} names entity {said.one}; the graph has {n_entities} entities, numbered from 0"
            )


def _mention_pairs(pairs: Iterable[tuple[int, int]], kind: str) -> tuple[tuple[int, int], ...]:
    ordered = {(min(pair), max(pair)) for pair in _pairs(pairs, kind)}
    for one, other in ordered:
        if one == other:
            raise InputError(f"{kind} pairs mention {one} with itself; expected two different mentions")
    return tuple(sorted(ordered))


def _pairs(pairs: Iterable[tuple[int, int]], kind: str) -> Iterable[tuple[int, int]]:
    first = "an entity" if kind in ("linked", "unlinked") else "a mention"
    for one, other in pairs:
        yield _number(one, kind, first), _number(other, kind, "a mention")


def _number(value: int, kind: str, what: str) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        raise InputError(f"{kind} holds {value!r}; expected the number of {what}") from None
    if number < 0:
        raise InputError(f"{kind} holds {number} as {what}; numbers begin at 0")
    return number
