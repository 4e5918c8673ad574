"""From a new partition to the next version: ids of discoveries, their history, and who moved."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import NDArray

from arborlink.partition import ConstrainedPartition
from arborlink.workspace.changes import HistoryEvent, Move, PlaceKind
from arborlink.workspace.parts import NOWHERE, Parts, grouped, partitioned
from arborlink.workspace.restoring import restored
from arborlink.workspace.snapshot import Snapshot
from arborlink.workspace.stable_ids import Reconciled, format_id, reconcile


@dataclass(frozen=True, slots=True)
class Step:
    """The way from one version to the next.

    Args:
        before: the version there was.
        after: the version there is to be.
        events: what happened to discoveries on the way.
    """

    before: Snapshot
    after: Snapshot
    events: tuple[HistoryEvent, ...]

    def moves(self) -> tuple[tuple[Move, ...], tuple[Move, ...]]:
        """New mentions that are linked; and mentions that were there and changed their entity."""
        n_old = self.before.parts.n_mentions
        new = np.flatnonzero(self.after.parts.entity[n_old:] >= 0) + n_old
        old = np.flatnonzero(self.before.parts.entity != self.after.parts.entity[:n_old])
        return tuple(map(self._move, new.tolist())), tuple(map(self._move, old.tolist()))

    def _move(self, number: int) -> Move:
        document, mention = self.after.corpus.mentions[number]
        before: tuple[str | None, str | None] = (None, None)
        if number < self.before.parts.n_mentions:
            before = self.before.place_of(number)
        kind, id_ = self.after.place_of(number)
        return Move(
            mention=mention.id,
            text=document.text_of(mention),
            before=before[1],
            before_kind=cast(PlaceKind | None, before[0]),
            after=id_,
            after_kind=cast(PlaceKind, kind),
        )


def stepped(
    before: Snapshot,
    after: Snapshot,
    time: str,
    *,
    promoted: Mapping[str, str] | None = None,
    ended: Mapping[str, set[str]] | None = None,
) -> Step:
    """Partition the next version anew, and give its discoveries the ids of those they continue.

    Args:
        before: the version there was.
        after: the next, but for its partition.
        time: when, in UTC.
        promoted: ids of discoveries that become entities, and which.
        ended: ids that ended with a decision that is undone, and the mentions they had.
    """
    if not after.corpus.n_mentions:
        return Step(before, after, ())
    parts = partitioned(after.lists, len(after.entities), after.settings, after.constraints())
    ids = after.mention_ids
    live = {id_: {ids[each] for each in members} for id_, members in before.members.items()}
    seen = restored(live, ended or {})
    clusters = _clusters(parts)
    members = [{ids[each] for each in cluster.tolist()} for cluster in clusters]
    linked = _linked(after, parts, seen.old)
    found = reconcile(seen.old, members, linked, after.next_discovery, promoted)
    with_parts = after.but(parts=_parts(before, after, parts, clusters, found))
    events = [*seen.told(found, dict(zip(found.ids, members, strict=True)), after.version, time)]
    events += _verdicts(before, with_parts, time)
    versions = _versions(before, with_parts, events)
    final = with_parts.but(discovery_versions=versions, next_discovery=found.next_number)
    return Step(before, final, tuple(events))


def _clusters(parts: ConstrainedPartition) -> list[NDArray[np.int64]]:
    """Mentions of each cluster without an entity, in the order of their labels."""
    unlinked = np.flatnonzero(parts.entity < 0)
    return list(grouped(unlinked, parts.cluster[unlinked]).values())


def _linked(after: Snapshot, parts: ConstrainedPartition, old: Mapping[str, set[str]]) -> dict[str, str]:
    """The entity that mentions of former discoveries are linked to now."""
    index = after.corpus.mention_index
    numbers = (
        (mention, int(parts.entity[index[mention]])) for members in old.values() for mention in members
    )
    return {mention: after.entities[entity].id for mention, entity in numbers if entity >= 0}


def _parts(
    before: Snapshot,
    after: Snapshot,
    parts: ConstrainedPartition,
    clusters: list[NDArray[np.int64]],
    found: Reconciled,
) -> Parts:
    discovery = np.full(parts.n_mentions, NOWHERE, dtype=np.int32)
    for members, id_ in zip(clusters, found.ids, strict=True):
        discovery[members] = int(id_.partition("-")[2])
    changed = np.full(parts.n_mentions, after.version, dtype=np.int32)
    n_old = before.parts.n_mentions
    is_same = (before.parts.entity == parts.entity[:n_old]) & (before.parts.discovery == discovery[:n_old])
    changed[:n_old][is_same] = before.parts.changed[is_same]
    return Parts(
        entity=parts.entity,
        cluster=parts.cluster,
        parent=parts.parent,
        weight=parts.weight.astype(np.float64),
        decided=parts.decided,
        discovery=discovery,
        changed=changed,
    )


def _verdicts(before: Snapshot, after: Snapshot, time: str) -> list[HistoryEvent]:
    """Discoveries that count as rejected from now on, and those that do no longer."""
    if not before.rejected and not after.rejected:
        return []
    events = []
    for id_ in after.members:
        was, is_now = id_ in before.members and before.is_rejected(id_), after.is_rejected(id_)
        if was != is_now:
            events.append(HistoryEvent(id_, after.version, time, "rejected" if is_now else "reopened"))
    return events


def _versions(before: Snapshot, after: Snapshot, events: Iterable[HistoryEvent]) -> dict[str, int]:
    """Version with which each live discovery last changed."""
    touched = {event.discovery for event in events}
    return {
        id_: after.version if id_ in touched else before.discovery_versions.get(id_, after.version)
        for id_ in after.members
    }


def discovery_number(id_: str) -> int | None:
    """The number behind an id of a discovery; ``None`` for any other id."""
    prefix, _, digits = id_.partition("-")
    if prefix != "new" or not digits.isdecimal() or not digits.isascii():
        return None
    return int(digits) if format_id(int(digits)) == id_ else None
