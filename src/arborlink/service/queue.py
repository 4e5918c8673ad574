"""The queue of proposals of a version: worked out once, and afterwards only for discoveries that changed."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from arborlink.proposals import Coherence, NearEntity, Proposal, TypeShare
from arborlink.service.novelty import probabilities_of_being_new
from arborlink.workspace.discoveries import proposals_of
from arborlink.workspace.links import result_of
from arborlink.workspace.snapshot import Snapshot
from arborlink.workspace.stable_ids import format_id

_ODD = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(29)


@dataclass(frozen=True, slots=True)
class Queued:
    """What the queue tells about a discovery."""

    id: str
    version: int
    is_rejected: bool
    name: str
    aliases: tuple[str, ...]
    n_mentions: int
    n_documents: int
    value: float
    coherence: Coherence | None
    types: tuple[TypeShare, ...]
    nearest: NearEntity | None
    probability_new: float | None


@dataclass(frozen=True)
class Queue:
    """All live discoveries of a version, the most valuable first."""

    version: int
    items: tuple[Queued, ...]

    @cached_property
    def by_id(self) -> Mapping[str, Queued]:
        """The same by id."""
        return {item.id: item for item in self.items}


class QueueKeeper:
    """Keeps the last queue, and makes the next one from it.

    Proposals of tens of thousands of discoveries take seconds, and a decision changes a few of them. Each discovery
    has a fingerprint of all that its proposal is made from: members, tree, nearest entities.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._queue: Queue | None = None
        self._known: dict[str, tuple[int, Proposal]] = {}
        self._snapshot: Snapshot | None = None

    def at(self, snapshot: Snapshot) -> Queue:
        """The queue of a version; an older one than the last is worked out in full."""
        with self._lock:
            if self._queue is None or self._queue.version != snapshot.version:
                self._queue = self._made(snapshot)
            return self._queue

    def _made(self, snapshot: Snapshot) -> Queue:
        if self._snapshot is not None and _have_other_content(self._snapshot, snapshot):
            self._known = {}
        prints = fingerprints(snapshot)
        changed = [id_ for id_, own in prints.items() if id_ not in self._known or self._known[id_][0] != own]
        known = {id_: entry for id_, entry in self._known.items() if id_ in prints}
        known.update((id_, (prints[id_], proposal)) for id_, proposal in _proposals(snapshot, changed))
        self._known, self._snapshot = known, snapshot
        chances = probabilities_of_being_new(snapshot)
        items = [_queued(snapshot, id_, proposal, chances.get(id_)) for id_, (_, proposal) in known.items()]
        return Queue(snapshot.version, tuple(sorted(items, key=lambda item: (-item.value, item.id))))


def fingerprints(snapshot: Snapshot) -> dict[str, int]:
    """A number for each live discovery that changes with whatever its proposal is made from.

    Texts are left out: a document never changes.
    """
    parts, lists = snapshot.parts, snapshot.lists
    unlinked = np.flatnonzero(parts.discovery >= 0)
    if not len(unlinked):
        return {}
    near = _mixed([*lists.near_items.T, *lists.near_affinities.T], len(lists.near_items))
    parent = parts.parent[unlinked].astype(np.int64)
    # nodes are numbered after the entities, of which there may be more now
    parent = np.where(parent >= 0, parent - len(snapshot.entities), -1)
    own = _mixed(
        [unlinked, parent, parts.weight[unlinked], parts.decided[unlinked], near[lists.leader[unlinked]]],
        len(unlinked),
    )
    discovery = parts.discovery[unlinked]
    order = np.argsort(discovery, kind="stable")
    numbers, starts = np.unique(discovery[order], return_index=True)
    sums = np.add.reduceat(own[order], starts)
    return dict(zip(map(format_id, numbers.tolist()), sums.tolist(), strict=True))


def _mixed(columns: Iterable[NDArray[np.generic]], n: int) -> NDArray[np.uint64]:
    """A hash of each row of some columns, bits as they are."""
    mixed = np.full(n, _ODD, dtype=np.uint64)
    for column in columns:
        wide = column.astype(np.float64 if column.dtype.kind == "f" else np.int64)
        mixed = (mixed ^ wide.view(np.uint64)) * _ODD
        mixed ^= mixed >> _SHIFT
    return mixed


def _have_other_content(before: Snapshot, after: Snapshot) -> bool:
    """Whether an entity has other names or types than it had under the same number."""
    if before.entities is after.entities:
        return False
    pairs = zip(before.entities, after.entities, strict=False)
    return any(one is not other and one != other for one, other in pairs)


def _proposals(snapshot: Snapshot, discoveries: Iterable[str]) -> Iterable[tuple[str, Proposal]]:
    numbers = sorted(number for id_ in discoveries for number in snapshot.members[id_])
    if not numbers:
        return
    for found in proposals_of(snapshot, result_of(snapshot, numbers), top=1, context=0):
        yield found.id, found.proposal


def _queued(snapshot: Snapshot, id_: str, proposal: Proposal, probability_new: float | None) -> Queued:
    return Queued(
        id=id_,
        version=snapshot.discovery_versions[id_],
        is_rejected=snapshot.is_rejected(id_),
        name=proposal.name,
        aliases=tuple(alias.text for alias in proposal.aliases),
        n_mentions=proposal.n_mentions,
        n_documents=proposal.n_documents,
        value=proposal.value,
        coherence=proposal.coherence,
        types=proposal.types,
        nearest=proposal.nearest[0] if proposal.nearest else None,
        probability_new=probability_new,
    )
