"""Discovery: entities that are hidden, or really missing, as clusters; k and threshold chosen on dev."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arborlink.discovery import ThresholdCurve, choose, threshold_curve
from arborlink.evaluation.discovery_protocol.hiding import hide_entities
from arborlink.evaluation.discovery_protocol.protocol import N_THRESHOLDS
from arborlink.evaluation.discovery_protocol.rows import METHODS, Method
from arborlink.evaluation.discovery_protocol.searched_split import SearchedSplit
from arborlink.evaluation.gold import Gold, gold_ids
from arborlink.evaluation.metrics import accuracy, detection
from arborlink.experiments.cluster_bootstrap import agreement_of_draws, centred_interval
from arborlink.experiments.documents_bootstrap import document_draws
from arborlink.experiments.models import Found
from arborlink.experiments.results import DRAW_UNIT
from arborlink.experiments.taking_out import taken_out
from arborlink.partition import Mode, Partition, partition

_CURVE_POINTS = 80
_OF_CURVES = ("mode", "neighbours", "is_exact", "threshold", "nmi_ari_mean", "nil_f1", "accuracy")


def hidden_figures(
    dev: Found, test: Found, share: float, seed: int, neighbours: Sequence[int]
) -> dict[str, Any]:
    """The paper's protocol: a share of the entities with a gold mention is taken out of the knowledge base.

    Nothing is encoded or searched again: the nearest entity is the nearest that is not hidden. k and one of ten
    thresholds (centres of the affinities) are chosen on dev, whose entities are hidden by the same seed.

    Args:
        dev: neighbours of the dev mentions.
        test: of the test mentions.
        share: of the entities to hide.
        seed: decides which.
        neighbours: the k to try.
    """
    hidden = [hide_entities(each.split.corpus, each.split.kb, share, seed).hidden for each in (dev, test)]
    judged, reported = (taken_out(each, ids) for each, ids in zip((dev, test), hidden, strict=True))
    methods = {}
    for method in METHODS:
        k, threshold, mean = judged.best(method, neighbours, N_THRESHOLDS)
        clusters = reported.clusters(method, k, threshold)
        methods[method] = {
            "k": k,
            "threshold": threshold,
            "dev_mean": mean,
            **_agreement(clusters, reported.gold),
        }
    counts = {
        "mentions": int((reported.gold.cluster >= 0).sum()),
        "outside": int(reported.gold.outside.sum()),
        "hidden": len(hidden[1]),
        "dev_hidden": len(hidden[0]),
    }
    return {"share": share, "seed": seed, "counts": counts, "methods": methods}


def missing_figures(
    dev: Found, test: Found, neighbours: Sequence[int], train_ids: set[str]
) -> dict[str, Any] | None:
    """The entities that the knowledge base really lacks; every threshold is tried on dev.

    Where dev has no mention of such an entity, those of its entities that train never mentions are taken out of the
    knowledge base to choose by: as far as the model goes they are new as well.

    Args:
        dev: neighbours of the dev mentions.
        test: of the test mentions.
        neighbours: the k to try.
        train_ids: gold ids of the train split.

    Returns:
        The figures; ``None`` where test has no mention of a missing entity, or dev nothing to choose by.
    """
    gold = Gold.of(test.split.corpus, test.split.kb)
    judged, n_taken_out = _to_choose_by(dev, train_ids)
    if not (judged.gold.outside.any() and gold.outside.any()):
        return None
    methods, curves = {}, {}
    for method in METHODS:
        chosen = choose(_curves(judged, method, neighbours))
        k, threshold = chosen.curve.neighbours, chosen.threshold
        graph = test.hood.graph(k, with_entities=method != "no_entities")
        parts = partition(graph, _mode(method), -threshold)
        methods[method] = {
            "k": k,
            "threshold": threshold,
            "dev_mean": chosen.figures["nmi_ari_mean"],
            **_agreement(parts.cluster, gold),
            **(_detected(parts, gold) if method != "no_entities" else {}),
        }
        curve = chosen.curve.to_json(keep=chosen.point, at_most=_CURVE_POINTS)
        curves[method] = {name: curve[name] for name in _OF_CURVES}
    counts = {
        "mentions": int((gold.cluster >= 0).sum()),
        "outside": int(gold.outside.sum()),
        "dev_outside": int(judged.gold.outside.sum()),
        "dev_taken_out": n_taken_out,
    }
    return {"counts": counts, "methods": methods, "dev_curves": curves}


def _to_choose_by(dev: Found, train_ids: set[str]) -> tuple[SearchedSplit, int]:
    """Dev with something to discover, and how many entities that took."""
    as_it_is = taken_out(dev, ())
    if as_it_is.gold.outside.any():
        return as_it_is, 0
    unseen = gold_ids(dev.split.corpus) & dev.split.kb.index.keys() - train_ids
    return taken_out(dev, unseen), len(unseen)


def _mode(method: Method) -> Mode:
    # Without an entity, undirected inference gives the weak components.
    return "undirected" if method == "no_entities" else method


def _curves(judged: SearchedSplit, method: Method, neighbours: Sequence[int]) -> Iterator[ThresholdCurve]:
    gold = judged.gold
    if method == "no_entities":
        gold = replace(gold, n_entities=0, pairs=np.empty(0, np.int64))
    for k in neighbours:
        yield threshold_curve(judged.graph(method, k), _mode(method), gold, neighbours=k)


def _agreement(clusters: NDArray[np.int32], gold: Gold) -> dict[str, Any]:
    """NMI, ARI and their mean over all mentions of known gold cluster, with intervals over documents."""
    known = gold.cluster >= 0
    documents = int(gold.document.max(initial=0)) + 1
    draws = np.vstack([np.ones((1, documents)), document_draws(documents)]).astype(np.int64)
    nmi, ari = agreement_of_draws(
        gold.cluster[known], clusters[known].astype(np.int64), gold.document[known], draws
    )
    drawn = {"nmi": nmi, "ari": ari, "mean": (nmi + ari) / 2}
    return {
        **{name: float(values[0]) for name, values in drawn.items()},
        "interval": {name: centred_interval(values[1:], float(values[0])) for name, values in drawn.items()},
        "draws": np.round(drawn["mean"][1:] / DRAW_UNIT).astype(int).tolist(),
    }


def _detected(parts: Partition, gold: Gold) -> dict[str, float | None]:
    """How well "outside the knowledge base" was told, and what linking is worth at that threshold."""
    entity = parts.entity.astype(np.int64)
    found = detection(gold.nil, gold.labelled & (entity < 0))
    right = gold.is_right(np.arange(len(entity)), entity)
    return {
        "nil_precision": found.precision,
        "nil_recall": found.recall,
        "nil_f1": found.f1,
        "accuracy": accuracy(right, gold.linkable),
    }
