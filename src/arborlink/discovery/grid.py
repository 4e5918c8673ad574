"""Some thresholds for ``directed``, in which raising the limit on weights can re-link a mention.

No pass through the edges leads from one threshold's partition to the next there: each one that is tried costs a
partition. Tried are quantiles of the affinities that the partition without a threshold stands on; then, twice, more
of them between the best one's neighbours.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arborlink.discovery.aim import Aim
from arborlink.discovery.choice import best_point
from arborlink.discovery.curve import FIGURES, ThresholdCurve
from arborlink.evaluation.gold import Gold
from arborlink.evaluation.metrics import (
    accuracy,
    adjusted_rand_index,
    b_cubed,
    detection,
    normalised_mutual_information,
)
from arborlink.graph import NeighbourGraph
from arborlink.partition import Mode, Partition, partition

_QUANTILES = 24
_ROUNDS = 2
_BETWEEN = 5
Figures = dict[str, float | int | None]


def grid_curve(graph: NeighbourGraph, mode: Mode, gold: Gold, neighbours: int, aim: Aim) -> ThresholdCurve:
    """The figures at some thresholds, closer to each other around the best for an aim."""
    weight = partition(graph, mode).weight
    affinities = np.unique(-weight[~np.isnan(weight)].astype(np.float64) + 0.0)[::-1]
    affinities = affinities[np.isfinite(affinities)]
    tried: dict[float, Figures] = {np.inf: _figures(partition(graph, mode, -np.inf), gold)}
    places = _spread(0, len(affinities) - 1, _QUANTILES)
    for turn in range(_ROUNDS + 1):
        for place in places:
            threshold = float(affinities[place])
            if threshold not in tried:
                tried[threshold] = _figures(partition(graph, mode, -threshold), gold)
        curve = _curve(tried, mode, neighbours)
        best = best_point(curve, aim)
        if turn == _ROUNDS or best is None:
            break
        # places and points both run from the highest affinity; the first point is the one at infinity
        around = curve.threshold[max(best.point - 1, 1) : best.point + 2]
        ends = np.searchsorted(-affinities, -around)
        places = [
            place for low, high in pairwise(ends.tolist()) for place in _spread(low, high, _BETWEEN + 2)
        ]
    return curve


def _spread(first: int, last: int, n: int) -> list[int]:
    """Up to ``n`` whole numbers from first to last, evenly spread; none where last is below first."""
    if last < first:
        return []
    return [int(number) for number in np.unique(np.linspace(first, last, n).round())]


def _curve(tried: dict[float, Figures], mode: Mode, neighbours: int) -> ThresholdCurve:
    thresholds = sorted(tried, reverse=True)
    columns: dict[str, NDArray[Any]] = {
        name: np.array(
            [np.nan if (value := tried[each][name]) is None else value for each in thresholds],
            np.int64 if name.startswith("n_") else np.float64,
        )
        for name in FIGURES
    }
    return ThresholdCurve(
        mode=mode, neighbours=neighbours, is_exact=False, threshold=np.array(thresholds), **columns
    )


def _figures(parts: Partition, gold: Gold) -> Figures:
    entity = parts.entity.astype(np.int64)
    is_linked = entity >= 0
    right = gold.is_right(np.arange(len(entity)), entity)
    found = detection(gold.nil, gold.labelled & ~is_linked)
    return {
        **_clustering(gold.cluster, parts.cluster),
        "nil_precision": found.precision,
        "nil_recall": found.recall,
        "nil_f1": found.f1,
        "accuracy": accuracy(right, gold.linkable),
        "wrong_links": accuracy(~right, gold.labelled & is_linked),
        "n_linked": int(is_linked.sum()),
        "n_discovered": len(np.unique(parts.cluster[~is_linked])),
    }


def _clustering(gold_cluster: NDArray[np.int64], cluster: NDArray[np.int32]) -> Figures:
    known = gold_cluster >= 0
    if not known.any():
        return dict.fromkeys(FIGURES[:6])
    gold, predicted = gold_cluster[known], cluster[known]
    nmi, ari = normalised_mutual_information(gold, predicted), adjusted_rand_index(gold, predicted)
    return dict(zip(FIGURES[:6], (nmi, ari, (nmi + ari) / 2, *b_cubed(gold, predicted)), strict=True))
