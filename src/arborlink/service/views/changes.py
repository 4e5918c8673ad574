"""Decisions, what they changed, and the history of a discovery, with names for ids."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from arborlink.errors import ConflictError
from arborlink.service.look import Look, ids_named, paged
from arborlink.service.shapes.decisions import (
    ChangesAnswer,
    DecisionItem,
    DecisionPage,
    EventItem,
    HistoryAnswer,
    MoveItem,
)
from arborlink.service.shapes.overview import ChangesSince, LogLine, Place, PlaceKind
from arborlink.workspace import Changes, HistoryEvent, LogEntry, Move, StoredDecision

MOST_SHOWN = 200
_DISCOVERY_ID = re.compile(r"\bnew-\d{6,}\b")


def changes_answer(before: Look, after: Look, changes: Changes) -> ChangesAnswer:
    """What a command changed; names of what is gone are those it had before."""
    events = [event_item(after, event, before) for event in changes.events[:MOST_SHOWN]]
    moves = [_move(before, after, move) for move in changes.relinked[:MOST_SHOWN]]
    return ChangesAnswer(
        version=changes.version,
        decision=changes.decision,
        counts=changes.counts(),
        n_relinked=len(changes.relinked),
        relinked=moves,
        events=events,
        told=_told(changes, events),
    )


def event_item(look: Look, event: HistoryEvent, before: Look | None = None) -> EventItem:
    """An event with names."""
    name = _name(look, event.discovery, before, event.mentions)
    other = [_place(look, id_, before) for id_ in event.other]
    # an event tells itself with ids; here names stand in their places
    named = replace(event, discovery=_quoted(name), other=tuple(_quoted(place.name) for place in other))
    return EventItem(
        discovery=event.discovery,
        name=name,
        version=event.version,
        time=event.time,
        kind=event.kind,
        other=other,
        n_mentions=len(event.mentions),
        told=str(named),
    )


def history_answer(look: Look, id_: str, events: Sequence[HistoryEvent]) -> HistoryAnswer:
    """What happened to a discovery."""
    mentions = events[-1].mentions if events else ()
    return HistoryAnswer(
        version=look.version,
        id=id_,
        name=_name(look, id_, None, mentions),
        now=look.where_now(id_, events),
        events=[event_item(look, event) for event in events],
        decisions=[stored.id for stored in look.decisions_about(id_)],
    )


def decision_page(
    look: Look, in_force: bool | None, author: str | None, page: int, per_page: int
) -> DecisionPage:
    """A page of the decisions, the newest first."""
    found = [
        stored
        for stored in reversed(look.snapshot.decisions)
        if in_force in (None, stored.is_in_force) and author in (None, stored.author)
    ]
    shown, told = paged(found, page, per_page)
    items = [_decision(look, stored) for stored in shown]
    return DecisionPage(items=items, version=look.version, **told)


def changes_since(look: Look, log: Sequence[LogEntry], since: int) -> ChangesSince:
    """What was committed after a version."""
    versions = look.snapshot.discovery_versions
    return ChangesSince(
        version=look.version,
        log=[
            LogLine(entry.version, entry.time, entry.command, str(entry))
            for entry in log
            if entry.version > since
        ][-MOST_SHOWN:],
        discoveries=sorted(id_ for id_, version in versions.items() if version > since)[:MOST_SHOWN],
    )


def named_conflict(look: Look, error: ConflictError) -> ConflictError:
    """A conflict told with names where ids of discoveries stand."""

    def name(found: re.Match[str]) -> str:
        place = look.place(found[0])
        return found[0] if place is None else _quoted(place.name)

    changes = tuple(_DISCOVERY_ID.sub(name, line) for line in error.changes)
    return ConflictError(_DISCOVERY_ID.sub(name, error.message), error.current_version, changes)


def _decision(look: Look, stored: StoredDecision) -> DecisionItem:
    places = {id_: _place(look, id_, None, stored.effects.mentions) for id_ in ids_named(stored)}
    return DecisionItem(
        id=stored.id,
        version=stored.version,
        time=stored.time,
        author=stored.author,
        decision=stored.decision.to_dict(),
        is_in_force=stored.is_in_force,
        undone_version=stored.undone_version,
        undone_time=stored.undone_time,
        undone_by=stored.undone_by,
        places=places,
    )


def _move(before: Look, after: Look, move: Move) -> MoveItem:
    old = None if move.before is None else _place(before, move.before, after, kind=move.before_kind)
    new = _place(after, move.after, before, kind=move.after_kind)
    return MoveItem(move.mention, move.text, old, new)


def _place(
    look: Look,
    id_: str,
    before: Look | None,
    mentions: Sequence[str] = (),
    kind: PlaceKind | None = None,
) -> Place:
    """The place of an id, from another look if it is not in this one; by what its mentions say if in neither."""
    found = look.place(id_) or (None if before is None else before.place(id_))
    if found is None:
        found = Place(kind or "discovery", id_, look.name_among(mentions) or id_)
    return found if kind is None or found.kind == kind else Place(kind, id_, found.name)


def _name(look: Look, id_: str, before: Look | None, mentions: Sequence[str]) -> str:
    return _place(look, id_, before, mentions).name


def _told(changes: Changes, events: Sequence[EventItem]) -> str:
    counts: Mapping[str, int] = changes.counts()
    n = counts.get("relinked", 0)
    moved = [f"{n:,} mention{'s' if n != 1 else ''} re-linked"] if n else []
    return "\n".join([*(event.told for event in events[:10]), *moved]) or "nothing changed"


def _quoted(name: str) -> str:
    return f"“{name}”"
