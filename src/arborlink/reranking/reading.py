"""What a re-ranker reads: the texts of the towers, tokenised once each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arborlink.corpus import Corpus
from arborlink.encoders.sequences import Sequences
from arborlink.encoders.towers import mention_views
from arborlink.encoders.views import Markers, entity_view
from arborlink.knowledge_base import KnowledgeBase
from arborlink.reranking.pairs import Joint, PairTexts


@dataclass(frozen=True)
class Read:
    """Documents and entities as the texts of pairs.

    Args:
        texts: the distinct texts.
        text_of_mention: int64, shape (n_mentions,).
        text_of_entity: int64, shape (n_entities,); -1 for entities that nobody asked for.
    """

    texts: PairTexts
    text_of_mention: NDArray[np.int64]
    text_of_entity: NDArray[np.int64]

    def pairs(
        self, mentions: NDArray[np.int64], items: NDArray[np.int32]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The text of the mention and of the entity of every pair, in the order of the rows of ``items``.

        Args:
            mentions: the number of each row's mention, shape (n,).
            items: entities, shape (n, k); those below 0 make no pair.
        """
        is_there = items >= 0
        own = np.repeat(self.text_of_mention[mentions], items.shape[1])[is_there.ravel()]
        return own, self.text_of_entity[items[is_there]]


@dataclass(frozen=True)
class Reader:
    """How texts become token ids.

    Args:
        tokenizer: the network's, which knows the markers as special tokens.
        mention_tokens: tokens of a mention with its context, special tokens included.
        entity_tokens: tokens of an entity, special tokens included.
        markers: the special tokens of the texts.
        has_types: the network tells the texts of a pair apart by token types.
        progress: show bars; ``None`` shows them on a terminal only.
    """

    tokenizer: Any
    mention_tokens: int
    entity_tokens: int
    markers: Markers
    has_types: bool
    progress: bool | None = None

    def read(self, corpus: Corpus, kb: KnowledgeBase, items: NDArray[np.int32]) -> Read:
        """All mentions of the documents, and those entities whose numbers are among ``items``."""
        windows, window_of_mention = mention_views(corpus, self.tokenizer, self.mention_tokens, self.markers)
        texts: dict[str, int] = {}
        text_of_entity = np.full(len(kb), -1, dtype=np.int64)
        for number in np.unique(items[items >= 0]).tolist():
            text = entity_view(kb.entities[number], self.markers)
            text_of_entity[number] = texts.setdefault(text, len(texts))
        pairs = PairTexts.of(
            self._tokenised(windows, self.mention_tokens, "mentions"),
            self._tokenised(list(texts), self.entity_tokens, "entities"),
            Joint.of(self.tokenizer),
            self.has_types,
        )
        return Read(pairs, window_of_mention.astype(np.int64), text_of_entity)

    def _tokenised(self, texts: list[str], max_length: int, what: str) -> Sequences:
        return Sequences.of(texts, self.tokenizer, max_length, f"{what} to re-rank", self.progress)
