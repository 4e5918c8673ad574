"""Neighbour lists that grow: what comes new is searched, and the rest is merged exactly.

Mentions that share text and labels cannot be told apart; the first of them, the leader, has the lists of all (see
:func:`arborlink.search.nearest_others`). Leaders are kept in the order of their numbers, and since documents only
come after those that are there, a leader stays one.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arborlink.encoder import Embeddings
from arborlink.labels import Labels, same_labels
from arborlink.neighbourhood import Neighbourhood
from arborlink.search import Neighbours
from arborlink.search.reproducible import (
    affinities_to_themselves,
    merged,
    nearest_reproducibly,
    none_found,
    without_itself,
)


@dataclass(frozen=True, slots=True)
class Searched:
    """What is searched: mentions and entities with their vectors, and who may meet whom.

    Args:
        mentions: one vector for each; equal rows are equal texts.
        entities: any number of vectors for each.
        labels: of mentions and entities, if they are linked by type.
        device: where to search.
        progress: show bars; ``None`` shows them on a terminal only.
    """

    mentions: Embeddings
    entities: Embeddings
    labels: Labels | None = None
    device: str = "cpu"
    progress: bool | None = None


@dataclass(frozen=True, slots=True)
class Lists:
    """The nearest entities and mentions of every leader, in float64 as they were computed.

    Args:
        leader: int32, shape (n_mentions,): the place among the leaders of each mention's.
        leaders: int32, shape (n_leaders,): numbers of the mentions that lead, ascending.
        near_items: int32, shape (n_leaders, n_near): entities, nearest first, -1 for none.
        near_affinities: float64, the same shape.
        other_items: int32, shape (n_leaders, n_others): mentions that lead, by their numbers.
        other_affinities: float64, the same shape.
        own_affinities: float64, shape (n_leaders,): of a leader to those it leads.
    """

    leader: NDArray[np.int32]
    leaders: NDArray[np.int32]
    near_items: NDArray[np.int32]
    near_affinities: NDArray[np.floating[Any]]
    other_items: NDArray[np.int32]
    other_affinities: NDArray[np.floating[Any]]
    own_affinities: NDArray[np.float64]

    @classmethod
    def empty(cls, n_near: int, n_others: int) -> Lists:
        """Lists of nobody, with room for so many neighbours each."""
        near, others = none_found(0, n_near), none_found(0, n_others)
        nobody = np.empty(0, dtype=np.int32)
        return cls(
            nobody, nobody, near.items, near.affinities, others.items, others.affinities, np.empty(0)
        )  # fmt: skip

    def arrays(self) -> dict[str, NDArray[Any]]:
        """All arrays by name, for a file."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @property
    def n_mentions(self) -> int:
        """How many mentions have a list."""
        return len(self.leader)

    def neighbourhood(self, n_entities: int) -> Neighbourhood:
        """The lists of every mention, as a search over everything gives them."""
        others = none_found(self.n_mentions, self.other_items.shape[1])
        others.items[self.leaders] = self.other_items
        others.affinities[self.leaders] = self.other_affinities
        first = self.leaders[self.leader]
        follows = np.flatnonzero(first != np.arange(self.n_mentions))
        if others.items.shape[1]:
            others.items[follows, 0] = first[follows]
            others.affinities[follows, 0] = self.own_affinities[self.leader[follows]]
        near = Neighbours(self.near_items[self.leader], _told(self.near_affinities[self.leader]))
        return Neighbourhood(near, Neighbours(others.items, _told(others.affinities)), n_entities)


def grown(lists: Lists, searched: Searched, before: Embeddings) -> Lists:
    """The lists with mentions added behind those they have, and with other vectors of entities.

    Args:
        lists: those of the first mentions.
        searched: everything, old and new.
        before: the entities that the lists were made with, no more than there are now; where an entity kept a
            vector it is the same row.
    """
    led = _with_leaders(lists, searched)
    n_old = len(lists.leaders)
    near = _near(lists, led, searched, before, n_old)
    others = _others(lists, led, searched, n_old)
    return replace(
        led,
        near_items=near.items,
        near_affinities=near.affinities,
        other_items=others.items,
        other_affinities=others.affinities,
        own_affinities=_own(lists, led, searched, n_old),
    )


def _with_leaders(lists: Lists, searched: Searched) -> Lists:
    labels = None if searched.labels is None else same_labels(searched.labels.of_queries)
    rows = searched.mentions.rows.tolist()
    places: dict[tuple[int, frozenset[str] | None], int] = {}
    leaders: list[int] = []
    leader = np.empty(len(rows), dtype=np.int32)
    for number, row in enumerate(rows):
        place = places.setdefault((row, None if labels is None else labels[number]), len(leaders))
        if place == len(leaders):
            leaders.append(number)
        leader[number] = place
    return replace(lists, leader=leader, leaders=np.array(leaders, dtype=np.int32))


