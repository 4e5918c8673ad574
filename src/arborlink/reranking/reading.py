"""What a re-ranker reads: windows and entities as the towers do, openings of documents, passages about entities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arborlink.corpus import Corpus
from arborlink.encoders.sequences import Sequences
from arborlink.encoders.towers import mention_views
from arborlink.encoders.views import entity_view, without_markers
from arborlink.knowledge_base import KnowledgeBase
from arborlink.reranking.pairs import ENTITY, MENTION, OPENING, PASSAGES, Joint, PairTexts, Rows
from arborlink.reranking.passages import Passages
from arborlink.reranking.settings import RerankerSettings

# Signs of a token, at the most that matters: an opening is cut before it is tokenised.
_SIGNS_OF_TOKEN = 16


@dataclass(frozen=True)
class Read:
    """Mentions and their entities as the texts of pairs.

    Args:
        texts: the distinct texts.
        rows: int64, shape (n_mentions, k, 3 + passages): the texts of each pair, see
            :mod:`arborlink.reranking.pairs`.
        is_there: bool, shape (n_mentions, k): whether there is a pair.
    """

    texts: PairTexts
    rows: NDArray[np.int64]
    is_there: NDArray[np.bool_]

    def pairs(self, which: NDArray[np.int64] | slice = slice(None)) -> Rows:
        """The pairs of these mentions, or of all, one after the other."""
        found: Rows = self.rows[which][self.is_there[which]]
        return found


@dataclass(frozen=True)
class Reader:
    """How texts become token ids.

    Args:
        tokenizer: the network's, which knows the markers as special tokens.
        settings: how much of each is read.
        has_types: the network tells the two sides of a pair apart by token types.
        progress: show bars; ``None`` shows them on a terminal only.
    """

    tokenizer: Any
    settings: RerankerSettings
    has_types: bool
    progress: bool | None = None

    def read(
        self,
        corpus: Corpus,
        kb: KnowledgeBase,
        items: NDArray[np.int32],
        mentions: NDArray[np.int64] | None = None,
        examples: Corpus | None = None,
    ) -> Read:
        """Read some mentions, and some entities for each.

        Args:
            corpus: the documents.
            kb: the knowledge base.
            items: numbers of entities, shape (n, k); below 0 for none.
            mentions: the number of each row's mention, shape (n,); ``None``: a row for each of ``corpus.mentions``.
            examples: labelled documents, whose mentions are passages about their entities.
        """
        own = self.settings
        mentions = np.arange(len(items)) if mentions is None else mentions
        windows, window_of_mention = mention_views(corpus, self.tokenizer, own.mention_tokens, own.markers)
        openings, opening_of_mention = self._openings(corpus)
        wanted = np.unique(items[items >= 0]).astype(np.int64)
        texts: dict[str, int] = {}
        text_of_entity = np.full(len(kb) + 1, -1, dtype=np.int64)  # the last one is where -1 looks
        for number in wanted.tolist():
            text = entity_view(kb.entities[number], own.markers)
            text_of_entity[number] = texts.setdefault(text, len(texts))
        passages, chosen = self._passages(corpus, kb, items, mentions, wanted, examples)
        joint = Joint.of(self.tokenizer)
        rows = np.empty((*items.shape, PASSAGES + chosen.shape[2]), dtype=np.int64)
        rows[:, :, MENTION] = window_of_mention[mentions][:, None]
        rows[:, :, OPENING] = opening_of_mention[mentions][:, None]
        rows[:, :, ENTITY] = text_of_entity[np.maximum(items, -1)]
        rows[:, :, PASSAGES:] = chosen
        pairs = PairTexts(
            self._tokenised(windows, own.mention_tokens, "mentions"),
            joint.as_next(self._tokenised(openings, own.opening_tokens, "openings")),
            joint.as_next(self._tokenised(list(texts), own.entity_tokens, "entities")),
            joint.as_next(self._tokenised(passages, own.passage_tokens, "passages")),
            self.has_types,
        )
        return Read(pairs, rows, items >= 0)

    def _openings(self, corpus: Corpus) -> tuple[list[str], NDArray[np.int64]]:
        """The distinct openings of documents, and the number of each mention's."""
        texts: dict[str, int] = {}
        numbers: list[int] = []
        for document in corpus:
            number = -1
            if self.settings.opening_tokens and document.mentions:
                cut = document.text[: _SIGNS_OF_TOKEN * self.settings.opening_tokens]
                opening = " ".join(without_markers(cut, self.settings.markers).split())
                number = texts.setdefault(opening, len(texts)) if opening else -1
            numbers += [number] * len(document.mentions)
        return list(texts), np.array(numbers, dtype=np.int64)

    def _passages(
        self,
        corpus: Corpus,
        kb: KnowledgeBase,
        items: NDArray[np.int32],
        mentions: NDArray[np.int64],
        wanted: NDArray[np.int64],
        examples: Corpus | None,
    ) -> tuple[list[str], NDArray[np.int64]]:
        """The distinct passages that any pair has, and those of each pair; shape (n, k, passages)."""
        own = self.settings
        if not own.passages:
            return [], np.empty((*items.shape, 0), dtype=np.int64)
        views: list[str] = []
        if examples is not None:
            distinct, rows = mention_views(examples, self.tokenizer, own.passage_tokens, own.markers)
            views = [distinct[row] for row in rows.tolist()]
        n_words, n_shown = (2 * tokens // 3 for tokens in (own.passage_tokens, own.entity_tokens))
        found = Passages.of(kb, wanted, n_words, n_shown, examples, views, own.markers)
        chosen = found.choose(corpus, mentions, items, own.passages, examples)
        texts: dict[str, int] = {}
        text_of_passage = np.full(len(found.texts) + 1, -1, dtype=np.int64)  # the last one is where -1 looks
        for number in np.unique(chosen[chosen >= 0]).tolist():
            text = found.texts[number]
            if found.example[number] < 0:
                text = without_markers(text, own.markers)
            text_of_passage[number] = texts.setdefault(text, len(texts))
        return list(texts), text_of_passage[chosen]

    def _tokenised(self, texts: list[str], max_length: int, what: str) -> Sequences:
        return Sequences.of(texts, self.tokenizer, max_length, f"{what} to re-rank", self.progress)
