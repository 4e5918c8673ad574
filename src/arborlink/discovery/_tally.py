"""Sums over the clusters that every clustering metric is made of, kept while mentions change their cluster.

One move costs a constant number of steps. Sums of fractions are kept as integers, in units of ``1 / scale``: what is
added and later taken away again leaves nothing behind, and no sum depends on the order of the moves.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arborlink.compiled import compiled

# places in the totals; n_ij mentions of gold cluster i in predicted cluster j, a_i and b_j mentions of known gold
# cluster in all, so that:
SHARED_SQUARES = 0  # Σ n_ij²
CLUSTER_SQUARES = 1  # Σ b_j²
SHARED_LOGS = 2  # Σ n_ij log n_ij
CLUSTER_LOGS = 3  # Σ b_j log b_j
PRECISION = 4  # Σ n_ij² / b_j
RECALL = 5  # Σ n_ij² / a_i
N_CLUSTERS = 6  # how many b_j are not 0
N_DISCOVERED = 7  # clusters without an entity, of known gold cluster or not
N_TOTALS = 8

_EMPTY = -1
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_HALF = np.uint64(32)


class Tally(NamedTuple):
    """Clusters and their sums. Clusters below ``n_entities`` are those of the entities, the others have none.

    Args:
        n_entities: how many entities there are.
        scale: what 1 counts in the totals of fractions.
        gold: int32, shape (n_mentions,): gold cluster, -1 where it is not known.
        gold_size: int32, shape (n_gold,): mentions of each gold cluster.
        logs: int64: ``n log n`` times the scale for every possible count n.
        cluster: int32, shape (n_mentions,): the cluster of each mention.
        members: int32, shape (n_entities + n_mentions,): mentions of each cluster.
        known: int32, likewise: those of known gold cluster.
        squares: int64, likewise: sum of the squares of its n_ij.
        keys: int64, a power of two of them: hash table with a place for each n_ij above 0.
        counts: int32, of the same shape: these n_ij.
        totals: int64, shape (N_TOTALS,).
    """

    n_entities: int
    scale: float
    gold: NDArray[np.int32]
    gold_size: NDArray[np.int32]
    logs: NDArray[np.int64]
    cluster: NDArray[np.int32]
    members: NDArray[np.int32]
    known: NDArray[np.int32]
    squares: NDArray[np.int64]
    keys: NDArray[np.int64]
    counts: NDArray[np.int32]
    totals: NDArray[np.int64]


def tally_scale(n_known: int) -> float:
    """The largest power of two in whose units the sums over so many mentions fit into 62 bits."""
    largest = n_known * max(1.0, float(np.log(max(n_known, 1)))) + 1
    return float(2.0 ** (61 - int(np.ceil(np.log2(largest)))))


def tally_of_singletons(gold_cluster: NDArray[np.int64], n_entities: int) -> Tally:
    """Every mention in a cluster of its own: mention m in cluster ``n_entities + m``."""
    n = len(gold_cluster)
    known = gold_cluster >= 0
    n_known = int(known.sum())
    sizes = np.bincount(gold_cluster[known])
    scale = tally_scale(n_known)
    counts = np.arange(n_known + 1, dtype=np.float64)
    logs = np.rint(counts * np.log(np.maximum(counts, 1)) * scale).astype(np.int64)
    capacity = 1 << max(2 * n_known, 1).bit_length()
    tally = Tally(
        n_entities=n_entities,
        scale=scale,
        gold=gold_cluster.astype(np.int32),
        gold_size=sizes.astype(np.int32),
        logs=logs,
        cluster=np.full(n, -1, np.int32),
        members=np.zeros(n_entities + n, np.int32),
        known=np.zeros(n_entities + n, np.int32),
        squares=np.zeros(n_entities + n, np.int64),
        keys=np.full(capacity, _EMPTY, np.int64),
        counts=np.zeros(capacity, np.int32),
        totals=np.zeros(N_TOTALS, np.int64),
    )
    _settle(tally)
    return tally


@compiled
def _settle(tally: Tally) -> None:
    for mention in range(tally.cluster.shape[0]):
        _enter(tally, mention, tally.n_entities + mention)


@compiled
def move(tally: Tally, mention: int, cluster: int) -> None:
    """Take a mention out of its cluster and put it into another."""
    _leave(tally, mention)
    _enter(tally, mention, cluster)


@compiled
def _leave(tally: Tally, mention: int) -> None:
    cluster = tally.cluster[mention]
    tally.members[cluster] -= 1
    if cluster >= tally.n_entities and tally.members[cluster] == 0:
        tally.totals[N_DISCOVERED] -= 1
    gold = tally.gold[mention]
    if gold >= 0:
        n = _count_less(tally, cluster, gold)
        _change(tally, cluster, gold, n, n - 1)


@compiled
def _enter(tally: Tally, mention: int, cluster: int) -> None:
    tally.cluster[mention] = cluster
    if cluster >= tally.n_entities and tally.members[cluster] == 0:
        tally.totals[N_DISCOVERED] += 1
    tally.members[cluster] += 1
    gold = tally.gold[mention]
    if gold >= 0:
        n = _count_more(tally, cluster, gold)
        _change(tally, cluster, gold, n, n + 1)


@compiled
def _change(tally: Tally, cluster: int, gold: int, before: int, after: int) -> None:
    """Bring the totals up to date when a cluster comes to share ``after`` mentions with a gold cluster."""
    totals = tally.totals
    size = tally.known[cluster]
    new_size = size + (after - before)
    squares = tally.squares[cluster]
    new_squares = squares + (np.int64(after) * after - np.int64(before) * before)
    totals[SHARED_SQUARES] += new_squares - squares
    totals[CLUSTER_SQUARES] += np.int64(new_size) * new_size - np.int64(size) * size
    totals[SHARED_LOGS] += tally.logs[after] - tally.logs[before]
    totals[CLUSTER_LOGS] += tally.logs[new_size] - tally.logs[size]
    totals[PRECISION] += _share(tally, new_squares, new_size) - _share(tally, squares, size)
    whole = tally.gold_size[gold]
    totals[RECALL] += _share(tally, np.int64(after) * after, whole) - _share(
        tally, np.int64(before) * before, whole
    )
    totals[N_CLUSTERS] += (new_size > 0) - (size > 0)
    tally.known[cluster] = new_size
    tally.squares[cluster] = new_squares


@compiled
def _share(tally: Tally, part: int | np.integer[Any], whole: int | np.integer[Any]) -> Any:
    if whole == 0:
        return np.int64(0)
    return np.int64(np.rint(part / whole * tally.scale))


@compiled
def _home(key: int, mask: int) -> Any:
    return np.int64((np.uint64(key) * _MULTIPLIER) >> _HALF) & mask


@compiled
def _place(tally: Tally, cluster: int, gold: int) -> Any:
    """Where the count of a cluster and a gold cluster stands, or would stand."""
    keys = tally.keys
    mask = keys.shape[0] - 1
    key = np.int64(cluster) * tally.gold_size.shape[0] + gold
    at = _home(key, mask)
    while keys[at] != _EMPTY and keys[at] != key:
        at = (at + 1) & mask
    return at, key


@compiled
def _count_more(tally: Tally, cluster: int, gold: int) -> Any:
    """Count one more mention that a cluster shares with a gold cluster; return how many it were before."""
    at, key = _place(tally, cluster, gold)
    before = tally.counts[at]
    tally.keys[at] = key
    tally.counts[at] = before + 1
    return before


@compiled
def _count_less(tally: Tally, cluster: int, gold: int) -> Any:
    """Count one less; a count of 0 makes room, and those it had pushed on move up."""
    at, _ = _place(tally, cluster, gold)
    keys, counts = tally.keys, tally.counts
    before = counts[at]
    counts[at] = before - 1
    if before > 1:
        return before
    mask = keys.shape[0] - 1
    free, following = at, (at + 1) & mask
    while keys[following] != _EMPTY:
        home = _home(keys[following], mask)
        if (following - home) & mask >= (following - free) & mask:
            keys[free], counts[free] = keys[following], counts[following]
            free = following
        following = (following + 1) & mask
    keys[free], counts[free] = _EMPTY, 0
    return before
