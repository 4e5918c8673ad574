"""One look at the workspace: a version, its queue and the review marks, so that an answer fits together."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, TypeVar

from arborlink.document import Document, Mention
from arborlink.proposals.naming import name_of
from arborlink.service.marks import Mark
from arborlink.service.problems import RefusalError, not_found
from arborlink.service.queue import Queue, Queued
from arborlink.service.shapes.documents import MentionInContext
from arborlink.service.shapes.overview import Place
from arborlink.workspace import HistoryEvent, Merge, Promote, StoredDecision
from arborlink.workspace.snapshot import Snapshot

CONTEXT = 90
_LONGEST_TITLE = 120

T = TypeVar("T")


class LastLook:
    """Values of the last version and marks that were looked at; those of others are forgotten."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._key: object = None
        self._values: dict[str, Any] = {}

    def once(self, key: object, name: str, make: Callable[[], T]) -> T:
        """The value of a name; two who ask at the same time may both make it."""
        with self._lock:
            if key != self._key:
                self._key, self._values = key, {}
            values = self._values
        if name not in values:
            values[name] = make()
        found: T = values[name]
        return found


class Look:
    """A version of the workspace, as the views read it.

    Args:
        snapshot: the version.
        queue: gives its queue, which may take a while.
        marks: the review marks.
        last: what looks at the same version and marks share, so that it is made once.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        queue: Callable[[Snapshot], Queue],
        marks: Mapping[str, Mark],
        last: LastLook | None = None,
    ) -> None:
        self.snapshot = snapshot
        self.marks = marks
        self._make_queue = queue
        self._last = last or LastLook()

    def once(self, name: str, make: Callable[[], T]) -> T:
        """A value that only depends on version and marks, made once for all looks at them."""
        return self._last.once((self.version, tuple(self.marks.values())), name, make)

    @property
    def version(self) -> int:
        """Of the workspace."""
        return self.snapshot.version

    @cached_property
    def queue(self) -> Queue:
        """All live discoveries."""
        return self._make_queue(self.snapshot)

    def is_unsure(self, item: Queued) -> bool:
        """Whether somebody was unsure about a discovery as it is now."""
        mark = self.marks.get(item.id)
        return mark is not None and mark.version == item.version

    def live(self, discovery: str, history: Callable[[str], Sequence[HistoryEvent]]) -> Queued:
        """A live discovery.

        Raises:
            RefusalError: there is none of this id, any more (410) or at all (404).
        """
        item = self.queue.by_id.get(discovery)
        if item is not None:
            return item
        events = history(discovery)
        if not events:
            raise not_found(f"there is no discovery {discovery!r}")
        now = self.where_now(discovery, events)
        where = "" if now is None or now.id == discovery else f": it is now {now.name}"
        if now is not None and now.id == discovery:
            where = ": it was promoted to the knowledge base"
        raise RefusalError(
            410, "gone", f"the discovery {discovery} is not there any more{where}", details={"now": now}
        )

    def where_now(self, discovery: str, events: Sequence[HistoryEvent]) -> Place | None:
        """What a discovery is now: itself, the entity it became, or what it went into; ``None`` if unknown."""
        own = self.place(discovery)
        if own is not None:
            return own
        last = events[-1].other if events else ()
        return next(filter(None, map(self.place, last)), None)

    def place(self, id_: str) -> Place | None:
        """The discovery or entity of an id, with its name."""
        if id_ in self.snapshot.members:
            return Place("discovery", id_, self.name_of_discovery(id_))
        number = self.snapshot.all_entities.index.get(id_)
        if number is None or not self.snapshot.is_active[number]:
            return None
        return Place("entity", id_, self.snapshot.entities[number].name)

    def place_of(self, number: int) -> Place:
        """Where a mention is."""
        kind, id_ = self.snapshot.place_of(number)
        if kind == "entity":
            return Place("entity", id_, self.snapshot.all_entities[id_].name)
        return Place("discovery", id_, self.name_of_discovery(id_))

    def name_of_discovery(self, id_: str) -> str:
        """The name a live discovery is proposed under."""
        if "queue" in self.__dict__:
            return self.queue.by_id[id_].name
        mentions = self.snapshot.corpus.mentions
        members = (mentions[number] for number in self.snapshot.members[id_])
        return name_of(document.text_of(mention) for document, mention in members).name

    def name_among(self, mentions: Iterable[str]) -> str | None:
        """The name that mentions would be proposed under; ``None`` if none of them is there."""
        index, all_mentions = self.snapshot.corpus.mention_index, self.snapshot.corpus.mentions
        known = [all_mentions[index[each]] for each in mentions if each in index]
        return name_of(document.text_of(mention) for document, mention in known).name if known else None

    def in_context(self, number: int) -> MentionInContext:
        """A mention with whole words around it."""
        document, mention = self.snapshot.corpus.mentions[number]
        before, after = surroundings(document, mention, CONTEXT)
        text = document.text_of(mention)
        return MentionInContext(mention.id, document.id, title_of(document), before, text, after)

    @cached_property
    def documents(self) -> Mapping[str, int]:
        """Numbers of the documents, by id."""
        return {document.id: number for number, document in enumerate(self.snapshot.documents)}

    @cached_property
    def n_linked(self) -> Counter[int]:
        """How many mentions each entity has, by its number."""
        return Counter(self.snapshot.parts.entity.tolist())

    def decisions_about(self, id_: str) -> list[StoredDecision]:
        """Decisions in force that name a discovery or entity."""
        return [stored for stored in self.snapshot.decisions_in_force if id_ in ids_named(stored)]

    def promoted(self) -> dict[str, StoredDecision]:
        """Entities that decisions in force have promoted, and which."""
        return {
            stored.decision.discovery: stored
            for stored in self.snapshot.decisions_in_force
            if isinstance(stored.decision, Promote)
        }


def ids_named(stored: StoredDecision) -> tuple[str, ...]:
    """Discoveries and entities that a decision names."""
    record = stored.decision.to_dict()
    ids = record.get("ids") or ()
    return tuple(filter(None, (record.get("discovery"), record.get("entity"), *ids)))


def entity_of_merge(stored: StoredDecision) -> str | None:
    """The entity that a merge has linked discoveries to; ``None`` if it only joined discoveries."""
    if not isinstance(stored.decision, Merge) or not stored.effects.linked:
        return None
    return stored.effects.linked[0][0]


def title_of(document: Document) -> str:
    """The first line of a document that says something; its id if there is none."""
    line = next(filter(None, (line.strip() for line in document.text[:10_000].splitlines())), document.id)
    return line if len(line) <= _LONGEST_TITLE else line[: _LONGEST_TITLE - 1].rstrip() + "…"


def surroundings(document: Document, mention: Mention, n: int) -> tuple[str, str]:
    """Up to n characters before and after a mention, cut at white space where there is some."""
    text = document.text
    start, end = max(0, mention.start - n), min(len(text), mention.end + n)
    before, after = text[start : mention.start], text[mention.end : end]
    if start and not text[start - 1].isspace():
        before = before.partition(_blank(before))[2] or before
    if end < len(text) and not text[end].isspace():
        after = after.rpartition(_last_blank(after))[0] or after
    return before, after


def _blank(text: str) -> str:
    return next((sign for sign in text if sign.isspace()), " ")


def _last_blank(text: str) -> str:
    return next((sign for sign in reversed(text) if sign.isspace()), " ")


def paged(items: Sequence[T], page: int, per_page: int) -> tuple[Sequence[T], dict[str, int]]:
    """The items of a page, and what the page says about itself."""
    start = (page - 1) * per_page
    told = {
        "page": page,
        "per_page": per_page,
        "n_items": len(items),
        "n_pages": -(-len(items) // per_page),
    }
    return items[start : start + per_page], told
