"""The way from each mention to the root of its tree, for all mentions at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from arborlink.partition import Partition


def paths(parts: Partition) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """The weakest affinity between each mention and the root of its tree, and the number of edges there.

    Paths are followed in strides that double, so that a chain of a thousand mentions takes ten turns; the same as
    :func:`arborlink.partition.bottleneck`, mention by mention.

    Args:
        parts: the partition.

    Returns:
        Affinities, shape (n_mentions,), infinite where the mention is a root itself; and counts of edges, shape
        (n_mentions,).
    """
    n = parts.n_mentions
    is_root = parts.parent < 0
    # one place more, where every path has ended: nothing weakens it and no edge follows
    weakest = np.append(np.where(is_root, np.inf, -parts.weight.astype(np.float64)), np.inf)
    n_edges = np.append((~is_root).astype(np.int64), 0)
    above = np.append(parts.parent.astype(np.int64) - parts.n_entities, n)
    above[above < 0] = n
    while (above != n).any():
        weakest = np.minimum(weakest, weakest[above])
        n_edges += n_edges[above]
        above = above[above]
    return weakest[:n], n_edges[:n]
