"""Links and candidates of a version, as linking everything at once gives them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from arborlink.result import Candidate, Link, Result
from arborlink.search import Neighbours
from arborlink.workspace.snapshot import Snapshot
from arborlink.workspace.stable_ids import format_id


def result_of(snapshot: Snapshot, numbers: Iterable[int] | None = None) -> Result:
    """The result of all mentions, or of some by their numbers.

    An edge that a decision made has a parent and no affinity.
    """
    chosen = range(snapshot.parts.n_mentions) if numbers is None else list(numbers)
    near = _near(snapshot)
    links = [_link(snapshot, near, number) for number in chosen]
    candidates = {
        snapshot.mention_ids[number]: tuple(_candidates(snapshot, near, number, snapshot.settings.candidates))
        for number in chosen
    }
    return Result(links, _settings(snapshot), candidates)


def _near(snapshot: Snapshot) -> Neighbours:
    """Lists of leaders, in six digits."""
    lists = snapshot.lists
    return Neighbours(lists.near_items, np.round(lists.near_affinities, 6))


def _link(snapshot: Snapshot, near: Neighbours, number: int) -> Link:
    parts, entities = snapshot.parts, snapshot.entities
    document, mention = snapshot.corpus.mentions[number]
    entity, parent = int(parts.entity[number]), int(parts.parent[number])
    in_kb = 0 <= parent < len(entities)
    first_two = _candidates(snapshot, near, number, 2)
    own = entities[entity].id if entity >= 0 else None
    return Link(
        document=document.id,
        mention=mention.id,
        start=mention.start,
        end=mention.end,
        text=document.text_of(mention),
        entity=own,
        name=entities[entity].name if entity >= 0 else None,
        cluster=int(parts.cluster[number]),
        affinity=None if parent < 0 or parts.decided[number] else float(-parts.weight[number]),
        parent=None if parent < 0 else _id_of(snapshot, parent),
        parent_kind=None if parent < 0 else "entity" if in_kb else "mention",
        runner_up=next((each for each in first_two if each.entity != own), None),
        discovery=format_id(int(parts.discovery[number])) if entity < 0 else None,
    )


def _id_of(snapshot: Snapshot, node: int) -> str:
    n_entities = len(snapshot.entities)
    return snapshot.entities[node].id if node < n_entities else snapshot.mention_ids[node - n_entities]


def _candidates(snapshot: Snapshot, near: Neighbours, number: int, k: int) -> list[Candidate]:
    place = int(snapshot.lists.leader[number])
    pairs = zip(near.items[place, :k].tolist(), near.affinities[place, :k].tolist(), strict=True)
    return [
        Candidate(snapshot.entities[item].id, snapshot.entities[item].name, affinity)
        for item, affinity in pairs
        if item >= 0
    ]


def _settings(snapshot: Snapshot) -> dict[str, Any]:
    """What :meth:`arborlink.linker.Linker.link` says about a result, less times; and the version."""
    settings, inference = snapshot.settings, snapshot.settings.inference
    return {
        "model": settings.model,
        "encoder": settings.fingerprint,
        "inference": inference.mode,
        "neighbours": min(settings.n_others, max(0, snapshot.corpus.n_mentions - 1)),
        "threshold": inference.threshold,
        "detour": settings.detour,
        "by_type": inference.by_type,
        "candidates": settings.candidates,
        "n_documents": len(snapshot.documents),
        "n_mentions": snapshot.corpus.n_mentions,
        "n_entities": int(snapshot.is_active.sum()),
        "n_linked": int((snapshot.parts.entity >= 0).sum()),
        "n_discovered": len(snapshot.members),
        "workspace_version": snapshot.version,
        "n_decisions": len(snapshot.decisions_in_force),
    }
