"""What commands do to a version, each inside one write transaction."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from arborlink.document import Document
from arborlink.entity import Entity
from arborlink.errors import InputError
from arborlink.workspace.changes import Changes
from arborlink.workspace.deciding import discoveries_named, effects_of, refuse_contradiction, refuse_stale
from arborlink.workspace.decisions import Decision, Promote
from arborlink.workspace.discoveries import proposal_of
from arborlink.workspace.effects import StoredDecision
from arborlink.workspace.encoding import with_vectors
from arborlink.workspace.growing import News, news, with_news
from arborlink.workspace.identities import stepped
from arborlink.workspace.lists import Lists
from arborlink.workspace.loading import endings_with, history_of
from arborlink.workspace.promoting import promoted_entity
from arborlink.workspace.session import Session, Write, next_version
from arborlink.workspace.settings import WorkspaceSettings
from arborlink.workspace.snapshot import Snapshot
from arborlink.workspace.vectors import VectorTable


def add(
    session: Session, write: Write, documents: Iterable[Document], entities: Iterable[Entity], command: str
) -> Changes:
    """Add what is new; without any news there is no new version."""
    found = news(write.before, documents, entities)
    if not found:
        return Changes(
            write.before.version,
            skipped_documents=found.skipped_documents,
            skipped_entities=found.skipped_entities,
        )
    after = with_news(write.before, found)
    fresh = range(len(write.before.entities), len(after.entities))
    after = with_vectors(
        after, len(write.before.documents), fresh, session.same_linker(write.before.settings)
    )
    step = stepped(write.before, after, write.time)
    return write.save(step, command, **_told(found))


def reencode(session: Session, write: Write, settings: WorkspaceSettings) -> Changes:
    """Encode and search everything anew; ids of discoveries are kept by overlap."""
    before = write.before
    is_same_model = settings.fingerprint == before.settings.fingerprint
    nothing = np.empty(0, dtype=np.int32)
    after = next_version(before).but(
        settings=settings,
        mention_vectors=before.mention_vectors if is_same_model else VectorTable(),
        entity_vectors=before.entity_vectors if is_same_model else VectorTable(),
        mention_rows=nothing,
        entity_rows=nothing.copy(),
        entity_offsets=np.zeros(len(before.entities) + 1, dtype=np.int64),
        lists=Lists.empty(settings.candidates, settings.n_others),
    )
    after = with_vectors(after, 0, np.flatnonzero(before.is_active).tolist(), session.linker(settings.choice))
    return write.save(stepped(before, after, write.time), "reencode")


def decide(
    session: Session, write: Write, decision: Decision, author: str | None, if_version: int | None
) -> Changes:
    """Make a decision; it is refused if it contradicts others or is about what has changed."""
    before = write.before
    if if_version is not None:
        happened = [
            event for id_ in discoveries_named(decision) for event in history_of(write.connection, id_)
        ]
        refuse_stale(before, decision, if_version, happened)
    effects = effects_of(before, decision)
    after = next_version(before)
    fresh: list[int] = []
    if isinstance(decision, Promote):
        after, fresh = _with_promoted(after, decision)
    refuse_contradiction(after, effects)
    if fresh:
        after = with_vectors(after, len(before.documents), fresh, session.same_linker(before.settings))
    number = 1 + max((each.id for each in before.decisions), default=0)
    stored = StoredDecision(number, after.version, write.time, author, decision, effects)
    after = after.but(decisions=(*before.decisions, stored))
    promoted = {decision.discovery: decision.discovery} if isinstance(decision, Promote) else None
    step = stepped(before, after, write.time, promoted=promoted)
    return write.save(step, f"decide {decision.kind}", decision=number, n_entities=len(fresh))


def undo(session: Session, write: Write, number: int | None, author: str | None) -> Changes:
    """Undo a decision, the last one in force if none is named."""
    before = write.before
    stored = _to_undo(before, number)
    undone = replace(stored, undone_version=before.version + 1, undone_time=write.time, undone_by=author)
    decisions = tuple(undone if each is stored else each for each in before.decisions)
    after = next_version(before).but(decisions=decisions)
    if stored.effects.entity is not None:
        is_active = before.is_active.copy()
        is_active[before.all_entities.index[stored.effects.entity]] = False
        after = after.but(is_active=is_active)
        after = with_vectors(after, len(before.documents), (), session.same_linker(before.settings))
    ended = endings_with(write.connection, stored.version)
    step = stepped(before, after, write.time, ended=ended)
    return write.save(step, f"undo {stored.decision.kind}", decision=stored.id)


def _told(found: News) -> dict[str, Any]:
    return {
        "skipped_documents": found.skipped_documents,
        "skipped_entities": found.skipped_entities,
        "n_documents": len(found.documents),
        "n_mentions": sum(len(document.mentions) for document in found.documents),
        "n_entities": len(found.entities),
    }


def _with_promoted(after: Snapshot, decision: Promote) -> tuple[Snapshot, list[int]]:
    """The version with the new entity, under a new number or the one it had before its promotion was undone."""
    proposal = proposal_of(after, decision.discovery, top=5, context=120).proposal
    entity = promoted_entity(decision, proposal)
    entities, is_active = list(after.entities), after.is_active.tolist()
    number = after.all_entities.index.get(entity.id, len(entities))
    entities[number:], is_active[number:] = (
        [entity, *entities[number + 1 :]],
        [True, *is_active[number + 1 :]],
    )
    return after.but(entities=tuple(entities), is_active=np.array(is_active, dtype=bool)), [number]


def _to_undo(before: Snapshot, number: int | None) -> StoredDecision:
    if number is None:
        if not before.decisions_in_force:
            raise InputError("there is no decision in force to undo")
        stored = before.decisions_in_force[-1]
    else:
        known = {each.id: each for each in before.decisions}
        if number not in known:
            raise InputError(f"there is no decision {number}; the last one is {max(known, default=0)}")
        stored = known[number]
    if not stored.is_in_force:
        raise InputError(f"decision {stored.id} was undone already, with version {stored.undone_version}")
    entity = stored.effects.entity
    if entity is not None:
        others = [
            each.id
            for each in before.decisions_in_force
            if each is not stored and entity in each.effects.entities
        ]
        if others:
            raise InputError(
                f"decision {stored.id} brought the entity {entity}, which decision "
                f"{' and '.join(map(str, others))} is about; undo that first"
            )
    return stored
