"""Which names of a large knowledge base are worth encoding for the mentions at hand.

A transformer takes a millisecond a name on a CPU; comparing spelling takes a thousandth of that. A name that is
among the nearest by spelling for no mention string is hardly ever the best one for any of them:
``benchmarks/untrained_default.py`` measures what that costs (docs/encoders.md has the figures).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from arborlink.encoder import Embeddings
from arborlink.labels import Labels
from arborlink.search import Neighbours
from arborlink.search.reproducible import nearest_reproducibly


def shortlist(
    mentions: Embeddings, names: Embeddings, n_each: int, labels: Labels | None = None, device: str = "cpu"
) -> NDArray[np.int64]:
    """Rows of ``names.vectors`` that are among the ``n_each`` nearest of some mention; sorted, int64.

    Equally near names go by row, so what is kept for some mentions does not depend on the others: for all of them
    together it is what is kept for each.

    Args:
        mentions: one spelling vector for each mention.
        names: the spelling vectors of each entity's names.
        n_each: how many to keep for each mention.
        labels: which mentions may meet which entities; each is then given its nearest among those it may meet.
        device: where to search.
    """
    if mentions.n_items == 0 or len(names.vectors) <= n_each:
        return np.arange(len(names.vectors))
    each_name = Embeddings.one_each(names.vectors)
    if labels is None:
        queries = Embeddings.one_each(mentions.vectors)
        return _found(nearest_reproducibly(queries, each_name, n_each, device=device, progress=False))
    kept: list[NDArray[np.int32]] = [np.empty(0, dtype=np.int32)]
    owners = names.item_of_view
    for members, allowed in labels.meetings():
        queries = Embeddings.one_each(mentions.vectors, np.unique(mentions.rows[members]))
        among = np.arange(len(names.vectors), dtype=np.int32)
        if allowed is not None:
            among = np.unique(names.rows[np.isin(owners, allowed)])
        targets = Embeddings.one_each(names.vectors, among)
        kept.append(
            among[_found(nearest_reproducibly(queries, targets, n_each, device=device, progress=False))]
        )
    return np.unique(np.concatenate(kept)).astype(np.int64)


def _found(neighbours: Neighbours) -> NDArray[np.int64]:
    items = np.unique(neighbours.items).astype(np.int64)
    return items[items >= 0]
