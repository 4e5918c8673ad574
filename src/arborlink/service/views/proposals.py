"""The queue, a proposal, and how far the review is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from arborlink.service.look import Look, entity_of_merge, paged
from arborlink.service.queue import Queued
from arborlink.service.shapes.documents import Near
from arborlink.service.shapes.overview import Place, ProgressAnswer
from arborlink.service.shapes.review import QueueItem, QueuePage, State, TypeCount
from arborlink.workspace import Merge, Reject, StoredDecision
from arborlink.workspace.stable_ids import format_id

_ORDERS: dict[str, Callable[[QueueItem], Any]] = {
    "mentions": lambda item: -item.n_mentions,
    "documents": lambda item: -item.n_documents,
    "name": lambda item: item.name.casefold(),
    "nearest": lambda item: item.nearest.affinity if item.nearest is not None else float("-inf"),
}


@dataclass(frozen=True, slots=True)
class Asked:
    """Which proposals are asked for, in which order."""

    state: str = "open"
    search: str = ""
    type: str = ""
    min_mentions: int = 1
    sort: str = "value"


def queue_page(look: Look, asked: Asked, page: int, per_page: int) -> QueuePage:
    """A page of the proposals in a state."""
    in_state = [item for item in items_in_state(look, asked.state) if item.n_mentions >= asked.min_mentions]
    types = look.once(f"types {asked.state} {asked.min_mentions}", lambda: _types(in_state))
    if asked.type:
        in_state = [item for item in in_state if any(each.type == asked.type for each in item.types)]
    found = _found(look, in_state, asked.search)
    if asked.sort == "newest":
        found = sorted(found, key=lambda item: item.id, reverse=True)
    elif asked.sort != "value":
        # equals stay in the order of value
        found = sorted(found, key=_ORDERS[asked.sort])
    shown, told = paged(found, page, per_page)
    return QueuePage(items=list(shown), version=look.version, types=types, **told)


def _types(items: Iterable[QueueItem]) -> list[TypeCount]:
    counts = Counter(each.type for item in items for each in item.types)
    return [TypeCount(type_, n) for type_, n in sorted(counts.items(), key=lambda each: (-each[1], each[0]))]


def items_in_state(look: Look, state: str) -> list[QueueItem]:
    """All proposals in a state, the most valuable first; ``all`` are those of live discoveries."""
    if state == "promoted":
        return [_promoted(look, stored) for stored in look.promoted().values()][::-1]
    if state == "linked":
        return list(_linked(look))[::-1]
    items = live_items(look)
    return items if state == "all" else [item for item in items if item.state == state]


def live_items(look: Look) -> list[QueueItem]:
    """The proposals of all live discoveries, the most valuable first."""

    def made() -> list[QueueItem]:
        rejections = rejecting_decisions(look) if look.snapshot.rejected else {}
        return [queue_item(look, item, rejections.get(item.id)) for item in look.queue.items]

    return look.once("live items", made)


def queue_item(look: Look, item: Queued, rejection: int | None) -> QueueItem:
    """A live discovery as the queue shows it."""
    is_unsure = look.is_unsure(item)
    state: State = "rejected" if item.is_rejected else "unsure" if is_unsure else "open"
    near = item.nearest
    return QueueItem(
        id=item.id,
        version=item.version,
        state=state,
        name=item.name,
        n_mentions=item.n_mentions,
        n_documents=item.n_documents,
        value=item.value,
        coherence=item.coherence,
        types=item.types,
        nearest=None if near is None else Near(near.entity, near.name, near.affinity),
        probability_new=item.probability_new,
        was_unsure=item.id in look.marks and not is_unsure,
        decision=rejection if item.is_rejected else None,
        place=None,
    )


def rejecting_decisions(look: Look) -> dict[str, int]:
    """The last decision in force that rejected mentions of each live discovery."""
    snapshot = look.snapshot
    found: dict[str, int] = {}
    for stored in snapshot.decisions_in_force:
        if isinstance(stored.decision, Reject):
            for mention in stored.effects.rejected:
                number = snapshot.parts.discovery[snapshot.corpus.mention_index[mention]]
                if number >= 0:
                    found[format_id(int(number))] = stored.id
    return found


def progress(look: Look, min_mentions: int) -> ProgressAnswer:
    """How far the review is, among discoveries of at least so many mentions."""
    items = [item for state in ("all", "promoted", "linked") for item in items_in_state(look, state)]
    counts = Counter(item.state for item in items if item.n_mentions >= min_mentions)
    n_merged = sum(
        len(stored.decision.ids) - 1
        for stored in look.snapshot.decisions_in_force
        if isinstance(stored.decision, Merge) and entity_of_merge(stored) is None
    )
    n_left = counts["open"] + counts["unsure"]
    n_reviewed = counts["promoted"] + counts["rejected"] + counts["linked"] + n_merged
    return ProgressAnswer(
        version=look.version,
        n_total=n_left + n_reviewed,
        n_reviewed=n_reviewed,
        n_left=n_left,
        n_open=counts["open"],
        n_unsure=counts["unsure"],
        n_promoted=counts["promoted"],
        n_rejected=counts["rejected"],
        n_linked=counts["linked"],
        n_merged=n_merged,
    )


def _found(look: Look, items: list[QueueItem], search: str) -> list[QueueItem]:
    """Those whose names hold every word of a search."""
    words = search.casefold().split()
    if not words:
        return items
    live = look.once("searched texts", lambda: {item.id: _searched(item) for item in look.queue.items})
    texts = ((item, live.get(item.id) or _searched(item)) for item in items)
    return [item for item, text in texts if all(word in text for word in words)]


def _searched(item: Queued | QueueItem) -> str:
    """All that a search looks at."""
    others = item.aliases if isinstance(item, Queued) else (item.place.name,) if item.place else ()
    return "\n".join((item.name, item.id, *others)).casefold()


def _promoted(look: Look, stored: StoredDecision) -> QueueItem:
    assert stored.effects.entity is not None
    number = look.snapshot.all_entities.index[stored.effects.entity]
    entity = look.snapshot.entities[number]
    mentions = [mention for _, mention in stored.effects.linked]
    item = _decided(look, stored, entity.id, "promoted", mentions)
    return replace(item, name=entity.name, n_mentions=look.n_linked[number])


def _linked(look: Look) -> Iterable[QueueItem]:
    """Discoveries that merges in force have linked to an entity; several of one merge share their mentions."""
    for stored in look.snapshot.decisions_in_force:
        entity = entity_of_merge(stored)
        if entity is not None and isinstance(stored.decision, Merge):
            mentions = [mention for _, mention in stored.effects.linked]
            for id_ in stored.decision.ids:
                if id_ != entity:
                    item = _decided(look, stored, id_, "linked", mentions)
                    yield replace(item, place=look.place(entity))


def _decided(
    look: Look, stored: StoredDecision, id_: str, state: State, mentions: Sequence[str]
) -> QueueItem:
    index, all_mentions = look.snapshot.corpus.mention_index, look.snapshot.corpus.mentions
    documents = {all_mentions[index[mention]][0].id for mention in mentions}
    return QueueItem(
        id=id_,
        version=stored.version,
        state=state,
        name=look.name_among(mentions) or id_,
        n_mentions=len(mentions),
        n_documents=len(documents),
        value=0.0,
        coherence=None,
        types=(),
        nearest=None,
        probability_new=None,
        was_unsure=False,
        decision=stored.id,
        place=Place("entity", id_, look.snapshot.all_entities[id_].name) if state == "promoted" else None,
    )
