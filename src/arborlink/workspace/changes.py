"""What a command changed, for people and for programs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any, Literal

from arborlink.workspace.stable_ids import Event

PlaceKind = Literal["entity", "discovery"]
_TOLD = (
    ("born", "born"),
    ("split", "split off"),
    ("grown", "grown"),
    ("shrunk", "shrunk"),
    ("merged", "merged into others"),
    ("retired", "linked to entities or gone"),
    ("promoted", "promoted"),
    ("restored", "alive again"),
    ("rejected", "rejected"),
    ("reopened", "proposed again"),
)


@dataclass(frozen=True, slots=True)
class Move:
    """A mention that went somewhere.

    Args:
        mention: its id.
        text: what it says.
        before: id of the entity or discovery it was in; ``None`` for a new mention.
        before_kind: which of the two it was.
        after: id of the entity or discovery it is in.
        after_kind: which of the two it is.
    """

    mention: str
    text: str
    before: str | None
    before_kind: PlaceKind | None
    after: str
    after_kind: PlaceKind


@dataclass(frozen=True, slots=True)
class HistoryEvent:
    """Something that happened to a discovered entity.

    Args:
        discovery: its id.
        version: of the workspace, with which it happened.
        time: when, in UTC.
        kind: one of ``born``, ``split``, ``grown``, ``shrunk``, ``merged``, ``retired``, ``promoted``; ``restored``
            when the decision it ended with was undone; ``rejected`` and ``reopened``.
        other: the ids it came from or went to; see :class:`arborlink.workspace.stable_ids.Event`.
        mentions: the mentions it happened to.
    """

    discovery: str
    version: int
    time: str
    kind: str
    other: tuple[str, ...] = ()
    mentions: tuple[str, ...] = ()

    @classmethod
    def of(cls, event: Event, version: int, time: str) -> HistoryEvent:
        """An event of the reconciliation, at its place in the history."""
        return cls(event.id, version, time, event.kind, event.other, event.mentions)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return asdict(self)

    def __str__(self) -> str:
        n = f"{len(self.mentions)} mention{'s' if len(self.mentions) != 1 else ''}"
        others = ", ".join(self.other)
        words = {
            "born": f"born with {n}",
            "split": f"split off {others} with {n}",
            "grown": f"grown by {n}",
            "shrunk": f"shrunk by {n}",
            "merged": f"merged into {others}",
            "retired": f"retired: {n} linked to {others}" if others else "retired",
            "restored": f"alive again with {n}",
            "promoted": f"promoted to the knowledge base with {n}",
        }
        return f"{self.discovery} {words.get(self.kind, self.kind)}"


@dataclass(frozen=True, slots=True)
class Changes:
    """What a command changed.

    Args:
        version: of the workspace, after it; the same as before if there was nothing to do.
        n_documents: new documents.
        n_mentions: new mentions.
        n_entities: new entities.
        skipped_documents: ids of documents that were there already, just so.
        skipped_entities: ids of such entities.
        linked: new mentions that were linked to an entity.
        relinked: mentions that were there and are linked to another entity, to one at last, or to none any more.
        events: what happened to discovered entities.
        decision: number of the decision that was made or undone.
    """

    version: int
    n_documents: int = 0
    n_mentions: int = 0
    n_entities: int = 0
    skipped_documents: tuple[str, ...] = ()
    skipped_entities: tuple[str, ...] = ()
    linked: tuple[Move, ...] = ()
    relinked: tuple[Move, ...] = ()
    events: tuple[HistoryEvent, ...] = ()
    decision: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return asdict(self)

    def counts(self) -> dict[str, int]:
        """How many of each, without those of which there is none."""
        found = {
            "documents": self.n_documents,
            "mentions": self.n_mentions,
            "entities": self.n_entities,
            "skipped_documents": len(self.skipped_documents),
            "skipped_entities": len(self.skipped_entities),
            "linked": len(self.linked),
            "relinked": len(self.relinked),
            **{kind: _n_of_kind(self.events, kind) for kind, _ in _TOLD},
        }
        return {name: count for name, count in found.items() if count}

    def __str__(self) -> str:
        lines = [f"Version {self.version}"]
        came = [(self.n_documents, "document"), (self.n_mentions, "mention"), (self.n_entities, "entity")]
        if any(n for n, _ in came):
            lines.append("New: " + ", ".join(_counted(n, noun) for n, noun in came if n))
        skipped = [(len(self.skipped_documents), "document"), (len(self.skipped_entities), "entity")]
        if any(n for n, _ in skipped):
            lines.append("Known already: " + ", ".join(_counted(n, noun) for n, noun in skipped if n))
        if self.linked:
            lines.append(f"Linked: {_counted(len(self.linked), 'new mention')}")
        if self.relinked:
            lines.append(f"Re-linked: {_counted(len(self.relinked), 'mention')}")
        told = [(_n_of_kind(self.events, kind), words) for kind, words in _TOLD]
        if any(n for n, _ in told):
            lines.append("Discoveries: " + ", ".join(f"{n:,} {words}" for n, words in told if n))
        return "\n".join(lines if len(lines) > 1 else [*lines, "Nothing changed"])


def _n_of_kind(events: Iterable[HistoryEvent], kind: str) -> int:
    return sum(event.kind == kind for event in events)


def _counted(n: int, noun: str) -> str:
    if n != 1:
        noun = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{n:,} {noun}"
