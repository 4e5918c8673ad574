"""Ids of discovered entities that stay from one partition to the next, by the mentions they share."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any, Literal

from arborlink.errors import InputError

EventKind = Literal["born", "split", "grown", "shrunk", "merged", "retired", "promoted"]
BIRTHS: frozenset[EventKind] = frozenset({"born", "split"})
ENDINGS: frozenset[EventKind] = frozenset({"merged", "retired", "promoted"})
_ID = re.compile(r"new-(\d{6,})")


@dataclass(frozen=True, slots=True)
class Event:
    """What happened to an id.

    Args:
        kind: ``born``: none of its mentions was in a discovery before. ``split``: some were, but the discoveries they
            were in kept or ended their ids elsewhere. ``grown``, ``shrunk``: it lives on with more mentions, without
            some. ``merged``: what is left of it lives on under another id. ``retired``: none of its mentions is in a
            discovery any more. ``promoted``: it became an entity.
        id: the id it happened to.
        other: ``split``: the ids its mentions come from, most mentions first; ``merged``: the id that lives on;
            ``retired``: the entities its mentions are linked to now, most first, none if all mentions are gone;
            ``promoted``: the entity; otherwise empty.
        mentions: ids, sorted: ``grown`` and ``shrunk``: those that came and went; otherwise all it had, or has now.
    """

    kind: EventKind
    id: str
    other: tuple[str, ...]
    mentions: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Reconciled:
    """Ids for a new partition.

    Args:
        ids: one for each of the new clusters, in their order.
        events: what happened, first to the ids there were, by age, then the births, by number.
        next_number: number of the next id that is given away.
    """

    ids: tuple[str, ...]
    events: tuple[Event, ...]
    next_number: int


def format_id(number: int) -> str:
    """The id of a number, ``new-000001`` and so on."""
    return f"new-{number:06d}"


def reconcile(
    old: Mapping[str, Set[str]],
    new: Sequence[Set[str]],
    linked: Mapping[str, str],
    next_number: int,
    promoted: Mapping[str, str] | None = None,
) -> Reconciled:
    """Give the clusters of a new partition the ids of those they continue.

    The old and the new cluster that share most mentions are matched first, each at most once; of equals those that
    have more in common for their size, then the older id, then the cluster with the first mention. What is left is
    new and gets ids that were never used, in the order of ``new``. Every id that was alive is alive or has exactly
    one of the events in ``ENDINGS``; every id that was not has exactly one of those in ``BIRTHS``.

    Args:
        old: the mentions of each id that is alive.
        new: the mentions of each cluster without an entity; single mentions are clusters too.
        linked: the entity that mentions are linked to now; those that were in no cluster before are ignored.
        next_number: number of the next id; 1 at first, then what the last call returned.
        promoted: ids that become entities, and which. Their clusters continue under no id of a discovery.

    Raises:
        InputError: a cluster without a mention, a mention in two clusters or in a cluster and linked, a promoted id
            that is not alive, or a next number that is in use.

    Example:
        >>> found = reconcile({"new-000001": {"a", "b", "c"}}, [{"c"}, {"a", "b", "d"}], {}, next_number=2)
        >>> found.ids
        ('new-000002', 'new-000001')
        >>> for event in found.events:
        ...     print(event.kind, event.id, event.other, event.mentions)
        grown new-000001 () ('d',)
        shrunk new-000001 () ('c',)
        split new-000002 ('new-000001',) ('c',)
    """
    promoted = promoted or {}
    _check(old, new, linked, next_number, promoted)
    id_of = {mention: known for known, mentions in old.items() for mention in mentions}
    kept = _matched(old, new, id_of, promoted)
    ids, number = [], next_number
    for place in range(len(new)):
        ids.append(kept.get(place) or format_id(number))
        number += place not in kept
    place_of = {mention: place for place, mentions in enumerate(new) for mention in mentions}
    places = {known: place for place, known in kept.items()}
    events: list[Event] = []
    for known in sorted(old, key=_age):
        if known in promoted:
            events.append(Event("promoted", known, (promoted[known],), _sorted(old[known])))
        elif known in places:
            events.extend(_changes(known, old[known], new[places[known]]))
        else:
            events.append(_ending(known, old[known], linked, place_of, ids))
    for place, mentions in enumerate(new):
        if place not in kept:
            parents = _commonest(id_of[mention] for mention in mentions if mention in id_of)
            events.append(Event("split" if parents else "born", ids[place], parents, _sorted(mentions)))
    return Reconciled(tuple(ids), tuple(events), number)


def _matched(
    old: Mapping[str, Set[str]],
    new: Sequence[Set[str]],
    id_of: Mapping[str, str],
    promoted: Mapping[str, str],
) -> dict[int, str]:
    """The ids that live on, by the place of their new cluster."""
    shared = Counter(
        (id_of[mention], place)
        for place, mentions in enumerate(new)
        for mention in mentions
        if mention in id_of and id_of[mention] not in promoted
    )

    def order(pair: tuple[str, int]) -> tuple[Any, ...]:
        known, place = pair
        n_both = shared[pair]
        share = Fraction(n_both, len(old[known]) + len(new[place]) - n_both)
        return -n_both, -share, _age(known), min(new[place])

    kept: dict[int, str] = {}
    taken: set[str] = set()
    for known, place in sorted(shared, key=order):
        if place not in kept and known not in taken:
            kept[place] = known
            taken.add(known)
    return kept


def _changes(known: str, before: Set[str], after: Set[str]) -> Iterator[Event]:
    if after - before:
        yield Event("grown", known, (), _sorted(after - before))
    if before - after:
        yield Event("shrunk", known, (), _sorted(before - after))


def _ending(
    known: str,
    mentions: Set[str],
    linked: Mapping[str, str],
    place_of: Mapping[str, int],
    ids: Sequence[str],
) -> Event:
    # a cluster that shares a mention with an id that was not matched was matched with another, so that one lives on
    heirs = _commonest(ids[place_of[mention]] for mention in mentions if mention in place_of)
    if heirs:
        return Event("merged", known, heirs[:1], _sorted(mentions))
    entities = _commonest(linked[mention] for mention in mentions if mention in linked)
    return Event("retired", known, entities, _sorted(mentions))


def _commonest(names: Iterable[str]) -> tuple[str, ...]:
    """Different names, the most frequent first; of equals the shorter, then the alphabet's first."""
    counts = Counter(names)
    return tuple(sorted(counts, key=lambda name: (-counts[name], *_age(name))))


