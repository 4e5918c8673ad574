"""Answers about proposals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from arborlink.proposals import Alias, Coherence, TypeShare
from arborlink.service.shapes.decisions import EventItem
from arborlink.service.shapes.documents import MentionInContext, Near
from arborlink.service.shapes.overview import Place

State = Literal["open", "unsure", "rejected", "promoted", "linked"]


@dataclass(frozen=True, slots=True)
class QueueItem:
    """A proposal in the queue; ``version`` is what a decision about it must carry."""

    id: str
    version: int
    state: State
    name: str
    n_mentions: int
    n_documents: int
    value: float
    coherence: Coherence | None
    types: tuple[TypeShare, ...]
    nearest: Near | None
    probability_new: float | None
    was_unsure: bool
    decision: int | None
    place: Place | None


@dataclass(frozen=True, slots=True)
class TypeCount:
    """A type, and how many proposals have it."""

    type: str
    n: int


@dataclass(frozen=True, slots=True)
class QueuePage:
    """A page of the queue, and the types of all proposals in this state."""

    items: list[QueueItem]
    page: int
    per_page: int
    n_items: int
    n_pages: int
    version: int
    types: list[TypeCount]


@dataclass(frozen=True, slots=True)
class EvidenceItem(MentionInContext):
    """A mention that speaks for a proposal, with its edges in the tree and their mean affinity."""

    n_edges: int
    affinity: float | None


@dataclass(frozen=True, slots=True)
class TreeNode(MentionInContext):
    """A mention in the tree; ``parent`` is a number into the nodes, ``null`` at the top."""

    parent: int | None
    affinity: float | None
    is_decided: bool


@dataclass(frozen=True, slots=True)
class TreeRoot:
    """What a tree hangs from."""

    name: str
    is_new: bool


@dataclass(frozen=True, slots=True)
class Tree:
    """The arborescence of a cluster."""

    root: TreeRoot
    nodes: list[TreeNode]
    n_left_out: int


@dataclass(frozen=True, slots=True)
class NearestEntity:
    """An entity that a proposal could be after all, and the mention that is nearest to it."""

    entity: str
    name: str
    affinity: float
    mention: str
    mention_text: str
    aliases: tuple[str, ...]
    types: tuple[str, ...]
    description: str
    n_mentions: int


@dataclass(frozen=True, slots=True)
class Draft:
    """The entity that a promotion makes where nothing else is said."""

    name: str
    aliases: tuple[str, ...]
    types: tuple[str, ...]
    description: str


@dataclass(frozen=True, slots=True)
class ProposalAnswer(QueueItem):
    """All about a proposal."""

    name_reason: str
    aliases: tuple[Alias, ...]
    types_from: str | None
    documents: tuple[str, ...]
    evidence: list[EvidenceItem]
    nearest_entities: list[NearestEntity]
    tree: Tree
    draft: Draft
    history: list[EventItem]
