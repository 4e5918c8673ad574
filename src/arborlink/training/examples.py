"""What is learned from: mentions with their gold entities, as numbers and token ids."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from transformers import PreTrainedTokenizerBase

from arborlink.corpus import Corpus
from arborlink.encoders.sequences import Sequences
from arborlink.encoders.towers import entity_texts, mention_views
from arborlink.encoders.views import EntityViews, Markers
from arborlink.errors import InputError
from arborlink.evaluation.gold import Gold
from arborlink.knowledge_base import KnowledgeBase
from arborlink.labels import Labels, same_labels
from arborlink.type_labels import type_labels


@dataclass(frozen=True)
class EntitySide:
    """The knowledge base as token ids: one view for each entity, or one for each of its names.

    Args:
        texts: the distinct texts.
        text_of_view: int32, shape (n_views,): the text of each view.
        offsets: int64, shape (n_entities + 1,): entity e owns the views from ``offsets[e]`` to ``offsets[e + 1]``.
        beyond: int32: the entities of views that come after those. They are not searched: a mention made of a name is
            compared with the one made for it, see :mod:`arborlink.training.drawing`.
    """

    texts: Sequences
    text_of_view: NDArray[np.int32]
    offsets: NDArray[np.int64]
    beyond: NDArray[np.int32] = field(default_factory=lambda: np.empty(0, dtype=np.int32))

    @classmethod
    def of(
        cls,
        kb: KnowledgeBase,
        tokenizer: PreTrainedTokenizerBase,
        max_length: int,
        views: EntityViews,
        markers: Markers,
        progress: bool | None = None,
    ) -> EntitySide:
        """Read the entities as the entity tower will."""
        texts, rows, offsets = entity_texts(kb, views, markers)
        return cls(Sequences.of(texts, tokenizer, max_length, "entities", progress), rows, offsets)

    @property
    def n_entities(self) -> int:
        """Entities of the knowledge base."""
        return len(self.offsets) - 1

    @property
    def n_searched(self) -> int:
        """Views that are searched: all but those beyond."""
        return int(self.offsets[-1])

    @property
    def entity_of_view(self) -> NDArray[np.int32]:
        """The entity each view belongs to; int32, shape (n_views,)."""
        searched = np.repeat(np.arange(self.n_entities, dtype=np.int32), np.diff(self.offsets))
        return np.concatenate([searched, self.beyond])

    def with_views(self, texts: Sequences, entities: NDArray[np.int32]) -> EntitySide:
        """The same with one more view for each of these texts, which belong to these entities."""
        rows = len(self.texts) + np.arange(len(texts), dtype=np.int32)
        return EntitySide(
            self.texts.joined(texts),
            np.concatenate([self.text_of_view, rows]).astype(np.int32),
            self.offsets,
            np.concatenate([self.beyond, entities]).astype(np.int32),
        )


@dataclass(frozen=True)
class MentionSide:
    """Mentions as token ids.

    Args:
        texts: the distinct windows.
        text_of_mention: int32, shape (n_mentions,): the window of each mention.
    """

    texts: Sequences
    text_of_mention: NDArray[np.int32]

    @classmethod
    def of(
        cls,
        corpus: Corpus,
        tokenizer: PreTrainedTokenizerBase,
        max_length: int,
        markers: Markers,
        what: str = "mentions",
        progress: bool | None = None,
    ) -> MentionSide:
        """Read the mentions as the mention tower will."""
        texts, rows = mention_views(corpus, tokenizer, max_length, markers)
        return cls(Sequences.of(texts, tokenizer, max_length, what, progress), rows)


@dataclass(frozen=True)
class Examples:
    """The mentions that can be learned from: those labelled with exactly one gold id.

    Args:
        mentions: their numbers in the corpus; int64, shape (n,); -1 for those made of a name.
        texts: token ids of the windows.
        text_of_mention: int32, shape (n,), the window of each.
        groups: int64, shape (n,): the gold entity's number in the knowledge base, or, for a gold id that is not in
            it, a number beyond: mentions with the same group are coreferent.
        n_entities: entities of the knowledge base: groups below this can be linked.
        counts: how many mentions there were of each kind, for the report.
        gold_view: int32, shape (n,): the entity view that a mention is to be compared with, -1 where that is the
            nearest of its entity; ``None`` if it is so for all.
    """

    mentions: NDArray[np.int64]
    texts: Sequences
    text_of_mention: NDArray[np.int32]
    groups: NDArray[np.int64]
    n_entities: int
    counts: dict[str, int]
    gold_view: NDArray[np.int32] | None = None

    @classmethod
    def of(cls, corpus: Corpus, kb: KnowledgeBase, side: MentionSide) -> Examples:
        """Sort out what can be used.

        Raises:
            InputError: nothing can be learned from these documents.
        """
        gold = Gold.of(corpus, kb)
        usable = (gold.linkable | gold.outside) & ~gold.composite
        mentions = np.flatnonzero(usable)
        groups = np.array([_group(gold, kb, int(number)) for number in mentions], dtype=np.int64)
        in_kb = groups < len(kb)
        counts = {
            "mentions": corpus.n_mentions,
            "linkable": int(in_kb.sum()),
            "outside_kb": int((~in_kb).sum()),
            "composite": int(gold.composite.sum()),
            "nil_of_unknown_cluster": int(gold.nil_unknown.sum()),
            "unlabelled": int(gold.unlabelled.sum()),
            "entities_with_mentions": len(np.unique(groups[in_kb])),
        }
        if not in_kb.any():
            raise InputError(_nothing_to_learn(counts, gold, kb))
        return cls(mentions, side.texts, side.text_of_mention[mentions], groups, len(kb), counts)

    def __len__(self) -> int:
        return len(self.groups)

    @property
    def in_kb(self) -> NDArray[np.bool_]:
        """Whether the gold entity is in the knowledge base; shape (n,)."""
        return self.groups < self.n_entities


def type_restrictions(
    corpus: Corpus, kb: KnowledgeBase, mentions: NDArray[np.int64], view_counts: NDArray[np.int64]
) -> tuple[Labels, Labels]:
    """Which entity views, and which mentions, each of these mentions may meet by their types."""
    labels = type_labels(corpus, kb)
    asking = [labels.of_queries[number] for number in mentions.tolist()]
    of_views = [
        own for own, count in zip(labels.of_targets, view_counts.tolist(), strict=True) for _ in range(count)
    ]
    groups = same_labels(asking)
    return Labels(asking, of_views), Labels(groups, groups)


def _group(gold: Gold, kb: KnowledgeBase, number: int) -> int:
    (label,) = gold.labels[number] or ("",)
    return kb.index[label] if label in kb.index else len(kb) + int(gold.cluster[number])


def _nothing_to_learn(counts: dict[str, int], gold: Gold, kb: KnowledgeBase) -> str:
    if not counts["mentions"]:
        return "the training documents have no mentions: mark the spans and name their entities"
    if counts["outside_kb"]:
        outside = np.flatnonzero(gold.outside & ~gold.composite)
        n_entities = len(np.unique(gold.cluster[outside]))
        sample, known = (gold.labels[int(outside[0])] or ("",))[0], kb.entities[0].id
        return (
            f"none of the {n_entities:,} gold entities of the training documents is in the knowledge base "
            f"(gold ids such as {sample!r}, entity ids such as {known!r}); give the knowledge base they were "
            "labelled with"
        )
    return (
        f"none of the {counts['mentions']:,} mentions of the training documents names one gold entity "
        f"({counts['unlabelled']:,} unlabelled, {counts['nil_of_unknown_cluster']:,} NIL, "
        f"{counts['composite']:,} composite); training needs labelled mentions"
    )
