"""Every threshold in one pass, for the modes in which raising the limit on weights never re-links a mention.

In these modes a mention is linked from one level of weights on, to one entity: the heaviest edge on its path tells
which level that is. The partition without a threshold has all paths. Between the mentions that are not linked yet,
edges make clusters: those of the spanning forest in ``undirected``, all of them in ``minimax``, none in
``independent``. Playing both kinds of events back in the order of their levels passes through the partition of every
threshold.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from arborlink.discovery.curve import Floats, ThresholdCurve
from arborlink.evaluation.gold import Gold
from arborlink.graph import NeighbourGraph
from arborlink.partition import Mode, Partition, partition

Levels = NDArray[np.int32]


def exact_curve(graph: NeighbourGraph, mode: Mode, gold: Gold, neighbours: int) -> ThresholdCurve:
    """The figures at every threshold; what they are over and how is as in ``arborlink evaluate``."""
    # the compiler behind these takes a while to load
    from arborlink.discovery._regroup import adjacency_of
    from arborlink.discovery._replay import bottlenecks, replay
    from arborlink.discovery._tally import N_DISCOVERED, tally_of_singletons

    weights, edge_level = np.unique(graph.weight, return_inverse=True)
    edge_level = edge_level.astype(np.int32)
    parts = partition(graph, mode)
    parent_level = np.searchsorted(weights, parts.weight).astype(np.int32)
    join_level = bottlenecks(parts.parent, parent_level, graph.n_entities, len(weights))
    one, other, level = _edges_between_mentions(graph, mode, parts, edge_level, parent_level)
    matters = level < np.minimum(join_level[one], join_level[other])
    order = np.argsort(level[matters], kind="stable")
    one, other, level = (each[matters][order] for each in (one, other, level))
    joining = _in_order_of(join_level, len(weights))
    levels, totals = replay(
        tally_of_singletons(gold.cluster, graph.n_entities),
        adjacency_of(one, other, level, join_level),
        one,
        other,
        level,
        joining,
        parts.entity,
    )
    threshold = np.concatenate(([np.inf], -weights.astype(np.float64)[levels[1:]] + 0.0))
    begin = 1 if len(threshold) > 1 and threshold[1] == np.inf else 0  # edges that no threshold can keep out
    linked = np.searchsorted(join_level[joining], levels, side="right")
    return ThresholdCurve(
        mode=mode,
        neighbours=neighbours,
        is_exact=True,
        threshold=threshold[begin:],
        **_clustering(totals[begin:], gold),
        **_linking(gold, joining, parts.entity, linked[begin:]),
        n_linked=linked[begin:],
        n_discovered=totals[begin:, N_DISCOVERED],
    )


def _in_order_of(join_level: Levels, never: int) -> Levels:
    order = np.argsort(join_level, kind="stable")
    return order[: np.count_nonzero(join_level < never)].astype(np.int32)


def _edges_between_mentions(
    graph: NeighbourGraph, mode: Mode, parts: Partition, edge_level: Levels, parent_level: Levels
) -> tuple[Levels, Levels, Levels]:
    """Ends and level of the edges that make clusters without an entity."""
    first = graph.n_entities
    if mode == "minimax":
        between = graph.source >= first
        return graph.source[between] - first, graph.target[between] - first, edge_level[between]
    hanging = np.flatnonzero(parts.parent >= first) if mode == "undirected" else np.empty(0, np.int64)
    return parts.parent[hanging] - first, hanging.astype(np.int32), parent_level[hanging]


def _clustering(totals: NDArray[np.int64], gold: Gold) -> dict[str, Floats]:
    """NMI, ARI and B-cubed from the totals; see ``arborlink.evaluation.metrics`` for their definitions."""
    from arborlink.discovery import _tally

    known = gold.cluster[gold.cluster >= 0]
    n = len(known)
    if not n:
        nothing = np.full(len(totals), np.nan)
        names = ("nmi", "ari", "nmi_ari_mean", "b3_precision", "b3_recall", "b3_f1")
        return dict.fromkeys(names, nothing)
    sizes = np.bincount(known)
    sizes = sizes[sizes > 0]
    scale = _tally.tally_scale(n)
    nmi = _nmi(
        n,
        sizes,
        totals[:, _tally.N_CLUSTERS],
        totals[:, _tally.SHARED_LOGS] / scale,
        totals[:, _tally.CLUSTER_LOGS] / scale,
    )
    ari = _ari(n, sizes, totals[:, _tally.SHARED_SQUARES], totals[:, _tally.CLUSTER_SQUARES])
    precision = totals[:, _tally.PRECISION] / scale / n
    recall = totals[:, _tally.RECALL] / scale / n
    return {
        "nmi": nmi,
        "ari": ari,
        "nmi_ari_mean": (nmi + ari) / 2,
        "b3_precision": precision,
        "b3_recall": recall,
        "b3_f1": 2 * precision * recall / (precision + recall),
    }


def _nmi(
    n: int, sizes: NDArray[np.int64], n_clusters: NDArray[np.int64], shared: Floats, clustered: Floats
) -> Floats:
    if len(sizes) == 1:
        return np.where(n_clusters == 1, 1.0, 0.0)
    of_gold = float(np.sum(sizes * np.log(sizes))) / n
    information = np.log(n) + (shared - clustered) / n - of_gold
    mean_entropy = np.log(n) - (of_gold + clustered / n) / 2
    found: Floats = np.where(n_clusters == 1, 0.0, np.clip(information / mean_entropy, 0.0, 1.0))
    return found


def _ari(n: int, sizes: NDArray[np.int64], shared: NDArray[np.int64], clustered: NDArray[np.int64]) -> Floats:
    """The adjusted Rand index from sums of squares.

    Products of pairs pass 2^63, so they are floats; where most pairs are together, those apart are multiplied
    instead, which gives the same difference without cancelling digits.
    """
    n_pairs, in_gold = n * (n - 1) // 2, (int(np.sum(sizes**2)) - n) // 2
    together, in_predicted = (shared - n) // 2, (clustered - n) // 2
    gold_apart, predicted_apart = n_pairs - in_gold, n_pairs - in_predicted
    apart = gold_apart + predicted_apart - (n_pairs - together)
    few = float(n_pairs) * together - float(in_gold) * in_predicted
    many = float(n_pairs) * apart - float(gold_apart) * predicted_apart
    above = np.where(in_gold + in_predicted <= n_pairs, few, many)
    below = float(in_gold) * predicted_apart + float(gold_apart) * in_predicted
    same = (together == in_gold) & (together == in_predicted)
    found: Floats = np.where(same, 1.0, 2 * above / np.where(same, 1.0, below))
    return found


def _linking(
    gold: Gold, joining: Levels, entity: NDArray[np.int32], linked: NDArray[np.int64]
) -> dict[str, Floats]:
    """Figures of single mentions, each from how many of the first ``linked`` ones have a property."""
    mentions = joining.astype(np.int64)
    is_right = gold.is_right(mentions, entity[mentions].astype(np.int64))

    def among_first(has_property: NDArray[np.bool_]) -> NDArray[np.int64]:
        counted: NDArray[np.int64] = np.concatenate(([0], np.cumsum(has_property)))[linked]
        return counted

    n_right, n_judged = among_first(is_right), among_first(gold.labelled[mentions])
    n_nil = int(gold.nil.sum())
    nil_right = n_nil - among_first(gold.nil[mentions])
    nil_predicted = int(gold.labelled.sum()) - n_judged
    every = np.ones(len(linked), np.int64)
    return {
        "nil_precision": _ratio(nil_right, nil_predicted),
        "nil_recall": _ratio(nil_right, n_nil * every),
        "nil_f1": _ratio(2 * nil_right, np.where(n_nil, nil_predicted + n_nil, 0)),
        "accuracy": _ratio(n_right, int(gold.linkable.sum()) * every),
        "wrong_links": _ratio(n_judged - n_right, n_judged),
    }


def _ratio(part: NDArray[np.int64], whole: NDArray[np.int64]) -> Floats:
    return np.where(whole > 0, part / np.maximum(whole, 1), np.nan)
