"""The re-ranker: a transformer reads a mention and an entity together and scores the pair."""

from __future__ import annotations

import copy
import json
import operator
from dataclasses import asdict, replace
from functools import cached_property
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arborlink.corpus import Corpus
from arborlink.encoders.device import resolve_precision
from arborlink.errors import InputError, ModelError
from arborlink.knowledge_base import KnowledgeBase
from arborlink.reranking.order import rerank
from arborlink.reranking.reading import Reader
from arborlink.reranking.settings import RerankerSettings
from arborlink.search import Neighbours


class Reranker:
    """Gives the nearest entities of each mention a new order.

    Args:
        network: a transformer of the ``transformers`` library with one output, in float32, on its device.
        tokenizer: its tokenizer, which knows the markers as special tokens.
        settings: how many entities, how they are read, how much the towers have to say.
        progress: show bars; ``None`` shows them on a terminal only.

    Raises:
        ModelError: the network cannot read pairs as long as the settings make them.

    Example:
        >>> linker = Linker.load("model")                                                  # doctest: +SKIP
        >>> hood = linker.reranking(0).neighbourhood(corpus, kb, 16, 0)                    # doctest: +SKIP
        >>> near = linker.reranker.rerank(corpus, kb, hood.near, linker.temperature)       # doctest: +SKIP
    """

    def __init__(
        self, network: Any, tokenizer: Any, settings: RerankerSettings, progress: bool | None = None
    ) -> None:
        from arborlink.reranking.network import longest_pair

        longest = longest_pair(network)
        if longest is not None and settings.longest > longest:
            parts = [settings.mention_tokens, settings.opening_tokens, settings.entity_tokens]
            parts += [settings.passage_tokens] * settings.passages
            raise ModelError(
                f"pairs of {' + '.join(str(part) for part in parts if part)} tokens are longer than the {longest} "
                "that the re-ranker's base can read; lower one of them"
            )
        self.network = network
        self.tokenizer = tokenizer
        self.settings = settings
        self.progress = progress

    @property
    def n(self) -> int:
        """Nearest entities of each mention that get a new order."""
        return self.settings.n

    @property
    def device(self) -> str:
        """Where the network runs."""
        return str(self.network.device)

    @cached_property
    def fingerprint(self) -> str:
        """Names the weights and settings that decide the order."""
        return blake2b(f"{self._weights} {self._said}".encode(), digest_size=6).hexdigest()

    @cached_property
    def _weights(self) -> str:
        import torch

        digest = blake2b(digest_size=12)
        for name, tensor in sorted(self.network.state_dict().items()):
            digest.update(f"{name} {tuple(tensor.shape)}".encode())
            content = tensor.detach().cpu().contiguous().reshape(-1)
            digest.update(content.view(torch.uint8).numpy().data)
        return digest.hexdigest()

    @property
    def _said(self) -> str:
        return json.dumps(asdict(self.settings), sort_keys=True)

    def of_n(self, n: int) -> Reranker:
        """The same re-ranker for another number of entities.

        Raises:
            InputError: it is below 1.
        """
        n = operator.index(n)
        if n < 1:
            raise InputError(f"rerank is {n}; expected how many nearest entities to re-rank, or 0 for none")
        other = copy.copy(self)
        other.settings = replace(self.settings, n=n)
        other.__dict__.pop("fingerprint", None)
        return other

    @property
    def reader(self) -> Reader:
        """How it reads texts."""
        from arborlink.reranking.network import has_token_types

        types = has_token_types(self.network, self.tokenizer)
        return Reader(self.tokenizer, self.settings, types, self.progress)

    def scores(
        self, corpus: Corpus, kb: KnowledgeBase, items: NDArray[np.int32], examples: Corpus | None = None
    ) -> NDArray[np.float32]:
        """Score some entities for each mention; a distinct pair of texts is read once.

        Args:
            corpus: the documents.
            kb: the knowledge base.
            items: numbers of entities, shape (n_mentions, k), a row for each of ``corpus.mentions``; below 0 for
                none.
            examples: labelled documents, whose mentions are passages about their entities.

        Returns:
            float32, the same shape; -inf where there is no entity.

        Raises:
            ModelError: a score is not a finite number.
        """
        from arborlink.reranking.scoring import score_distinct

        scores = np.full(items.shape, -np.inf, dtype=np.float32)
        is_there = items >= 0
        if is_there.any():
            read = self.reader.read(corpus, kb, items, examples=examples)
            precision = resolve_precision(self.device)
            scores[is_there] = score_distinct(
                self.network, read.texts, read.pairs(), precision, self.progress
            )
        return scores

    def rerank(
        self,
        corpus: Corpus,
        kb: KnowledgeBase,
        near: Neighbours,
        temperature: float,
        examples: Corpus | None = None,
    ) -> Neighbours:
        """Give the first ``n`` entities of each mention a new order; affinities stay where they are.

        Args:
            corpus: the documents.
            kb: the knowledge base.
            near: the nearest entities of each of ``corpus.mentions``.
            temperature: the one the towers were trained with.
            examples: labelled documents, whose mentions are passages about their entities.
        """
        scores = self.scores(corpus, kb, near.items[:, : self.n], examples)
        return rerank(near, scores, self.settings.weight, temperature)
