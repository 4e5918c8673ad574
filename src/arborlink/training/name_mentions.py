"""Names of the knowledge base as mentions: what an entity is called elsewhere, though no document says so."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arborlink.corpus import Corpus
from arborlink.document import Document, Mention
from arborlink.encoders.sequences import Sequences
from arborlink.encoders.views import Markers, entity_view
from arborlink.entity import Entity
from arborlink.errors import InputError
from arborlink.knowledge_base import KnowledgeBase
from arborlink.labels import Labels, same_labels
from arborlink.training.examples import Examples, MentionSide
from arborlink.training.material import Material
from arborlink.training.other_names import OtherNames, without_name
from arborlink.training.texts_once import Rows, TextsOnce


class NameMentions:
    """Adds names to what an epoch learns from, as mentions without context.

    Each is of its entity's gold cluster. It is compared with a text of the entity that does not hold it: with one of
    all its other names or, where every name has a text of its own, with that of the main name. Otherwise all there is
    to learn would be to find a string again.

    Args:
        share: how many, as a share of the labelled mentions; at most the names there are.
        material: the labelled mentions and the knowledge base.
        kb: the same knowledge base with all its names.
        by_name: every name of an entity is a view of its own.
        tokenizers: of the mention tower and of the entity tower.
        markers: the special tokens.

    Raises:
        InputError: no entity has a second name.
    """

    def __init__(
        self,
        share: float,
        material: Material,
        kb: KnowledgeBase,
        by_name: bool,
        tokenizers: tuple[Any, Any],
        markers: Markers,
    ) -> None:
        scopes = material.scopes
        of_entities = None if scopes is None else scopes[1][material.entities.offsets[:-1]].tolist()
        self.names = OtherNames.of(kb, of_entities)
        if not len(self.names):
            raise InputError(
                f"objective.name_mentions is {share:g}, but none of the {len(kb):,} entities has an alias of other "
                "words than its name that no other entity has; set it to 0"
            )
        self._entities = kb.entities
        self._by_name = by_name
        self._tokenizers = tokenizers
        self._markers = markers
        self._n_tokens = material.mention_tokens, material.entity_tokens
        self._as_mentions = TextsOnce(len(self.names), self._read_names)
        self._without = TextsOnce(len(self.names), self._read_entities)
        self._has_mentions = np.zeros(len(kb), dtype=bool)
        self._has_mentions[material.examples.groups[material.examples.in_kb]] = True
        self._n = min(max(1, round(share * len(material.examples))), len(self.names))

    def __len__(self) -> int:
        """Names in an epoch."""
        return self._n

    def described(self) -> str:
        """How many there are, in one line."""
        n_entities = len(np.unique(self.names.entity))
        return f"in each epoch {len(self):,} of {len(self.names):,} aliases of {n_entities:,} entities as mentions"

    def added_to(self, material: Material, random: np.random.Generator) -> Material:
        """The material with names drawn from all there are."""
        chosen = self.names.draw(len(self), self._has_mentions, random)
        entity = self.names.entity[chosen]
        views = material.entities
        first_view = gold_view = views.offsets[entity]
        if not self._by_name:
            gold_view = len(views.text_of_view) + np.arange(len(chosen))
            views = views.with_views(self._without.of(chosen), entity)
        types, scopes = material.types, material.scopes
        if types is not None:
            types = _with_labels(types, first_view.tolist())
        if scopes is not None:
            own = scopes[1][first_view]
            beyond = own if len(views.beyond) else own[:0]
            scopes = np.concatenate([scopes[0], own]), np.concatenate([scopes[1], beyond])
        examples = _with_mentions(material.examples, self._as_mentions.of(chosen), entity, gold_view)
        return replace(material, examples=examples, entities=views, types=types, scopes=scopes)

    def _read_entities(self, names: Rows) -> Sequences:
        """The text of each name's entity without that name."""
        texts = [
            entity_view(without_name(entity, place), self._markers) for entity, place in self._bearers(names)
        ]
        return Sequences.of(texts, self._tokenizers[1], self._n_tokens[1], "entities", False)

    def _read_names(self, names: Rows) -> Sequences:
        """The names as documents of which every word is the mention."""
        documents = []
        for number, (entity, place) in enumerate(self._bearers(names)):
            name = " ".join(entity.names[place].split())
            documents.append(Document(str(number), name, (Mention(str(number), 0, len(name)),)))
        side = MentionSide.of(
            Corpus(documents), self._tokenizers[0], self._n_tokens[0], self._markers, progress=False
        )
        return side.texts.taken(side.text_of_mention.astype(np.int64))

    def _bearers(self, names: Rows) -> Iterator[tuple[Entity, int]]:
        """The entity of each name, and the name's place there."""
        for entity, place in zip(self.names.entity[names], self.names.place[names], strict=True):
            yield self._entities[entity], int(place)


def _with_labels(types: tuple[Labels, Labels], views: Iterable[int]) -> tuple[Labels, Labels]:
    """Restrictions with one more mention for each of these views, which may meet what the view's label allows."""
    of_views = types[0].of_targets
    asking = [*types[0].of_queries, *(of_views[view] for view in views)]
    groups = same_labels(asking)
    return Labels(asking, of_views), Labels(groups, groups)


def _with_mentions(
    examples: Examples, texts: Sequences, entity: NDArray[np.int32], gold_view: Rows
) -> Examples:
    rows = len(examples.texts) + np.arange(len(texts))
    return replace(
        examples,
        mentions=np.concatenate([examples.mentions, np.full(len(entity), -1, dtype=np.int64)]),
        texts=examples.texts.joined(texts),
        text_of_mention=np.concatenate([examples.text_of_mention, rows]).astype(np.int32),
        groups=np.concatenate([examples.groups, entity.astype(np.int64)]),
        gold_view=np.concatenate([np.full(len(examples), -1), gold_view]).astype(np.int32),
    )
