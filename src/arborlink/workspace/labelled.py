"""Decisions as training data: documents whose mentions have the labels that were decided."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from arborlink.document import Document
from arborlink.workspace.snapshot import Snapshot


def labelled_documents(snapshot: Snapshot) -> Iterator[Document]:
    """Documents with a mention that was decided about; their other mentions have no label.

    A mention that was linked has its entity; mentions that are one thing share the label of the entity, or of the
    discovery the first of them is in; a rejected mention is known to be in no knowledge base.
    """
    labels = decided_labels(snapshot)
    for document in snapshot.documents:
        if any(mention.id in labels for mention in document.mentions):
            mentions = (replace(each, entities=labels.get(each.id)) for each in document.mentions)
            yield replace(document, mentions=tuple(mentions))


def decided_labels(snapshot: Snapshot) -> dict[str, tuple[str, ...]]:
    """What the decisions in force say about mentions, by their ids."""
    stated = [stored.effects for stored in snapshot.decisions_in_force]
    labels: dict[str, tuple[str, ...]] = {mention: () for each in stated for mention in each.rejected}
    groups = _groups([pair for each in stated for pair in each.together])
    entities = {mention: entity for each in stated for entity, mention in each.linked}
    labels.update((mention, (entity,)) for mention, entity in entities.items())
    for group in groups:
        known = next((entities[mention] for mention in group if mention in entities), None)
        _, place = snapshot.place_of(snapshot.corpus.mention_index[group[0]])
        labels.update((mention, (known or place,)) for mention in group)
    return labels


def _groups(pairs: list[tuple[str, str]]) -> list[list[str]]:
    """Mentions that chains of pairs join."""
    group_of: dict[str, list[str]] = {}
    for one, other in pairs:
        first, second = (group_of.setdefault(each, [each]) for each in (one, other))
        if first is not second:
            first.extend(second)
            group_of.update((each, first) for each in second)
    return list({id(group): group for group in group_of.values()}.values())
