"""What decisions mean for the partition: statements about mentions and entities, by id."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from arborlink.partition import Constraints
from arborlink.workspace.decisions import Decision, decision_from_dict

Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Effects:
    """What one decision states, settled when it was made: later changes of a discovery do not change it.

    Args:
        together: pairs of mentions that are one thing.
        linked: (entity, mention): the mention is the entity.
        apart: pairs of mentions that are different things.
        unlinked: (entity, mention): the mention is not the entity.
        rejected: mentions that are nothing worth an entity.
        entity: the entity a promotion brought.
    """

    together: tuple[Pair, ...] = ()
    linked: tuple[Pair, ...] = ()
    apart: tuple[Pair, ...] = ()
    unlinked: tuple[Pair, ...] = ()
    rejected: tuple[str, ...] = ()
    entity: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Effects:
        """The effects of a record."""
        pairs = {
            name: tuple((str(one), str(other)) for one, other in record[name])
            for name in ("together", "linked", "apart", "unlinked")
        }
        return cls(**pairs, rejected=tuple(record["rejected"]), entity=record["entity"])

    @property
    def entities(self) -> set[str]:
        """Ids of entities that something is stated about."""
        return {entity for entity, _ in (*self.linked, *self.unlinked)}

    @property
    def mentions(self) -> tuple[str, ...]:
        """Ids of mentions that something is stated about, each once."""
        pairs = (each for pair in (*self.together, *self.apart) for each in pair)
        linked = (mention for _, mention in (*self.linked, *self.unlinked))
        return tuple(dict.fromkeys((*pairs, *linked, *self.rejected)))


@dataclass(frozen=True, slots=True)
class StoredDecision:
    """A decision as the workspace keeps it.

    Args:
        id: its number, from 1.
        version: of the workspace, with which it came into force.
        time: when, in UTC.
        author: who decided, if it was told.
        decision: what was decided.
        effects: what it states.
        undone_version: of the workspace, with which it was undone; ``None`` while it is in force.
        undone_time: when.
        undone_by: who did, if it was told.
    """

    id: int
    version: int
    time: str
    author: str | None
    decision: Decision
    effects: Effects
    undone_version: int | None = None
    undone_time: str | None = None
    undone_by: str | None = None

    @property
    def is_in_force(self) -> bool:
        """Whether it was not undone."""
        return self.undone_version is None

    def to_dict(self) -> dict[str, Any]:
        """The record of ``decisions.jsonl``."""
        return {
            "id": self.id,
            "version": self.version,
            "time": self.time,
            "author": self.author,
            "decision": self.decision.to_dict(),
            "effects": self.effects.to_dict(),
            "undone_version": self.undone_version,
            "undone_time": self.undone_time,
            "undone_by": self.undone_by,
        }

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> StoredDecision:
        """The decision of a record."""
        decision, effects = decision_from_dict(record["decision"]), Effects.from_dict(record["effects"])
        return cls(**{**record, "decision": decision, "effects": effects})


def in_force(decisions: Iterable[StoredDecision]) -> list[StoredDecision]:
    """The decisions that were not undone."""
    return [decision for decision in decisions if decision.is_in_force]


def constraints_of(
    effects: Iterable[Effects], mentions: Mapping[str, int], entities: Mapping[str, int]
) -> Constraints:
    """The statements as the partition takes them, with numbers for ids."""
    stated = list(effects)
    return Constraints(
        together=[(mentions[one], mentions[other]) for each in stated for one, other in each.together],
        linked=[(entities[entity], mentions[mention]) for each in stated for entity, mention in each.linked],
        apart=[(mentions[one], mentions[other]) for each in stated for one, other in each.apart],
        unlinked=[
            (entities[entity], mentions[mention]) for each in stated for entity, mention in each.unlinked
        ],
    )
