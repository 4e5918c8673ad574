"""From a result to its proposals."""

from __future__ import annotations

import operator
from collections.abc import Sequence

from arborlink.corpus import Corpus
from arborlink.errors import InputError
from arborlink.knowledge_base import KnowledgeBase
from arborlink.proposals.evidence import Member, coherence_of, evidence_of
from arborlink.proposals.naming import name_of
from arborlink.proposals.nearest import Kept, likely_types, nearest_entities
from arborlink.proposals.proposal import Proposal
from arborlink.proposals.value import value_of
from arborlink.result import Link, Result


def proposals(
    result: Result, corpus: Corpus, kb: KnowledgeBase, top: int = 5, context: int = 80
) -> list[Proposal]:
    """Every discovered cluster of a result as a proposal, the most valuable first.

    The same input gives the same proposals, in the same order.

    Args:
        result: what ``Linker.link`` returned, or a result that was read. If it keeps candidates, the nearest
            entities are taken from them; otherwise each mention knows its nearest one only.
        corpus: the documents that were linked.
        kb: the knowledge base they were linked to.
        top: evidence mentions and nearest entities to give for each proposal, at most.
        context: characters to show on each side of an evidence mention, at most.

    Raises:
        InputError: an argument below 0, or documents or a knowledge base that the result was not made from.

    Example::

        result = Linker.load().link(corpus, kb, threshold=0.5, candidates=8)
        for proposal in proposals(result, corpus, kb):
            print(proposal.name, proposal.n_documents, proposal.nearest[0].name)
    """
    for name, given in (("top", top), ("context", context)):
        if operator.index(given) < 0:
            raise InputError(f"{name} is {given}; expected 0 or more")
    members: dict[int, list[Member]] = {}
    for link in result.links:
        if link.entity is None:
            members.setdefault(link.cluster, []).append(_member(link, corpus))
    kept = result.candidates if members else None
    found = [_proposal(cluster, group, kept, kb, top, context) for cluster, group in members.items()]
    return sorted(found, key=lambda proposal: (-proposal.value, proposal.cluster))


def _member(link: Link, corpus: Corpus) -> Member:
    """The link with its document and mention, if these are still what was linked."""
    number = corpus.mention_index.get(link.mention)
    if number is None:
        raise InputError(
            f"mention {link.mention!r} of the result is not in the documents; give the documents that were linked"
        )
    document, mention = corpus.mentions[number]
    found = (document.id, mention.start, mention.end, document.text_of(mention))
    linked = (link.document, link.start, link.end, link.text)
    if found != linked:
        raise InputError(
            f"mention {link.mention!r} is {_place(*found)} in the documents and was {_place(*linked)} when it was "
            "linked; give the documents that were linked"
        )
    return link, document, mention


def _place(document: str, start: int, end: int, text: str) -> str:
    return f"{text!r} at {start}..{end} of document {document!r}"


def _proposal(
    cluster: int, members: Sequence[Member], kept: Kept, kb: KnowledgeBase, top: int, context: int
) -> Proposal:
    links = [link for link, _, _ in members]
    naming = name_of(link.text for link in links)
    near = nearest_entities(links, kept, kb)
    types, types_from = likely_types((mention for _, _, mention in members), near, kb)
    documents = tuple(dict.fromkeys(link.document for link in links))
    coherence = coherence_of(links)
    return Proposal(
        cluster=cluster,
        name=naming.name,
        name_reason=naming.reason,
        aliases=naming.aliases,
        types=types,
        types_from=types_from,
        n_mentions=len(links),
        n_documents=len(documents),
        documents=documents,
        mentions=tuple(link.mention for link in links),
        evidence=evidence_of(members, top, context),
        nearest=tuple(near[:top]),
        coherence=coherence,
        value=value_of(
            len(documents),
            len(links),
            None if coherence is None else coherence.mean,
            near[0].affinity if near else None,
        ),
    )
