"""What the page shows, as columns of plain values: small when packed, quick to read in a browser.

Documents, mentions and clusters are numbered. Mentions stand in the order of their documents, clusters with the
discovered ones first and the larger first among equals; everything else points at them by number.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from arborlink.corpus import Corpus
from arborlink.errors import InputError
from arborlink.knowledge_base import KnowledgeBase
from arborlink.proposals.naming import name_of
from arborlink.report.offsets import utf16_offsets
from arborlink.result import Cluster, Link, Result

NO_PARENT, ENTITY_PARENT = -2, -1
_LONGEST_ABOUT = 400
_MOST_ALIASES = 8


def columns_of(result: Result, corpus: Corpus | None, kb: KnowledgeBase | None) -> dict[str, Any]:
    """Documents, mentions and clusters of a result.

    Args:
        result: the links.
        corpus: the documents that were linked; without them mentions have no surroundings.
        kb: the knowledge base they were linked to; without it entities have a name, and nothing more.

    Raises:
        InputError: the documents are not those that were linked.
    """
    if corpus is not None:
        check_documents(result, corpus)
    by_document: dict[str, list[Link]] = {} if corpus is None else {document.id: [] for document in corpus}
    for link in result.links:
        by_document.setdefault(link.document, []).append(link)
    ordered = [link for links in by_document.values() for link in links]
    clusters = _in_order(result.clusters)
    texts = None if corpus is None else [document.text for document in corpus]
    return {
        "documents": {
            "id": list(by_document),
            "n_mentions": [len(links) for links in by_document.values()],
            "text": texts,
        },
        "mentions": _mentions(ordered, clusters)
        | _places(list(by_document.values()), texts)
        | ({"text": [link.text for link in ordered]} if texts is None else {}),
        "clusters": _clusters(clusters, result, kb),
        "near_names": _near_names(ordered),
    }


def check_documents(result: Result, corpus: Corpus) -> None:
    """Stop where documents are not those that were linked.

    Raises:
        InputError: a mention is missing, or says something else.
    """
    for link in result.links:
        number = corpus.mention_index.get(link.mention)
        if number is None:
            raise InputError(
                f"mention {link.mention!r} of the result is not in the documents; give the documents that were linked"
            )
        document, mention = corpus.mentions[number]
        found = (document.id, mention.start, mention.end, document.text_of(mention))
        if found != (link.document, link.start, link.end, link.text):
            raise InputError(
                f"mention {link.mention!r} says {found[3]!r} in the documents and said {link.text!r} when it was "
                "linked; give the documents that were linked"
            )


def _in_order(clusters: Sequence[Cluster]) -> list[Cluster]:
    """Discovered ones first, then by size."""
    return sorted(clusters, key=lambda each: (each.entity is not None, -len(each.mentions), each.cluster))


def _mentions(links: Sequence[Link], clusters: Sequence[Cluster]) -> dict[str, list[Any]]:
    cluster_numbers = {cluster.cluster: number for number, cluster in enumerate(clusters)}
    numbers = {link.mention: number for number, link in enumerate(links)}
    near = {name: number for number, name in enumerate(_near_names(links))}
    columns: dict[str, list[Any]] = {
        "id": [link.mention for link in links],
        "cluster": [cluster_numbers[link.cluster] for link in links],
        "parent": [_parent(link, numbers) for link in links],
        "affinity": [_short(link.affinity) for link in links],
        "near": [-1 if link.runner_up is None else near[_near_name(link)] for link in links],
        "near_affinity": [
            None if link.runner_up is None else _short(link.runner_up.affinity) for link in links
        ],
    }
    return columns | _answers(links)


def _parent(link: Link, numbers: Mapping[str, int]) -> int:
    if link.parent is None:
        return NO_PARENT
    return ENTITY_PARENT if link.parent_kind == "entity" else numbers[link.parent]


def _answers(links: Sequence[Link]) -> dict[str, list[Any]]:
    """How sure links are, where a calibration says."""
    if all(link.answer is None for link in links):
        return {}
    return {
        "probability": [_short(link.probability) for link in links],
        "answer": [link.answer for link in links],
    }


def _places(by_document: Sequence[Sequence[Link]], texts: Sequence[str] | None) -> dict[str, list[int]]:
    """Where mentions stand in their text; without texts nothing could be done with it."""
    if texts is None:
        return {}
    start: list[int] = []
    end: list[int] = []
    for text, links in zip(texts, by_document, strict=True):
        start += utf16_offsets(text, [link.start for link in links])
        end += utf16_offsets(text, [link.end for link in links])
    return {"start": start, "end": end}


def _clusters(clusters: Sequence[Cluster], result: Result, kb: KnowledgeBase | None) -> dict[str, list[Any]]:
    known = [None if kb is None or each.entity not in kb else kb[each.entity or ""] for each in clusters]
    return {
        "name": [each.name if each.entity is not None else _new_name(each, result) for each in clusters],
        "entity": [each.entity for each in clusters],
        "about": ["" if entity is None else _cut(entity.description) for entity in known],
        "types": [[] if entity is None else list(entity.types) for entity in known],
        "aliases": [[] if entity is None else list(entity.aliases[:_MOST_ALIASES]) for entity in known],
    }


def _new_name(cluster: Cluster, result: Result) -> str:
    """The name that ``arborlink propose`` gives it."""
    return name_of(result[mention].text for mention in cluster.mentions).name


def _near_names(links: Sequence[Link]) -> list[str]:
    return list(dict.fromkeys(_near_name(link) for link in links if link.runner_up is not None))


def _near_name(link: Link) -> str:
    assert link.runner_up is not None
    return link.runner_up.name or link.runner_up.entity


def _short(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_ABOUT else text[: _LONGEST_ABOUT - 1].rstrip() + "…"
