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
from arborlink.search import top_rows


def shortlist(
    mentions: Embeddings, names: Embeddings, n_each: int, labels: Labels | None = None, device: str = "cpu"
) -> NDArray[np.int64]:
    """Rows of ``names.vectors`` that are among the ``n_each`` nearest of some mention; sorted, int64.

    Args:
        mentions: one spelling vector for each mention.
        names: the spelling vectors of each entity's names.
        n_each: how many to keep for each mention.
        labels: which mentions may meet which entities; each is then given its nearest among those it may meet.
        device: where to search.
    """
    if mentions.n_items == 0 or len(names.vectors) <= n_each:
        return np.arange(len(names.vectors))
    if labels is None:
        return np.unique(top_rows(mentions.vectors, names.vectors, n_each, device=device)[1])
    kept = [np.empty(0, dtype=np.int64)]
    owners = names.item_of_view
    for members, allowed in labels.meetings():
        queries = mentions.vectors[np.unique(mentions.rows[members])]
        among = None if allowed is None else np.unique(names.rows[np.isin(owners, allowed)]).astype(np.int64)
        n_rows = min(n_each, len(names.vectors) if among is None else len(among))
        if n_rows:
            kept.append(top_rows(queries, names.vectors, n_rows, among=among, device=device)[1].ravel())
    return np.unique(np.concatenate(kept))
