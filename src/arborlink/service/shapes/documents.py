"""Answers about documents, mentions and entities, and about linking."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from arborlink.service.shapes.overview import Place


@dataclass(frozen=True, slots=True)
class Near:
    """An entity and its affinity."""

    entity: str
    name: str
    affinity: float


@dataclass(frozen=True, slots=True)
class MentionInContext:
    """A mention with what stands around it; ``title`` is the first line of its document."""

    mention: str
    document: str
    title: str
    before: str
    text: str
    after: str


@dataclass(frozen=True, slots=True)
class DocumentItem:
    """A document in a list; ``title`` is its first line, or its id if it has none."""

    id: str
    title: str
    n_mentions: int
    n_linked: int
    n_discovered: int
    beginning: str


@dataclass(frozen=True, slots=True)
class DocumentPage:
    """A page of documents."""

    items: list[DocumentItem]
    page: int
    per_page: int
    n_items: int
    n_pages: int
    version: int


@dataclass(frozen=True, slots=True)
class PlacedMention:
    """A mention in its document; offsets count code points, and once more UTF-16 units, as JavaScript does."""

    mention: str
    start: int
    end: int
    utf16_start: int
    utf16_end: int
    text: str
    types: tuple[str, ...]
    place: Place
    affinity: float | None
    parent: str | None
    parent_kind: Literal["entity", "mention"] | None
    is_decided: bool


@dataclass(frozen=True, slots=True)
class DocumentAnswer:
    """A document with its mentions, and its neighbours in the order of the corpus."""

    version: int
    id: str
    title: str
    text: str
    previous: str | None
    next: str | None
    mentions: list[PlacedMention]


@dataclass(frozen=True, slots=True)
class PathRoot:
    """Where a path begins: an entity, or the first mention of a discovered one."""

    kind: Literal["entity", "mention"]
    id: str
    name: str


@dataclass(frozen=True, slots=True)
class PathStep:
    """One edge of a path; without an affinity where somebody decided it."""

    mention: str
    document: str
    title: str
    text: str
    affinity: float | None
    is_bottleneck: bool


@dataclass(frozen=True, slots=True)
class WhyAnswer:
    """Why a mention is where it is; ``told`` says it in lines of text."""

    version: int
    mention: str
    document: str
    text: str
    place: Place
    root: PathRoot
    steps: list[PathStep]
    bottleneck: int | None
    runner_up: Near | None
    candidates: list[Near]
    told: str


@dataclass(frozen=True, slots=True)
class EntityItem:
    """An entity of the knowledge base; ``matched`` is the name that the search found."""

    id: str
    name: str
    aliases: tuple[str, ...]
    types: tuple[str, ...]
    description: str
    is_promoted: bool
    n_mentions: int
    matched: str


@dataclass(frozen=True, slots=True)
class EntityList:
    """The entities that a search found, the best first; ``n_items`` counts those it looked at."""

    version: int
    n_items: int
    items: list[EntityItem]


@dataclass(frozen=True, slots=True)
class EntityAnswer(EntityItem):
    """An entity with some of its mentions."""

    version: int
    mentions: list[MentionInContext]
    documents: list[str]


@dataclass(frozen=True, slots=True)
class LinkAnswer:
    """Links of documents that are not kept, as ``links.jsonl`` and ``clusters.jsonl`` have them."""

    version: int
    links: list[dict[str, Any]]
    clusters: list[dict[str, Any]]
    candidates: Mapping[str, list[Near]] | None
    settings: dict[str, Any]