def _age(known: str) -> tuple[int, str]:
    """In the order of numbers, when there are more digits than six, too."""
    return len(known), known


def _sorted(mentions: Set[str]) -> tuple[str, ...]:
    return tuple(sorted(mentions))


def _check(
    old: Mapping[str, Set[str]],
    new: Sequence[Set[str]],
    linked: Mapping[str, str],
    next_number: int,
    promoted: Mapping[str, str],
) -> None:
    _check_disjoint(old.items(), "old")
    seen = _check_disjoint(enumerate(new), "new")
    for mention in seen:
        if mention in linked:
            raise InputError(
                f"mention {mention!r} is in new cluster {seen[mention]} and linked to {linked[mention]!r}; "
                "expected one of the two"
            )
    for known in promoted:
        if known not in old:
            raise InputError(f"{known!r} is to be promoted but is not alive")
    used = [int(match[1]) for known in old if (match := _ID.fullmatch(known))]
    if next_number <= max(used, default=0):
        raise InputError(
            f"the next id is number {next_number}, but {format_id(max(used))!r} is alive; no id is used twice"
        )


def _check_disjoint(clusters: Iterable[tuple[object, Set[str]]], which: str) -> dict[str, object]:
    seen: dict[str, object] = {}
    for name, mentions in clusters:
        if not mentions:
            raise InputError(f"{which} cluster {name!r} has no mention; leave it out")
        for mention in mentions:
            if mention in seen:
                raise InputError(
                    f"mention {mention!r} is in the {which} clusters {seen[mention]!r} and {name!r}; "
                    "expected it in one"
                )
            seen[mention] = name
    return seen
