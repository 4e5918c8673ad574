"""What a training works on: documents and knowledge base read with the towers' eyes."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sentence_transformers import SentenceTransformer

from arborlink.corpus import Corpus
from arborlink.encoders.views import Markers
from arborlink.knowledge_base import KnowledgeBase
from arborlink.labels import Labels
from arborlink.training.config import TrainingConfig
from arborlink.training.examples import EntitySide, Examples, MentionSide, type_restrictions
from arborlink.training.judge import Judge


@dataclass(frozen=True)
class Dev:
    """The dev documents.

    Args:
        judge: tells how well a model links them.
        side: their mentions as token ids.
    """

    judge: Judge
    side: MentionSide


@dataclass(frozen=True)
class Material:
    """Everything as numbers and token ids.

    Args:
        examples: the mentions to learn from.
        entities: the knowledge base.
        dev: what chooses the best epoch, if anything does.
        types: which entity views and which mentions a mention may meet, if types restrict it.
        mention_tokens: the length that mentions were cut to.
        entity_tokens: the length that entities were cut to.
        scopes: the scope of each example and of each entity view, where several knowledge bases are learned together:
            what is of another scope is no negative either. ``None``: there is one scope.
    """

    examples: Examples
    entities: EntitySide
    dev: Dev | None
    types: tuple[Labels, Labels] | None
    mention_tokens: int
    entity_tokens: int
    scopes: tuple[NDArray[np.int64], NDArray[np.int64]] | None = None

    @classmethod
    def of(
        cls,
        kb: KnowledgeBase,
        train: Corpus,
        dev: Corpus | None,
        config: TrainingConfig,
        towers: tuple[SentenceTransformer, SentenceTransformer],
        markers: Markers,
        device: str,
        progress: bool | None = None,
    ) -> Material:
        """Read it all.

        Raises:
            InputError: there is nothing to learn from, or nothing to judge by.
        """
        encoder, by_type = config.encoder, config.objective.by_type
        mention_tokens = _at_most(towers[0], encoder.mention_tokens)
        entity_tokens = _at_most(towers[1], encoder.entity_tokens)
        read: dict[str, Any] = {
            "tokenizer": towers[0].tokenizer,
            "max_length": mention_tokens,
            "markers": markers,
            "progress": progress,
        }
        judge = None if dev is None else Judge(dev, kb, config.dev, by_type, device)
        examples = Examples.of(train, kb, MentionSide.of(train, what="training mentions", **read))
        entities = EntitySide.of(
            kb, towers[1].tokenizer, entity_tokens, encoder.entity_views, markers, progress
        )
        types = None
        if by_type:
            types = type_restrictions(train, kb, examples.mentions, np.diff(entities.offsets))
        judged = None
        if dev is not None and judge is not None:
            judged = Dev(judge, MentionSide.of(dev, what="dev mentions", **read))
        return cls(examples, entities, judged, types, mention_tokens, entity_tokens)

    @property
    def fingerprint(self) -> str:
        """Names all that decides what is learned, to tell whether a resumed run has the same."""
        digest = blake2b(digest_size=12)
        examples, entities = self.examples, self.entities
        arrays: list[NDArray[Any]] = [examples.groups, examples.text_of_mention, examples.texts.tokens]
        arrays += [entities.offsets, entities.text_of_view, entities.texts.tokens, *(self.scopes or ())]
        if self.dev is not None:
            arrays += [self.dev.side.texts.tokens, self.dev.judge.gold.pairs]
        for array in arrays:
            digest.update(np.ascontiguousarray(array).data)
        for labels in self.types or ():
            for own in (*labels.of_queries, *labels.of_targets):
                digest.update("|".join(sorted(own)).encode() + b"\n")
        return digest.hexdigest()

    def described(self) -> str:
        """What there is to learn from, in one line."""
        counts = self.examples.counts
        left_out = {
            "composite": counts["composite"],
            "NIL of unknown cluster": counts["nil_of_unknown_cluster"],
            "unlabelled": counts["unlabelled"],
        }
        line = (
            f"{counts['mentions']:,} mentions: {counts['linkable']:,} of {counts['entities_with_mentions']:,} of the "
            f"{self.entities.n_entities:,} entities"
        )
        if counts["outside_kb"]:
            line += (
                f", {counts['outside_kb']:,} whose entity is not in the knowledge base (mention pairs only)"
            )
        if any(left_out.values()):
            line += "; left out: " + ", ".join(f"{n:,} {what}" for what, n in left_out.items() if n)
        return line


def _at_most(tower: SentenceTransformer, asked: int) -> int:
    """The asked length, or what the tower can read."""
    return min(asked, int(tower.max_seq_length or asked))
