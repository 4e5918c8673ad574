"""What finds the neighbours of a split's mentions: a model in training, one that is there, or none at all."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Protocol

from arborlink.encoder import Embeddings
from arborlink.experiments.data_sets import Split
from arborlink.experiments.reading import Reading
from arborlink.knowledge_base import KnowledgeBase
from arborlink.linker import Linker
from arborlink.neighbourhood import Neighbourhood
from arborlink.training.towers_in_training import attention_for_any_shape
from arborlink.training.trainer import ArborTrainer


@dataclass(frozen=True, eq=False)
class Found:
    """The neighbours of a split's mentions.

    Args:
        split: the documents and their knowledge base.
        hood: neighbours.
        seconds: of each step that it took.
    """

    split: Split
    hood: Neighbourhood
    seconds: dict[str, float]


class Finder(Protocol):
    """Finds neighbours."""

    def find(self, split: Split, n_near: int, n_others: int) -> Found:
        """The nearest entities and the nearest mentions of every mention of a split."""
        ...


class TowersFinder:
    """The towers of a trainer, as they are when training has ended.

    Args:
        trainer: with the best weights loaded.
        reading: the token ids of what is to be embedded.
    """

    def __init__(self, trainer: ArborTrainer, reading: Reading) -> None:
        self.trainer = trainer
        self.reading = reading
        self._entities: tuple[KnowledgeBase, Embeddings, float] | None = None

    def find(self, split: Split, n_near: int, n_others: int) -> Found:
        """Embed and search; entities that were embedded for the split before are not embedded again."""
        device = self.trainer.towers.device
        seconds: dict[str, float] = {}
        with attention_for_any_shape():
            start = time.perf_counter()
            side = self.reading.mentions(split.corpus)
            start_encoding = time.perf_counter()
            vectors = self.trainer.towers.embed("mentions", side.texts, self.trainer.precision)
            mentions = Embeddings.one_each(vectors.cpu().numpy(), side.text_of_mention)
            seconds["read_mentions"] = start_encoding - start
            seconds["encode_mentions"] = time.perf_counter() - start_encoding
            entities, seconds["encode_entities"] = self._embedded(split.kb)
        start = time.perf_counter()
        hood = Neighbourhood.search(
            mentions, entities, n_near, n_others, labels=split.labels, device=device.type, progress=False
        )
        seconds["search"] = time.perf_counter() - start
        return Found(split, hood, seconds)

    def _embedded(self, kb: KnowledgeBase) -> tuple[Embeddings, float]:
        """The entities' vectors, and how long they took when they were embedded."""
        if self._entities is None or self._entities[0] is not kb:
            self._entities = None  # there may be no room for both
            side = self.reading.entities(kb)
            start = time.perf_counter()
            if side is self.trainer.steps.entities:
                vectors = self.trainer.entity_vectors()
            else:
                vectors = self.trainer.towers.embed("entities", side.texts, self.trainer.precision)
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

    def find(self, split: Split, n_near: int, n_others: int) -> Found:
        """Encode and search."""
        seconds: dict[str, float] = {}
        hood = self.linker.neighbourhood(
            split.corpus, split.kb, n_near, n_others, labels=split.labels, seconds=seconds
        )
        return Found(split, hood, seconds)
