"""Figures of discovery: are mentions of one entity together, and those without an entity found out?"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from arborlink.evaluation.figures import Figure
from arborlink.evaluation.gold import Gold
from arborlink.evaluation.metrics import (
    adjusted_rand_index,
    b_cubed,
    detection,
    normalised_mutual_information,
)
from arborlink.evaluation.predictions import Predictions


def discovery_figures(gold: Gold, predictions: Predictions) -> list[Figure]:
    """Clusters over all mentions of known gold cluster and over those outside the KB, and NIL detection."""
    known = gold.cluster >= 0
    return [
        *_clustering("", gold, predictions, known, "no mention has a known gold cluster"),
        *_nil_detection(gold, predictions),
        *_clustering(
            "nil_", gold, predictions, gold.outside, "no mention has its gold entity outside the KB"
        ),
        Figure(
            "n_clusters_discovered",
            predictions.n_clusters_discovered,
            "discovery",
            "predicted clusters without an entity",
        ),
    ]


def _clustering(
    prefix: str, gold: Gold, predictions: Predictions, among: NDArray[np.bool_], reason: str
) -> list[Figure]:
    gold_labels, predicted_labels = gold.cluster[among], predictions.cluster_labels[among]
    n = len(gold_labels)
    values = _cluster_values(gold_labels, predicted_labels) if n else dict.fromkeys(_CLUSTER_KEYS)
    scope = "of known gold cluster" if not prefix else "outside the KB"
    note = f"over {n:,} mentions {scope}" if n else reason
    sizes = {
        "n_{}mentions_clustered": (n, f"mentions {scope}"),
        "n_{}clusters_gold": (len(np.unique(gold_labels)), "gold clusters of these"),
        "n_{}clusters_predicted": (len(np.unique(predicted_labels)), "predicted clusters of these"),
    }
    return [
        *(Figure(prefix + key, value, "discovery", note) for key, value in values.items()),
        *(Figure(key.format(prefix), size, "discovery", what) for key, (size, what) in sizes.items()),
    ]


_CLUSTER_KEYS = ("nmi", "ari", "nmi_ari_mean", "b3_precision", "b3_recall", "b3_f1")


def _cluster_values(gold: NDArray[np.int64], predicted: NDArray[np.int64]) -> dict[str, float | None]:
    nmi, ari = normalised_mutual_information(gold, predicted), adjusted_rand_index(gold, predicted)
    return dict(zip(_CLUSTER_KEYS, (nmi, ari, (nmi + ari) / 2, *b_cubed(gold, predicted)), strict=True))


def _nil_detection(gold: Gold, predictions: Predictions) -> list[Figure]:
    predicted_nil = gold.labelled & predictions.predicted & (predictions.entity < 0)
    found = detection(gold.nil, predicted_nil)
    n_gold, n_predicted = int(gold.nil.sum()), int(predicted_nil.sum())
    no_gold = "no labelled mention is outside the KB"
    notes = (
        f"of {n_predicted:,} predicted null" if n_predicted else "no labelled mention was predicted null",
        f"of {n_gold:,} gold NIL mentions" if n_gold else no_gold,
        "harmonic mean of the two" if n_gold else no_gold,
    )
    return [
        *(
            Figure(f"nil_{key}", value, "discovery", note)
            for key, value, note in zip(found._fields, found, notes, strict=True)
        ),
        Figure("n_nil_gold", n_gold, "discovery", "outside the KB, or NIL of unknown cluster"),
        Figure("n_nil_predicted", n_predicted, "discovery", "labelled mentions with a link to no entity"),
    ]
