"""What finds the neighbours of a split's mentions: a model in training, one that is there, or none at all."""

from __future__ import annotations

import gc
import time
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from arborlink.corpus import Corpus
from arborlink.encoder import Embeddings, Encoder
from arborlink.encoders.blended import NamesBeside, blended_mentions
from arborlink.encoders.name_part import NamePart, name_part_of
from arborlink.encoders.promise import check_embeddings
from arborlink.encoders.views import Markers
from arborlink.experiments.data_sets import Split
from arborlink.experiments.reading import Reading
from arborlink.knowledge_base import KnowledgeBase
from arborlink.linker import Linker
from arborlink.neighbourhood import Neighbourhood
from arborlink.search import Neighbours
from arborlink.shared_words import SharedWords
from arborlink.training.towers_in_training import attention_for_any_shape
from arborlink.training.trainer import ArborTrainer
from arborlink.voting import Examples, OwnDocuments, count_votes, known_entities, nearest_voters


@dataclass(frozen=True, eq=False)
class Found:
    """The neighbours of a split's mentions.

    Args:
        split: the documents and their knowledge base.
        hood: neighbours.
        seconds: of each step that it took.
        mentions: the vectors they were found by; ``None`` where there are none.
        before: the nearest entities as they were before shared words or a re-ranker gave them the order they have in
            ``hood``; ``None`` where none did.
        named: what names have made of the affinities; ``None`` where they made nothing of them.
    """

    split: Split
    hood: Neighbourhood
    seconds: dict[str, float]
    mentions: Embeddings | None = None
    before: Neighbours | None = None
    named: NamePart | None = None


class Finder(Protocol):
    """Finds neighbours."""

    def find(self, split: Split, n_near: int, n_others: int) -> Found:
        """The nearest entities and the nearest mentions of every mention of a split."""
        ...

    def examples(self, corpus: Corpus, kb: KnowledgeBase) -> Examples | None:
        """Labelled mentions as voters for their entities; ``None`` where they have nothing to say."""
        ...


class Searcher(Finder, Protocol):
    """Finds neighbours by vectors, so that a re-ranker can be trained for what it finds."""

    @property
    def temperature(self) -> float:
        """Affinities divided by it are the scores of the towers."""
        ...

    @property
    def markers(self) -> Markers:
        """The special tokens of the texts."""
        ...

    def release(self) -> None:
        """Let go of memory that finding does not need."""
        ...


class TowersFinder:
    """The towers of a trainer, as they are when training has ended.

    Args:
        trainer: with the best weights loaded.
        reading: the token ids of what is to be embedded.
        names: compares names, if they have a share in linking.
        name_share: that share.
        detour: what is taken off the affinity of two mentions.
    """

    def __init__(
        self,
        trainer: ArborTrainer,
        reading: Reading,
        names: Encoder | None = None,
        name_share: float = 0.0,
        detour: float = 0.0,
    ) -> None:
        self.towers = trainer.towers
        self.precision = trainer.precision
        self.reading = reading
        self.names = names
        self.name_share = name_share
        self.detour = detour
        self._trainer: ArborTrainer | None = trainer
        self._entities: tuple[KnowledgeBase, Embeddings, float] | None = None

    @property
    def temperature(self) -> float:
        """The one they were trained with."""
        return self.towers.temperature

    @property
    def markers(self) -> Markers:
        """Those the texts were read with."""
        return self.reading.markers

    def release(self) -> None:
        """Let go of the trainer: its optimiser, the gradients, the vectors on the device."""
        import torch

        self._trainer = None
        self.towers.zero_grad(set_to_none=True)
        gc.collect()  # a trainer and its callbacks hold each other
        if self.towers.device.type == "cuda":
            torch.cuda.empty_cache()

    def find(self, split: Split, n_near: int, n_others: int) -> Found:
        """Embed and search; entities that were embedded for the split before are not embedded again."""
        device = self.towers.device
        seconds: dict[str, float] = {}
        with attention_for_any_shape():
            start = time.perf_counter()
            side = self.reading.mentions(split.corpus)
            start_encoding = time.perf_counter()
            vectors = self.towers.embed("mentions", side.texts, self.precision)
            mentions = Embeddings.one_each(vectors.cpu().numpy(), side.text_of_mention)
            seconds["read_mentions"] = start_encoding - start
            seconds["encode_mentions"] = time.perf_counter() - start_encoding
            entities, seconds["encode_entities"] = self._embedded(split.kb)
        start = time.perf_counter()
        named = None
        if self.names is not None:
            beside = NamesBeside.of(self.names, self.name_share, split.corpus, split.kb, split.labels)
            mentions, entities = beside.beside(mentions, entities)
            named = NamePart(mentions, entities, beside.mentions.vectors.shape[1])
            seconds["encode_names"] = time.perf_counter() - start
            start = time.perf_counter()
        options: dict[str, Any] = {"detour": self.detour, "device": device.type, "progress": False}
        hood = Neighbourhood.search(mentions, entities, n_near, n_others, labels=split.labels, **options)
        seconds["search"] = time.perf_counter() - start
        return Found(split, hood, seconds, mentions, named=named)

    def examples(self, corpus: Corpus, kb: KnowledgeBase) -> Examples | None:
        """The mentions of the corpus, embedded."""
        entity = known_entities(corpus, kb)
        known = np.flatnonzero(entity >= 0)
        if not len(known):
            return None
        side = self.reading.mentions(corpus)
        with attention_for_any_shape():
            vectors = self.towers.embed("mentions", side.texts, self.precision)
        mentions = Embeddings.one_each(vectors.cpu().numpy(), side.text_of_mention)
        if self.names is not None:
            mentions = blended_mentions(mentions, self.names.encode_mentions(corpus), self.name_share)
        voters = Embeddings.one_each(mentions.vectors, mentions.rows[known])
        return Examples(voters, entity[known], self.temperature)

    def _embedded(self, kb: KnowledgeBase) -> tuple[Embeddings, float]:
        """The entities' vectors, and how long they took when they were embedded."""
        if self._entities is None or self._entities[0] is not kb:
            self._entities = None  # there may be no room for both
            side = self.reading.entities(kb)
            start = time.perf_counter()
            if self._trainer is not None and side is self._trainer.steps.entities:
                vectors = self._trainer.entity_vectors()
            else:
                vectors = self.towers.embed("entities", side.texts, self.precision)
            found = Embeddings(vectors.cpu().numpy(), side.text_of_view, side.offsets)
            self._entities = kb, found, time.perf_counter() - start
        return self._entities[1:]


