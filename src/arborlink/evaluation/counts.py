"""Figures that say what was counted, so that no mention is left out without a word."""

from __future__ import annotations

from arborlink.evaluation.figures import Figure
from arborlink.evaluation.gold import Gold
from arborlink.evaluation.predictions import Predictions


def count_figures(gold: Gold, predictions: Predictions) -> list[Figure]:
    """The mentions by label: linkable, outside, NIL of unknown cluster and unlabelled add up to all."""
    counts = (
        ("n_mentions", len(gold.labels), "in the gold documents"),
        ("n_linkable", gold.linkable.sum(), "a gold entity in the knowledge base"),
        ("n_outside_kb", gold.outside.sum(), "a gold entity, none in the knowledge base"),
        ("n_nil_unknown", gold.nil_unknown.sum(), "known NIL, gold cluster unknown: not in cluster figures"),
        ("n_unlabelled", gold.unlabelled.sum(), "no gold label: in no other figure"),
        ("n_composite", gold.composite.sum(), "several gold ids"),
        (
            "n_without_prediction",
            (~predictions.predicted).sum(),
            "no link: wrong in every accuracy",
        ),
        ("n_retired_replaced", gold.n_replaced, "gold labels changed by the id map"),
    )
    return [Figure(key, int(count), "counts", note) for key, count, note in counts]