def _near(lists: Lists, led: Lists, searched: Searched, before: Embeddings, n_old: int) -> Neighbours:
    """Leaders that are new, or near to an entity that lost a vector, search anew; others among what was added."""
    k = lists.near_items.shape[1]
    added, losers = _difference(before, searched.entities)
    found = none_found(len(led.leaders), k)
    is_stale = np.zeros(len(led.leaders), dtype=bool)
    is_stale[n_old:] = True
    is_stale[:n_old] = np.isin(lists.near_items, losers).any(axis=1)
    stale, kept = np.flatnonzero(is_stale), np.flatnonzero(~is_stale)
    for places, targets in ((stale, searched.entities), (kept, added)):
        some = _nearest_entities(led, searched, places, targets, k)
        if targets is added:
            some = merged(Neighbours(lists.near_items[kept], lists.near_affinities[kept]), some, k)
        found.items[places], found.affinities[places] = some.items, some.affinities
    return found


def _nearest_entities(
    led: Lists, searched: Searched, places: NDArray[np.int64], targets: Embeddings, k: int
) -> Neighbours:
    if not len(places) or not len(targets.rows):
        return none_found(len(places), k)
    numbers = led.leaders[places]
    labels = None
    if searched.labels is not None:
        labels = Labels(
            [searched.labels.of_queries[number] for number in numbers.tolist()], searched.labels.of_targets
        )
    queries = Embeddings.one_each(searched.mentions.vectors, searched.mentions.rows[numbers])
    return nearest_reproducibly(
        queries, targets, k, labels=labels, device=searched.device, progress=searched.progress, what="entities"
    )  # fmt: skip


def _others(lists: Lists, led: Lists, searched: Searched, n_old: int) -> Neighbours:
    """New leaders search among all leaders, old ones among the new."""
    k = lists.other_items.shape[1]
    found = none_found(len(led.leaders), k)
    found.items[:n_old], found.affinities[:n_old] = lists.other_items, lists.other_affinities
    n_new = len(led.leaders) - n_old
    if not k or not n_new:
        return found
    everyone, new = np.arange(len(led.leaders)), np.arange(n_old, len(led.leaders))
    # one more than asked for, because each of them may find itself
    own = _nearest_leaders(led, searched, new, everyone, k + 1)
    own = without_itself(own, led.leaders[new])
    found.items[n_old:], found.affinities[n_old:] = own.items, own.affinities
    came = _nearest_leaders(led, searched, everyone[:n_old], new, k)
    both = merged(Neighbours(lists.other_items, lists.other_affinities), came, k)
    found.items[:n_old], found.affinities[:n_old] = both.items, both.affinities
    return found


def _nearest_leaders(
    led: Lists, searched: Searched, asking: NDArray[np.int64], among: NDArray[np.int64], k: int
) -> Neighbours:
    """The k nearest of some leaders for others, as numbers of mentions."""
    if not len(asking):
        return none_found(0, k)
    sides = [led.leaders[asking], led.leaders[among]]
    queries, targets = (
        Embeddings.one_each(searched.mentions.vectors, searched.mentions.rows[numbers]) for numbers in sides
    )
    labels = None
    if searched.labels is not None:
        own = same_labels(searched.labels.of_queries)
        labels = Labels(*([own[number] for number in numbers.tolist()] for numbers in sides))
    found = nearest_reproducibly(
        queries, targets, k, labels=labels, device=searched.device, progress=searched.progress, what="mentions"
    )  # fmt: skip
    return Neighbours(
        np.where(found.items >= 0, sides[1][found.items], -1).astype(np.int32), found.affinities
    )


def _own(lists: Lists, led: Lists, searched: Searched, n_old: int) -> NDArray[np.float64]:
    new = Embeddings.one_each(searched.mentions.vectors, searched.mentions.rows[led.leaders[n_old:]])
    return np.concatenate([lists.own_affinities, affinities_to_themselves(new)])


def _difference(before: Embeddings, now: Embeddings) -> tuple[Embeddings, NDArray[np.int64]]:
    """The vectors that items have now and did not have before; and the items that lost one."""
    views_before, views_now = _views(before), _views(now)
    added = np.setdiff1d(views_now, views_before)
    lost = np.setdiff1d(views_before, views_now)
    counts = np.bincount(added >> 32, minlength=now.n_items)
    offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    rows = (added & 0xFFFFFFFF).astype(np.int32)
    return Embeddings(now.vectors, rows, offsets), np.unique(lost >> 32)


def _views(embeddings: Embeddings) -> NDArray[np.int64]:
    """One number for each pair of item and row."""
    return (embeddings.item_of_view.astype(np.int64) << 32) | embeddings.rows.astype(np.int64)


def _told(affinities: NDArray[np.floating[Any]]) -> NDArray[np.floating[Any]]:
    """In six digits, as in :class:`~arborlink.neighbourhood.Neighbourhood`."""
    return np.round(affinities, 6)
