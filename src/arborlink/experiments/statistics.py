"""Table 4: how large a data set is."""

from __future__ import annotations

from typing import Any

from arborlink.evaluation.gold import Gold, gold_ids
from arborlink.experiments.data_sets import DataSet


def statistics(data_set: DataSet) -> dict[str, Any]:
    """Mentions, entities and zero-shot entities of each split, and the size of the knowledge base."""
    train = gold_ids(data_set.corpus("train"))
    found = {}
    for name in ("train", "dev", "test"):
        split = data_set.split(name)
        gold = Gold.of(split.corpus, split.kb)
        ids = gold_ids(split.corpus)
        found[name] = {
            "documents": len(split.corpus),
            "mentions": split.corpus.n_mentions,
            "linkable": int(gold.linkable.sum()),
            "outside": int(gold.outside.sum()),
            "entities": len(ids),
            "zero_shot": len(ids - train),
            "kb": len(split.kb),
        }
    return found
