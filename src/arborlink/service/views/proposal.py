"""All about one proposal: evidence, the nearest entities, the tree of its mentions, a draft of the entity."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields

from arborlink.proposals import NearEntity, Proposal
from arborlink.service.look import CONTEXT, Look, title_of
from arborlink.service.queue import Queued
from arborlink.service.shapes.review import (
    Draft,
    EvidenceItem,
    NearestEntity,
    ProposalAnswer,
    QueueItem,
    Tree,
    TreeNode,
    TreeRoot,
)
from arborlink.service.views.changes import event_item
from arborlink.service.views.proposals import queue_item, rejecting_decisions
from arborlink.workspace import HistoryEvent, Promote
from arborlink.workspace.discoveries import proposal_of
from arborlink.workspace.promoting import promoted_entity

MOST_NODES = 1000
_N_SHOWN = 9
_LONGEST_ABOUT = 600
_MOST_ALIASES = 12
# What a promotion itself is drawn from; see arborlink.workspace.commands.
_DRAFT_TOP, _DRAFT_CONTEXT = 5, 120


def proposal_answer(look: Look, item: Queued, history: Sequence[HistoryEvent]) -> ProposalAnswer:
    """The proposal for a live discovery.

    Args:
        look: the version.
        item: the discovery in its queue.
        history: what happened to it.
    """
    snapshot = look.snapshot
    found = proposal_of(snapshot, item.id, _N_SHOWN, CONTEXT).proposal
    rejection = rejecting_decisions(look).get(item.id) if item.is_rejected else None
    queued = queue_item(look, item, rejection)
    return ProposalAnswer(
        **{field.name: getattr(queued, field.name) for field in fields(QueueItem)},
        name_reason=found.name_reason,
        aliases=found.aliases,
        types_from=found.types_from,
        documents=found.documents,
        evidence=_evidence(look, found),
        nearest_entities=[_nearest(look, near) for near in found.nearest],
        tree=tree_of(look, item.name, True, snapshot.members[item.id]),
        draft=_draft(look, item.id),
        history=[event_item(look, event) for event in history],
    )


def tree_of(look: Look, name: str, is_new: bool, members: Sequence[int]) -> Tree:
    """The arborescence of a cluster; of a large one the part that hangs together nearest to the top.

    Args:
        look: the version.
        name: of the entity.
        is_new: whether it is discovered.
        members: numbers of its mentions, in corpus order.
    """
    parts, n_entities = look.snapshot.parts, len(look.snapshot.entities)
    shown = members if len(members) <= MOST_NODES else _nearest_to_top(look, members)
    places = {number: place for place, number in enumerate(shown)}
    nodes = []
    for number in shown:
        said = look.in_context(number)
        parent = int(parts.parent[number])
        is_decided = bool(parts.decided[number])
        nodes.append(
            TreeNode(
                said.mention,
                said.document,
                said.title,
                said.before,
                said.text,
                said.after,
                parent=places.get(parent - n_entities),
                affinity=None if parent < 0 or is_decided else float(-parts.weight[number]),
                is_decided=is_decided,
            )
        )
    return Tree(TreeRoot(name, is_new), nodes, len(members) - len(shown))


def _nearest_to_top(look: Look, members: Sequence[int]) -> list[int]:
    parts, n_entities = look.snapshot.parts, len(look.snapshot.entities)
    children: dict[int, list[int]] = {}
    for number in members:
        children.setdefault(int(parts.parent[number]) - n_entities, []).append(number)
    inside = set(members)
    reached = [number for parent, own in children.items() if parent not in inside for number in own]
    for number in reached:
        if len(reached) >= MOST_NODES:
            break
        reached += children.get(number, [])
    return sorted(reached[:MOST_NODES])


def _evidence(look: Look, proposal: Proposal) -> list[EvidenceItem]:
    titles = {id_: title_of(look.snapshot.documents[look.documents[id_]]) for id_ in proposal.documents}
    return [
        EvidenceItem(
            each.mention,
            each.document,
            titles[each.document],
            each.before,
            each.text,
            each.after,
            each.n_edges,
            each.affinity,
        )
        for each in proposal.evidence
    ]


def _nearest(look: Look, near: NearEntity) -> NearestEntity:
    snapshot = look.snapshot
    number = snapshot.all_entities.index[near.entity]
    entity = snapshot.entities[number]
    document, mention = snapshot.corpus.mentions[snapshot.corpus.mention_index[near.mention]]
    return NearestEntity(
        entity=entity.id,
        name=entity.name,
        affinity=near.affinity,
        mention=mention.id,
        mention_text=document.text_of(mention),
        aliases=entity.aliases[:_MOST_ALIASES],
        types=entity.types,
        description=entity.description[:_LONGEST_ABOUT],
        n_mentions=look.n_linked[number],
    )


def _draft(look: Look, discovery: str) -> Draft:
    proposal = proposal_of(look.snapshot, discovery, _DRAFT_TOP, _DRAFT_CONTEXT).proposal
    entity = promoted_entity(Promote(discovery), proposal)
    return Draft(entity.name, entity.aliases, entity.types, entity.description)
