"""The knowledge base around a discovered cluster: its nearest entities, and the types it may have."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from arborlink.document import Mention
from arborlink.errors import InputError
from arborlink.knowledge_base import KnowledgeBase
from arborlink.proposals.proposal import NearEntity, TypesFrom, TypeShare
from arborlink.result import Candidate, Link

Kept = Mapping[str, Sequence[Candidate]] | None


def nearest_entities(links: Iterable[Link], kept: Kept, kb: KnowledgeBase) -> list[NearEntity]:
    """Every entity near to some mention of the cluster, by its best affinity; of equals in the order of the KB.

    Args:
        links: the cluster's.
        kept: the candidates of the result; without them only the nearest entity of each mention is known.
        kb: the knowledge base that was linked to.

    Raises:
        InputError: an entity is not in the knowledge base.
    """
    best: dict[str, tuple[float, str]] = {}
    for link in links:
        near = kept.get(link.mention, ()) if kept is not None else ()
        for candidate in near or ((link.runner_up,) if link.runner_up is not None else ()):
            if candidate.entity not in best or candidate.affinity > best[candidate.entity][0]:
                best[candidate.entity] = candidate.affinity, link.mention
    for entity in best:
        if entity not in kb:
            raise InputError(
                f"entity {entity!r}, near to a mention of the result, is not in the knowledge base; give the one "
                "that was linked to"
            )
    found = [
        NearEntity(entity, kb[entity].name, affinity, mention) for entity, (affinity, mention) in best.items()
    ]
    return sorted(found, key=lambda near: (-near.affinity, kb.index[near.entity]))


def likely_types(
    mentions: Iterable[Mention], near: Iterable[NearEntity], kb: KnowledgeBase
) -> tuple[tuple[TypeShare, ...], TypesFrom | None]:
    """Types with their shares, the largest first, and what they were taken from.

    Of mentions with types: the share of them that have the type. Where no mention has any: types of the nearest
    entities, each weighted by its affinity if that is above 0; the share is that of the type's entities in the
    weight of all entities with types. Several types of one mention or entity each count whole, and ``A|B`` is A and
    B, as in linking by type.
    """
    found = _shares((each.types, 1.0) for each in mentions)
    if found:
        return found, "mentions"
    found = _shares((kb[each.entity].types, each.affinity) for each in near if each.affinity > 0)
    return found, "nearest_entities" if found else None


def _shares(weighted: Iterable[tuple[tuple[str, ...], float]]) -> tuple[TypeShare, ...]:
    totals: dict[str, float] = {}
    whole = 0.0
    for given, weight in weighted:
        types = {part.strip() for each in given for part in each.split("|") if part.strip()}
        whole += weight if types else 0.0
        for each in types:
            totals[each] = totals.get(each, 0.0) + weight
    shares = [TypeShare(each, round(total / whole, 6)) for each, total in totals.items()]
    return tuple(sorted(shares, key=lambda share: (-share.share, share.type)))
