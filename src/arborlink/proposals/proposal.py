"""What is proposed for one discovered cluster."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

TypesFrom = Literal["mentions", "nearest_entities"]


@dataclass(frozen=True, slots=True)
class Alias:
    """Another form the mentions use, and how many of them do."""

    text: str
    n_mentions: int


@dataclass(frozen=True, slots=True)
class TypeShare:
    """A type that the new entity may have, and how much speaks for it, from 0 to 1."""

    type: str
    share: float


@dataclass(frozen=True, slots=True)
class NearEntity:
    """An entity of the knowledge base that the cluster could be after all.

    Args:
        entity: its id.
        name: its name.
        affinity: the best between it and any mention of the cluster.
        mention: id of that mention.
    """

    entity: str
    name: str
    affinity: float
    mention: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """A mention in its surroundings; ``before + text + after`` stands so in the document.

    Args:
        document: id of the document.
        mention: id of the mention.
        start: first character of the mention, in code points.
        end: one past the last.
        before: text before it, whole words.
        text: what the mention says.
        after: text after it, whole words.
        n_edges: edges of the cluster's tree at this mention: its children, and its parent if it has one.
        affinity: mean over these edges, ``None`` where there is none.
    """

    document: str
    mention: str
    start: int
    end: int
    before: str
    text: str
    after: str
    n_edges: int
    affinity: float | None


@dataclass(frozen=True, slots=True)
class Coherence:
    """Affinities of the edges that hold the cluster together: the mean and the weakest."""

    mean: float
    min: float


@dataclass(frozen=True, slots=True)
class Proposal:
    """A discovered cluster as a new entity for the knowledge base.

    Args:
        cluster: number of the cluster in the result.
        name: the proposed name, a form that a mention uses.
        name_reason: the rule that chose it, with counts.
        aliases: the other forms, the most frequent first.
        types: likely types, the likeliest first.
        types_from: what the types were taken from, ``None`` where there are none.
        n_mentions: size of the cluster.
        n_documents: documents touched.
        documents: their ids, in corpus order.
        mentions: ids of all mentions, in corpus order.
        evidence: the most central mentions with their surroundings.
        nearest: the nearest entities of the knowledge base: is it really new?
        coherence: ``None`` for a single mention.
        value: what proposals are sorted by; see :func:`arborlink.proposals.value.value_of`.
    """

    cluster: int
    name: str
    name_reason: str
    aliases: tuple[Alias, ...]
    types: tuple[TypeShare, ...]
    types_from: TypesFrom | None
    n_mentions: int
    n_documents: int
    documents: tuple[str, ...]
    mentions: tuple[str, ...]
    evidence: tuple[Evidence, ...]
    nearest: tuple[NearEntity, ...]
    coherence: Coherence | None
    value: float

    def to_dict(self) -> dict[str, Any]:
        """The record of ``proposals.jsonl``."""
        return asdict(self)