class LinkerFinder:
    """A model as ``arborlink link`` uses it.

    Args:
        linker: the model.
    """

    def __init__(self, linker: Linker) -> None:
        self.linker = linker

    def with_name_share(self, share: float) -> LinkerFinder:
        """The same model with another share of names beside its towers."""
        return LinkerFinder(self.linker.with_name_share(share))

    @property
    def temperature(self) -> float:
        """The model's own."""
        return self.linker.temperature

    @property
    def markers(self) -> Markers:
        """The model's own, where it has any."""
        return getattr(self.linker.encoder, "markers", None) or Markers()

    def release(self) -> None:
        """Nothing of it is for training alone."""

    def find(self, split: Split, n_near: int, n_others: int) -> Found:
        """Encode and search."""
        linker, seconds = self.linker, {}
        start = time.perf_counter()
        mentions = linker.encoder.encode_mentions(split.corpus)
        seconds["encode_mentions"] = time.perf_counter() - start
        start = time.perf_counter()
        entities = linker.encoder.encode_entities(split.kb, split.corpus, split.labels)
        seconds["encode_entities"] = time.perf_counter() - start
        check_embeddings(mentions, entities, split.corpus.n_mentions, len(split.kb))
        start = time.perf_counter()
        options: dict[str, Any] = {
            "detour": linker.detour,
            "device": linker.device,
            "progress": linker.progress,
        }
        hood = Neighbourhood.search(mentions, entities, n_near, n_others, labels=split.labels, **options)
        seconds["search"] = time.perf_counter() - start
        named = name_part_of(linker.encoder, mentions, entities)
        return Found(split, hood, seconds, mentions, named=named)

    def examples(self, corpus: Corpus, kb: KnowledgeBase) -> Examples | None:
        """The mentions of the corpus, encoded."""
        entity = known_entities(corpus, kb)
        known = np.flatnonzero(entity >= 0)
        if not len(known):
            return None
        vectors = self.linker.encoder.encode_mentions(corpus)
        voters = Embeddings.one_each(vectors.vectors, vectors.rows[known])
        return Examples(voters, entity[known], self.linker.temperature)


@dataclass(frozen=True, eq=False)
class Voters:
    """Labelled documents whose mentions vote about others, and are read as passages about their entities.

    Args:
        corpus: the documents.
        kb: the knowledge base of their labels.
        examples: their mentions of known entities, encoded.
    """

    corpus: Corpus
    kb: KnowledgeBase
    examples: Examples

    @classmethod
    def of(cls, finder: Finder, corpus: Corpus, kb: KnowledgeBase) -> Voters | None:
        """Encode them; ``None`` where none of them has anything to say."""
        examples = finder.examples(corpus, kb)
        return None if examples is None else cls(corpus, kb, examples)

    def about(self, linked: Corpus) -> Examples:
        """Those that vote about the mentions of some documents: none about its own."""
        known = np.flatnonzero(known_entities(self.corpus, self.kb) >= 0)
        return replace(self.examples, own=OwnDocuments.of(linked, self.corpus).for_examples(known))


def voted(found: Found, voters: Voters, device: str) -> Found:
    """The same mentions with the entities that texts and labelled examples vote for; see :mod:`arborlink.voting`."""
    if found.mentions is None:
        raise ValueError("what was found without vectors cannot be voted on")
    start = time.perf_counter()
    examples = voters.about(found.split.corpus)
    near = nearest_voters(found.mentions, examples, found.split.labels, device=device, progress=False)
    texts = found.hood.near
    counted = count_votes(texts, near, examples.entity, examples.temperature, texts.items.shape[1])
    told = Neighbours(counted.items, np.round(counted.affinities, 6))
    hood = found.hood.voted(told, examples.temperature)
    seconds = found.seconds | {"vote": time.perf_counter() - start}
    return replace(found, hood=hood, seconds=seconds)


def n_searched(words: SharedWords | None, n_near: int) -> int:
    """Entities of each mention to search, so that n of them are left after shared words have had their say."""
    return n_near if words is None else max(n_near, words.n)


def looked_at(found: Found, words: SharedWords | None, n_near: int) -> Found:
    """The first entities of each mention, after shared words have had their say if they have any.

    Args:
        found: with as many entities of each mention as ``words`` look at.
        words: give them a new order; ``None`` leaves it.
        n_near: entities of each mention to keep.
    """
    start = time.perf_counter()
    near, seconds = found.hood.near, found.seconds
    if words is not None:
        near = words.rerank(found.split.corpus, found.split.kb, near, found.named)
        seconds = seconds | {"shared_words": time.perf_counter() - start}
    hood = replace(found.hood, near=near.first(n_near))
    return replace(found, hood=hood, seconds=seconds, before=None if words is None else found.hood.near)
