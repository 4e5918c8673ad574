"""The answer for one mention, and for one cluster."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

Answer = Literal["linked", "new", "unsure"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """An entity that a mention could be, and how near it is by itself.

    ``name`` is ``None`` where the candidates were read back: their file names entities by id alone.
    """

    entity: str
    name: str | None
    affinity: float


@dataclass(frozen=True, slots=True)
class Link:
    """Where a mention went and through whom.

    Args:
        document: id of its document.
        mention: its id.
        start: first character.
        end: one past the last.
        text: what it says.
        entity: id of its entity; ``None`` is discovered or unlinked.
        name: name of that entity.
        cluster: number of its cluster.
        affinity: of the edge from its parent; ``None`` where it has no parent.
        parent: id of the mention or entity it hangs from; ``None`` at the root of a discovered cluster.
        parent_kind: which of the two the parent is.
        runner_up: the nearest entity other than its own.
        probability: that the link is right; without an entity, that the mention's entity is really outside the
            knowledge base. ``None`` where no calibration says.
        answer: whether to rely on it at the target error; ``None`` without a calibration.
        discovery: id of its discovered entity, which stays the same as a workspace grows; ``None`` where it is linked
            or there is no workspace.
    """

    document: str
    mention: str
    start: int
    end: int
    text: str
    entity: str | None
    name: str | None
    cluster: int
    affinity: float | None
    parent: str | None
    parent_kind: Literal["entity", "mention"] | None
    runner_up: Candidate | None
    probability: float | None = None
    answer: Answer | None = None
    discovery: str | None = None

    @property
    def is_tied(self) -> bool:
        """Whether it hangs from its entity, and another is as near: the first in the knowledge base was taken."""
        runner_up = self.runner_up
        return self.parent_kind == "entity" and runner_up is not None and runner_up.affinity == self.affinity

    def to_dict(self) -> dict[str, Any]:
        """The record of ``links.jsonl``; without a calibration it has neither probability nor answer."""
        record = asdict(self)
        if self.answer is None:
            del record["probability"], record["answer"]
        if self.discovery is None:
            del record["discovery"]
        return record

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Link:
        """The link of a record of ``links.jsonl``."""
        runner_up = record["runner_up"]
        return cls(**{**record, "runner_up": Candidate(**runner_up) if runner_up else None})


@dataclass(frozen=True, slots=True)
class Cluster:
    """Mentions that are one thing: a known entity, or a discovered one where ``entity`` is ``None``.

    ``name`` is the entity's; of a discovered cluster it is what most of its mentions say.
    """

    cluster: int
    entity: str | None
    name: str
    mentions: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """The record of ``clusters.jsonl``."""
        return asdict(self)


def clusters_of(links: Iterable[Link]) -> tuple[Cluster, ...]:
    """The clusters the links form, in the order of their numbers."""
    members: dict[int, list[Link]] = {}
    for link in links:
        members.setdefault(link.cluster, []).append(link)
    return tuple(
        Cluster(
            number, group[0].entity, group[0].name or _commonest(group), tuple(link.mention for link in group)
        )
        for number, group in sorted(members.items())
    )


def _commonest(links: list[Link]) -> str:
    """What most mentions say; of equals the longer, then the earlier."""
    counts = Counter(link.text for link in links)
    return max(counts, key=lambda text: (counts[text], len(text)))
