"""Compile what numba compiles, so that the first command does not have to; the machine code is kept on disk."""

from __future__ import annotations

import numpy as np

from arborlink.corpus import Corpus
from arborlink.discovery import threshold_curve
from arborlink.document import Document, Mention
from arborlink.encoder import Embeddings
from arborlink.encoders.lexical import lexical_vectors
from arborlink.entity import Entity
from arborlink.evaluation import Gold
from arborlink.graph import NeighbourGraph
from arborlink.knowledge_base import KnowledgeBase
from arborlink.partition import MODES, partition
from arborlink.search import nearest, nearest_others
from arborlink.training.targets import nearest_gold, parents


def main() -> None:
    """Run every kernel once, on arrays of the kinds that linking, tuning and training have."""
    mentions = Embeddings.one_each(lexical_vectors(["a mention", "another mention", "a third"]))
    entities = Embeddings.one_each(lexical_vectors(["an entity", "another entity"]))
    near, others = nearest(mentions, entities, 1), nearest_others(mentions, 1)
    graph = NeighbourGraph.from_neighbours(
        near.items, near.affinities, others.items, others.affinities, n_entities=2
    )
    for mode in MODES:
        for threshold in (None, float(-np.median(near.affinities))):
            partition(graph, mode, threshold)
    documents = Corpus(
        [Document("d", "abc", tuple(Mention(f"m{i}", i, i + 1, (), ("E0",)) for i in range(3)))]
    )
    gold = Gold.of(documents, KnowledgeBase(Entity(f"E{i}", "an entity") for i in range(2)))
    for mode in MODES:
        threshold_curve(graph, mode, gold)
    one_cluster = np.zeros(mentions.n_items, dtype=np.int64)
    for positives in (parents, nearest_gold):
        positives(mentions.vectors, near.affinities[:, 0].astype(np.float32), one_cluster)


if __name__ == "__main__":
    main()
