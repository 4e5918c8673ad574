"""Entities that are equally near to a mention: what accuracy owes to the order of the knowledge base."""

from __future__ import annotations

from typing import Any

import numpy as np

from arborlink.evaluation.gold import Gold
from arborlink.search import Neighbours


def tie_figures(near: Neighbours, gold: Gold) -> dict[str, Any] | None:
    """Accuracy of the nearest entity in the order of the knowledge base, and in any order.

    Of entities that are equally near, as those are that say the same of themselves, the first is taken. In another
    order it would be another one: ``any_order`` is the mean accuracy over all orders.

    Args:
        near: the nearest entities of each mention, as affinities alone have sorted them.
        gold: of the same mentions.

    Returns:
        ``share`` of the linkable mentions that are equally near to several entities, and the accuracies
        ``file_order`` and ``any_order``; ``None`` where no mention can be linked.

    Example:
        >>> import numpy as np
        >>> from arborlink import Corpus, Document, Entity, KnowledgeBase, Mention
        >>> kb = KnowledgeBase([Entity("E1", "study"), Entity("E2", "study")])
        >>> corpus = Corpus([Document("d", "a study", (Mention("m", 2, 7, entities=("E1",)),))])
        >>> near = Neighbours(np.array([[0, 1]], np.int32), np.array([[0.9, 0.9]]))
        >>> tie_figures(near, Gold.of(corpus, kb))
        {'share': 1.0, 'file_order': 1.0, 'any_order': 0.5}
    """
    numbers = np.flatnonzero(gold.linkable)
    if not len(numbers) or not near.items.shape[1]:
        return None
    items, affinities = near.items[numbers].astype(np.int64), near.affinities[numbers]
    is_nearest = (affinities == affinities[:, :1]) & (items >= 0)
    asked = np.repeat(numbers, items.shape[1])
    right = gold.is_right(asked, items.ravel()).reshape(items.shape) & is_nearest
    n_nearest = is_nearest.sum(axis=1)
    return {
        "share": float((n_nearest > 1).mean()),
        "file_order": float(right[:, 0].mean()),
        "any_order": float((right.sum(axis=1) / np.maximum(1, n_nearest)).mean()),
    }
