"""From a decision to what it states, refused where it cannot hold."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from arborlink.errors import ConflictError, InputError
from arborlink.partition import contradictions
from arborlink.workspace.changes import HistoryEvent
from arborlink.workspace.decisions import (
    Apart,
    Decision,
    Merge,
    Promote,
    Reject,
    Relink,
    Split,
    Together,
    Unlink,
)
from arborlink.workspace.effects import Effects, Pair, constraints_of
from arborlink.workspace.snapshot import Snapshot


def effects_of(snapshot: Snapshot, decision: Decision) -> Effects:
    """What a decision states about the mentions that are concerned now.

    Raises:
        InputError: it names what is not there, or states nothing.
    """
    match decision:
        case Promote(discovery=id_):
            members = _members(snapshot, id_)
            return Effects(linked=tuple((id_, mention) for mention in members), entity=id_)
        case Reject(discovery=id_):
            return Effects(rejected=_members(snapshot, id_))
        case Merge(ids=ids):
            return _merged(snapshot, ids)
        case Split(discovery=id_, mentions=mentions):
            return _split(snapshot, id_, mentions)
        case Together(mentions=mentions):
            return Effects(together=_chain(_several(snapshot, mentions, "together")))
        case Apart(one=one, other=other):
            first, second = _several(snapshot, (one, other), "apart")
            return Effects(apart=((first, second),))
        case Relink(mention=mention, entity=entity):
            return Effects(linked=((_entity(snapshot, entity), _mention(snapshot, mention)),))
        case Unlink(mention=mention, entity=entity):
            return Effects(unlinked=((_entity(snapshot, entity), _mention(snapshot, mention)),))


def refuse_contradiction(snapshot: Snapshot, effects: Effects) -> None:
    """Refuse what cannot hold together with the decisions in force.

    Args:
        snapshot: with the entity of a promotion among its entities.
        effects: what is about to be stated.

    Raises:
        InputError: naming the decisions it contradicts.
    """
    stored = snapshot.decisions_in_force
    mentions, entities = snapshot.corpus.mention_index, snapshot.all_entities.index
    found = contradictions(constraints_of([*(each.effects for each in stored), effects], mentions, entities))
    if not found:
        return
    told = found[0].told(
        mention=lambda number: repr(snapshot.mention_ids[number]),
        entity=lambda number: repr(snapshot.entities[number].id),
    )
    concerned = {
        mention for statement in found[0].statements for mention in _mentions_of(snapshot, statement)
    }
    blamed = [each.id for each in stored if concerned & set(each.effects.mentions)]
    undo = f"; undo decision {' or '.join(map(str, blamed))} first" if blamed else ""
    raise InputError(f"the decision contradicts what was decided: {told}{undo}")


def refuse_stale(
    snapshot: Snapshot, decision: Decision, if_version: int, happened: Iterable[HistoryEvent]
) -> None:
    """Refuse a decision about what has changed since version ``if_version``.

    Raises:
        ConflictError: telling what changed.
    """
    changes = tuple(str(event) for event in happened if event.version > if_version)
    current = 0
    for id_ in discoveries_named(decision):
        if id_ in snapshot.discovery_versions:
            current = max(current, snapshot.discovery_versions[id_])
        elif id_ not in snapshot.all_entities:
            current = max(current, snapshot.version)
    for mention in _mentions_named(decision):
        number = snapshot.corpus.mention_index.get(mention)
        if number is not None and int(snapshot.parts.changed[number]) > if_version:
            kind, id_ = snapshot.place_of(number)
            current = max(current, int(snapshot.parts.changed[number]))
            changes += (f"{mention} is now in {kind} {id_}",)
    if current > if_version:
        told = "; ".join(changes) or "it is gone"
        raise ConflictError(
            f"this has changed since version {if_version}: {told}; look again and decide anew",
            current,
            changes,
        )


def discoveries_named(decision: Decision) -> tuple[str, ...]:
    """Ids of the discoveries, or entities, a decision is about as wholes."""
    match decision:
        case Promote(discovery=id_) | Reject(discovery=id_) | Split(discovery=id_):
            return (id_,)
        case Merge(ids=ids):
            return ids
        case _:
            return ()


def _mentions_named(decision: Decision) -> tuple[str, ...]:
    match decision:
        case Together(mentions=mentions):
            return mentions
        case Apart(one=one, other=other):
            return one, other
        case Relink(mention=mention) | Unlink(mention=mention):
            return (mention,)
        case _:
            return ()


def _mentions_of(snapshot: Snapshot, statement: tuple[str, int, int | None]) -> list[str]:
    kind, one, other = statement
    numbers = [other] if kind in ("linked", "unlinked") else [one, other]
    return [snapshot.mention_ids[number] for number in numbers if number is not None]


def _merged(snapshot: Snapshot, ids: Sequence[str]) -> Effects:
    entities = [id_ for id_ in ids if id_ not in snapshot.members and id_ in snapshot.kb]
    discoveries = [id_ for id_ in ids if id_ not in entities]
    if len(set(ids)) != len(ids) or len(ids) < 2:
        raise InputError(f"merge names {', '.join(ids) or 'nothing'}; expected two different ids or more")
    if len(entities) > 1:
        raise InputError(
            f"{entities[0]} and {entities[1]} are both entities of the knowledge base; a merge takes one at most"
        )
    members = [mention for id_ in discoveries for mention in _members(snapshot, id_)]
    if entities:
        return Effects(linked=tuple((entities[0], mention) for mention in members))
    return Effects(together=_chain(members))


def _split(snapshot: Snapshot, id_: str, mentions: Sequence[str]) -> Effects:
    members = _members(snapshot, id_)
    chosen = list(dict.fromkeys(mentions))
    for mention in chosen:
        if mention not in members:
            raise InputError(f"mention {mention!r} is not in {id_}; a split takes mentions of the discovery")
    rest = [mention for mention in members if mention not in set(chosen)]
    if not chosen or not rest:
        raise InputError(
            f"the split takes {len(chosen)} of the {len(members)} mentions of {id_}; expected some, not all"
        )
    # the chosen are held together, so one of them stands for all
    return Effects(together=_chain(chosen), apart=tuple((chosen[0], mention) for mention in rest))


def _chain(mentions: Sequence[str]) -> tuple[Pair, ...]:
    return tuple(pairwise(mentions))


def _members(snapshot: Snapshot, id_: str) -> tuple[str, ...]:
    if id_ not in snapshot.members:
        is_known = id_ in snapshot.kb if snapshot.entities else False
        what = (
            "is an entity of the knowledge base" if is_known else "is not a discovery of this workspace now"
        )
        raise InputError(f"{id_} {what}; `arborlink workspace status` and the history of the id tell more")
    return tuple(snapshot.mention_ids[number] for number in snapshot.members[id_])


def _several(snapshot: Snapshot, mentions: Sequence[str], what: str) -> list[str]:
    distinct = list(dict.fromkeys(_mention(snapshot, mention) for mention in mentions))
    if len(distinct) < 2:
        raise InputError(f"{what} names {len(distinct)} mention; expected two different ones or more")
    return distinct


def _mention(snapshot: Snapshot, id_: str) -> str:
    if id_ not in snapshot.corpus.mention_index:
        raise InputError(f"there is no mention {id_!r} in the workspace")
    return id_


def _entity(snapshot: Snapshot, id_: str) -> str:
    if id_ not in snapshot.kb:
        raise InputError(f"there is no entity {id_!r} in the knowledge base of the workspace")
    return id_
