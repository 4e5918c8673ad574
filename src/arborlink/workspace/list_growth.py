"""Neighbour lists that grow: what comes new is searched, and the rest is merged exactly."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arborlink.encoder import Embeddings
from arborlink.labels import Labels, same_labels
from arborlink.search import Neighbours
from arborlink.search.reproducible import (
    affinities_to_themselves,
    may_come_nearer,
    merged,
    nearest_reproducibly,
    none_found,
    without_itself,
)
from arborlink.workspace.lists import Lists

# Newcomers, in vectors, that are worth a cheap look at who of the others they may be near to.
_FEW = 4096


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
    anew = _nearest_entities(led, searched, stale, searched.entities, k)
    found.items[stale], found.affinities[stale] = anew.items, anew.affinities
    both = _with_newcomers(
        Neighbours(lists.near_items[kept], lists.near_affinities[kept]),
        _embedded(searched, led.leaders[kept]),
        added,
        lambda some: _nearest_entities(led, searched, kept[some], added, k),
    )
    found.items[kept], found.affinities[kept] = both.items, both.affinities
    return found


def _with_newcomers(
    known: Neighbours,
    queries: Embeddings,
    targets: Embeddings,
    search: Callable[[NDArray[np.int64]], Neighbours],
) -> Neighbours:
    """Lists with those among the targets that come nearer than the last in them.

    Args:
        known: the lists.
        queries: whose lists they are.
        targets: who is new.
        search: the nearest of the targets for some of the queries.
    """
    found = Neighbours(known.items.copy(), known.affinities.copy())
    if not len(targets.rows) or not known.items.shape[1]:
        return found
    some = np.arange(len(known.items))
    if len(targets.rows) <= _FEW:
        some = np.flatnonzero(may_come_nearer(queries, targets, known.affinities[:, -1]))
    both = merged(Neighbours(known.items[some], known.affinities[some]), search(some), known.items.shape[1])
    found.items[some], found.affinities[some] = both.items, both.affinities
    return found


def _embedded(searched: Searched, numbers: NDArray[Any]) -> Embeddings:
    """Vectors of some mentions."""
    return Embeddings.one_each(searched.mentions.vectors, searched.mentions.rows[numbers])


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
    queries = _embedded(searched, numbers)
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
    both = _with_newcomers(
        Neighbours(lists.other_items, lists.other_affinities),
        _embedded(searched, led.leaders[:n_old]),
        _embedded(searched, led.leaders[new]),
        lambda some: _nearest_leaders(led, searched, some, new, k),
    )
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


def _difference(before: Embeddings, now: Embeddings) -> tuple[Embeddings, NDArray[Any]]:
    """The vectors that items have now and did not have before; and the items that lost one."""
    views_before, views_now = before.views, now.views
    if np.array_equal(views_before, views_now):
        nothing = np.empty(0, dtype=np.int32)
        return Embeddings(now.vectors, nothing, np.zeros(now.n_items + 1, dtype=np.int64)), nothing
    added = np.setdiff1d(views_now, views_before)
    lost = np.setdiff1d(views_before, views_now)
    counts = np.bincount(added >> 32, minlength=now.n_items)
    offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    rows = (added & 0xFFFFFFFF).astype(np.int32)
    return Embeddings(now.vectors, rows, offsets), np.unique(lost >> 32)
