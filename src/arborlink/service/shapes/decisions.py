"""Answers about decisions and what they change."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from arborlink.service.shapes.overview import Place


@dataclass(frozen=True, slots=True)
class EventItem:
    """Something that happened to a discovery."""

    discovery: str
    name: str
    version: int
    time: str
    kind: str
    other: list[Place]
    n_mentions: int
    told: str


@dataclass(frozen=True, slots=True)
class MoveItem:
    """A mention that went from one place to another; ``before`` is ``null`` for a new mention."""

    mention: str
    text: str
    before: Place | None
    after: Place


@dataclass(frozen=True, slots=True)
class ChangesAnswer:
    """What a decision or its undoing changed; long lists are cut, the counts are not. ``told`` is for people."""

    version: int
    decision: int | None
    counts: Mapping[str, int]
    n_relinked: int
    relinked: list[MoveItem]
    events: list[EventItem]
    told: str


@dataclass(frozen=True, slots=True)
class DecisionItem:
    """A decision that was made; ``places`` names the discoveries and entities that it names."""

    id: int
    version: int
    time: str
    author: str | None
    decision: Mapping[str, Any]
    is_in_force: bool
    undone_version: int | None
    undone_time: str | None
    undone_by: str | None
    places: Mapping[str, Place]


@dataclass(frozen=True, slots=True)
class DecisionPage:
    """A page of decisions, the newest first."""

    items: list[DecisionItem]
    page: int
    per_page: int
    n_items: int
    n_pages: int
    version: int


@dataclass(frozen=True, slots=True)
class HistoryAnswer:
    """What happened to a discovery; ``now`` is where it went, or it itself; decisions in force about it."""

    version: int
    id: str
    name: str
    now: Place | None
    events: list[EventItem]
    decisions: list[int]
