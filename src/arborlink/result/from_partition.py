"""Links and candidates of a partition: numbers become ids, names and texts."""

from __future__ import annotations

from collections.abc import Iterator

from arborlink.corpus import Corpus
from arborlink.knowledge_base import KnowledgeBase
from arborlink.partition import Partition
from arborlink.result.links import Candidate, Link
from arborlink.search import Neighbours


def links_of(corpus: Corpus, kb: KnowledgeBase, parts: Partition, near: Neighbours) -> Iterator[Link]:
    """The link of each mention, in corpus order.

    Args:
        corpus: the documents.
        kb: the knowledge base.
        parts: the partition of their neighbour graph.
        near: the nearest entities of each mention, at least two where there are as many.
    """
    for number, (document, mention) in enumerate(corpus.mentions):
        entity, parent = int(parts.entity[number]), int(parts.parent[number])
        in_kb = 0 <= parent < len(kb)
        if parent < 0:
            parent_id = None
        elif in_kb:
            parent_id = kb.entities[parent].id
        else:
            parent_id = corpus.mentions[parent - len(kb)][1].id
        yield Link(
            document=document.id,
            mention=mention.id,
            start=mention.start,
            end=mention.end,
            text=document.text_of(mention),
            entity=kb.entities[entity].id if entity >= 0 else None,
            name=kb.entities[entity].name if entity >= 0 else None,
            cluster=int(parts.cluster[number]),
            affinity=None if parent < 0 else float(-parts.weight[number]),
            parent=parent_id,
            parent_kind=None if parent < 0 else "entity" if in_kb else "mention",
            runner_up=_runner_up(kb, near, number, entity),
        )


def candidates_of(
    corpus: Corpus, kb: KnowledgeBase, near: Neighbours, k: int
) -> dict[str, tuple[Candidate, ...]]:
    """The k nearest entities of each mention, best first, by the mention's id."""
    return {
        mention.id: tuple(
            Candidate(kb.entities[item].id, kb.entities[item].name, affinity)
            for item, affinity in zip(
                near.items[number, :k].tolist(), near.affinities[number, :k].tolist(), strict=True
            )
            if item >= 0
        )
        for number, (_, mention) in enumerate(corpus.mentions)
    }


def _runner_up(kb: KnowledgeBase, near: Neighbours, number: int, entity: int) -> Candidate | None:
    for item, affinity in zip(
        near.items[number, :2].tolist(), near.affinities[number, :2].tolist(), strict=True
    ):
        if item >= 0 and item != entity:
            return Candidate(kb.entities[item].id, kb.entities[item].name, affinity)
    return None
