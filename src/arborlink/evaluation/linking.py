"""Figures of linking: is the predicted entity the right one?"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from arborlink.corpus import Corpus
from arborlink.evaluation.figures import Figure
from arborlink.evaluation.gold import Gold
from arborlink.evaluation.metrics import accuracy, bootstrap_interval
from arborlink.evaluation.predictions import Predictions

NOTHING_LINKABLE = "no mention has a gold entity in the knowledge base"
NO_TRAIN = "no train documents were given"


def linking_figures(
    corpus: Corpus,
    gold: Gold,
    predictions: Predictions,
    train_ids: set[str] | None,
    bootstrap: int,
    seed: int,
) -> list[Figure]:
    """Accuracy over the linkable mentions, with its interval and its parts, and over all labelled ones.

    Args:
        corpus: the gold documents.
        gold: their labels.
        predictions: what was predicted.
        train_ids: gold ids of the train documents, ``None`` without such documents.
        bootstrap: draws for the interval.
        seed: of the draws.
    """
    right = gold.is_right(np.arange(len(gold.labels)), predictions.entity)
    return [
        _over_linkable(gold, right),
        *_interval(gold, right, bootstrap, seed),
        *_seen_and_unseen(gold, right, train_ids),
        _with_nil(gold, predictions, right),
        *_by_type(corpus, gold, right),
    ]


def _over_linkable(gold: Gold, right: NDArray[np.bool_]) -> Figure:
    value = accuracy(right, gold.linkable)
    n_right, n = int(right[gold.linkable].sum()), int(gold.linkable.sum())
    note = NOTHING_LINKABLE if value is None else f"{n_right:,} right of {n:,} linkable mentions"
    return Figure("accuracy", value, "linking", note)


def _interval(gold: Gold, right: NDArray[np.bool_], bootstrap: int, seed: int) -> list[Figure]:
    documents = gold.document[gold.linkable]
    interval = bootstrap_interval(right[gold.linkable], documents, bootstrap, seed)
    n_documents = len(np.unique(documents))
    if interval is not None:
        note = f"95 % interval, {bootstrap:,} draws of {n_documents:,} documents, seed {seed}"
    elif bootstrap < 1:
        note = "no bootstrap was asked for"
    else:
        note = f"documents with linkable mentions: {n_documents}; an interval needs two or more"
    low, high = interval or (None, None)
    return [
        Figure("accuracy_ci_low", low, "linking", note),
        Figure("accuracy_ci_high", high, "linking", note),
    ]


def _seen_and_unseen(gold: Gold, right: NDArray[np.bool_], train_ids: set[str] | None) -> list[Figure]:
    if train_ids is None:
        keys = ("accuracy_seen", "accuracy_unseen", "n_seen", "n_unseen")
        return [Figure(key, None, "linking", NO_TRAIN) for key in keys]
    in_train = gold.any_id_in(train_ids)
    parts = {"seen": gold.linkable & in_train, "unseen": gold.linkable & ~in_train}
    figures = []
    for part, among in parts.items():
        note = (
            f"of {among.sum():,} linkable mentions"
            if among.any()
            else f"no linkable mention is {part} in train"
        )
        figures.append(Figure(f"accuracy_{part}", accuracy(right, among), "linking", note))
    for part, among in parts.items():
        figures.append(Figure(f"n_{part}", int(among.sum()), "linking", f"linkable mentions {part} in train"))
    return figures


def _with_nil(gold: Gold, predictions: Predictions, right: NDArray[np.bool_]) -> Figure:
    right_nil = gold.nil & predictions.predicted & (predictions.entity < 0)
    value = accuracy(right | right_nil, gold.labelled)
    n = int(gold.labelled.sum())
    note = "no mention is labelled" if value is None else f"of {n:,} labelled mentions, null right for NIL"
    return Figure("accuracy_with_nil", value, "linking", note)


def _by_type(corpus: Corpus, gold: Gold, right: NDArray[np.bool_]) -> list[Figure]:
    members: dict[str, list[int]] = {}
    for number, (_, mention) in enumerate(corpus.mentions):
        for type_ in dict.fromkeys(mention.types):
            members.setdefault(type_, []).append(number)
    figures = []
    for type_, numbers in sorted(members.items()):
        linkable = np.array([number for number in numbers if gold.linkable[number]], np.int64)
        note = (
            f"of {len(linkable):,} linkable mentions" if len(linkable) else f"no {type_} mention is linkable"
        )
        figures.append(Figure(f"accuracy_type_{type_}", accuracy(right[linkable]), "linking", note))
        figures.append(Figure(f"n_type_{type_}", len(linkable), "linking", "linkable mentions of the type"))
    return figures
