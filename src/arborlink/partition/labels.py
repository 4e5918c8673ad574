"""From parents to entities and cluster labels."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from arborlink.compiled import compiled


@compiled
def follow_parents(parent: NDArray[Any], n_entities: int) -> Any:
    """Entity and cluster label of every mention.

    Args:
        parent: int32, shape (n_mentions,): node each mention hangs from, -1 for roots. No cycles.
        n_entities: how many entities there are.

    Returns:
        ``entity`` and ``cluster``, int32, shape (n_mentions,); as in
        :class:`arborlink.partition.result.Partition`.
    """
    n_mentions = parent.shape[0]
    root = np.full(n_mentions, -1, np.int32)
    for mention in range(n_mentions):
        top = mention
        while root[top] < 0 and parent[top] >= n_entities:
            top = parent[top] - n_entities
        if root[top] < 0:
            root[top] = parent[top] if parent[top] >= 0 else top + n_entities
        found = root[top]
        below = mention
        while below != top:
            root[below] = found
            below = parent[below] - n_entities
    label = np.full(n_entities + n_mentions, -1, np.int32)
    n_clusters = 0
    entity = np.empty(n_mentions, np.int32)
    cluster = np.empty(n_mentions, np.int32)
    for mention in range(n_mentions):
        top = root[mention]
        if label[top] < 0:
            label[top] = n_clusters
            n_clusters += 1
        entity[mention] = top if top < n_entities else -1
        cluster[mention] = label[top]
    return entity, cluster
