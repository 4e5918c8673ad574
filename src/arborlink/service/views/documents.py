"""Documents with their mentions, and why a mention is where it is."""

from __future__ import annotations

from arborlink.report.offsets import utf16_offsets
from arborlink.result import Candidate
from arborlink.result.explanation import explain
from arborlink.service.look import Look, paged, title_of
from arborlink.service.problems import not_found
from arborlink.service.shapes.documents import (
    DocumentAnswer,
    DocumentItem,
    DocumentPage,
    Near,
    PathRoot,
    PathStep,
    PlacedMention,
    WhyAnswer,
)
from arborlink.workspace.links import result_of

_N_BEGINNING = 160


def document_page(look: Look, search: str, page: int, per_page: int) -> DocumentPage:
    """A page of the documents that hold every word of a search, in the order they came."""
    words = search.casefold().split()
    numbers = [
        number
        for number, document in enumerate(look.snapshot.documents)
        if not words or _holds(f"{document.id}\n{document.text}".casefold(), words)
    ]
    shown, told = paged(numbers, page, per_page)
    items = [_item(look, number) for number in shown]
    return DocumentPage(items=items, version=look.version, **told)


def document_answer(look: Look, id_: str) -> DocumentAnswer:
    """A document with its mentions."""
    number = look.documents.get(id_)
    if number is None:
        raise not_found(f"there is no document {id_!r}")
    documents = look.snapshot.documents
    return DocumentAnswer(
        version=look.version,
        id=id_,
        title=title_of(documents[number]),
        text=documents[number].text,
        previous=documents[number - 1].id if number else None,
        next=documents[number + 1].id if number + 1 < len(documents) else None,
        mentions=_mentions(look, number),
    )


def why_answer(look: Look, mention: str) -> WhyAnswer:
    """The path that put a mention where it is."""
    snapshot = look.snapshot
    number = snapshot.corpus.mention_index.get(mention)
    if number is None:
        raise not_found(f"there is no mention {mention!r}")
    place = look.place_of(number)
    path = _path(look, number)
    result = result_of(snapshot, path)
    links = {link.mention: link for link in result.links}
    found = explain(links, mention, {links[mention].cluster: place.name})
    titles = {
        document.id: title_of(document) for document, _ in map(snapshot.corpus.mentions.__getitem__, path)
    }
    steps = [
        PathStep(
            step.mention,
            step.document,
            titles[step.document],
            step.text,
            step.affinity,
            at == found.bottleneck and len(found.steps) > 1,
        )
        for at, step in enumerate(found.steps)
    ]
    root = (
        PathRoot("entity", found.root, place.name)
        if found.entity is not None
        else PathRoot("mention", found.root, links[found.root].text)
    )
    candidates = (result.candidates or {}).get(mention, ())
    return WhyAnswer(
        version=look.version,
        mention=mention,
        document=links[mention].document,
        text=found.text,
        place=place,
        root=root,
        steps=steps,
        bottleneck=found.bottleneck,
        runner_up=None if found.runner_up is None else near_of(found.runner_up),
        candidates=[near_of(each) for each in candidates],
        told=str(found),
    )


def near_of(candidate: Candidate) -> Near:
    """An entity and its affinity."""
    return Near(candidate.entity, candidate.name or candidate.entity, candidate.affinity)


def _path(look: Look, number: int) -> list[int]:
    """Numbers of the mentions from one up to the top of its tree."""
    parts, n_entities = look.snapshot.parts, len(look.snapshot.entities)
    path = [number]
    while (parent := int(parts.parent[path[-1]])) >= n_entities:
        path.append(parent - n_entities)
    return path


def _holds(text: str, words: list[str]) -> bool:
    return all(word in text for word in words)


def _item(look: Look, number: int) -> DocumentItem:
    document = look.snapshot.documents[number]
    index = look.snapshot.corpus.mention_index
    n_linked = sum(bool(look.snapshot.parts.entity[index[each.id]] >= 0) for each in document.mentions)
    return DocumentItem(
        id=document.id,
        title=title_of(document),
        n_mentions=len(document.mentions),
        n_linked=n_linked,
        n_discovered=len(document.mentions) - n_linked,
        beginning=document.text[:_N_BEGINNING],
    )


def _mentions(look: Look, number: int) -> list[PlacedMention]:
    snapshot = look.snapshot
    document = snapshot.documents[number]
    numbers = [snapshot.corpus.mention_index[mention.id] for mention in document.mentions]
    starts = utf16_offsets(document.text, [mention.start for mention in document.mentions])
    ends = utf16_offsets(document.text, [mention.end for mention in document.mentions])
    links = result_of(snapshot, numbers).links
    return [
        PlacedMention(
            mention=mention.id,
            start=mention.start,
            end=mention.end,
            utf16_start=start,
            utf16_end=end,
            text=link.text,
            types=mention.types,
            place=look.place_of(place),
            affinity=link.affinity,
            parent=link.parent,
            parent_kind=link.parent_kind,
            is_decided=bool(snapshot.parts.decided[place]),
        )
        for mention, link, place, start, end in zip(
            document.mentions, links, numbers, starts, ends, strict=True
        )
    ]
