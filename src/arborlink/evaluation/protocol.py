"""The protocol: one sentence that names what was counted, and how."""

from __future__ import annotations

from collections.abc import Mapping

from arborlink.evaluation.gold import Gold


def protocol(
    gold: Gold,
    id_map: Mapping[str, str] | None,
    with_train: bool,
    with_candidates: bool,
    with_probabilities: bool = False,
) -> str:
    """Describe the evaluation at hand, naming only what was really computed."""
    parts = [
        "accuracy over linkable mentions only (a gold entity in the knowledge base)",
        "composite right if any id matches",
        "a mention without a prediction is wrong",
    ]
    if with_train:
        parts.append("seen if a gold id occurs in the train documents")
    if with_candidates:
        parts.append("recall over linkable mentions")
    parts += [
        "clusters over all mentions with a known gold cluster (composite = its set of ids, "
        "unclustered = singleton)",
        "NIL = predicted null against no gold entity in the knowledge base, labelled mentions only",
    ]
    if with_probabilities:
        parts.append("calibration over labelled mentions: the link is right or, of null, NIL is right")
    parts.append(_gold_ids(gold, id_map))
    return "; ".join(parts)


def _gold_ids(gold: Gold, id_map: Mapping[str, str] | None) -> str:
    if id_map is None:
        return "gold ids as given"
    return (
        f"retired gold ids replaced (ids in the map: {len(id_map):,}, mentions changed: {gold.n_replaced:,})"
    )
