"""From labelled documents to a calibration."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from arborlink.calibration.crossfit import N_FOLDS, document_folds, fit_probability, held_out_probabilities
from arborlink.calibration.report import Trial
from arborlink.confidence import (
    LINK_FEATURES,
    NEW_FEATURES,
    Calibration,
    ProbabilityModel,
    check_target,
    link_features,
    new_features,
)
from arborlink.confidence.features import N_NEAR
from arborlink.corpus import Corpus
from arborlink.encoders.model_folder import Inference
from arborlink.errors import InputError
from arborlink.evaluation.discovery_protocol.hiding import hide_entities
from arborlink.evaluation.gold import Gold
from arborlink.knowledge_base import KnowledgeBase
from arborlink.linker import Linker
from arborlink.neighbourhood import Neighbourhood
from arborlink.partition import Mode, Partition, partition
from arborlink.type_labels import labels_of


@dataclass(frozen=True, eq=False, slots=True)
class Calibrated:
    """A calibration, and how it does on documents that it was not learnt from.

    Args:
        calibration: learnt from all the documents.
        links: probabilities that links are right, of each mention from the other folds; ``None`` without links.
        new: likewise, that mentions left unlinked are outside the knowledge base.
    """

    calibration: Calibration
    links: Trial | None
    new: Trial | None

    def to_json(self) -> dict[str, Any]:
        """Reliability and answers as plain values; see ``docs/calibration.md``."""
        target = self.calibration.target_error
        return {
            "version": 1,
            **{name: self.calibration.to_json()[name] for name in ("model", "inference", "target_error")},
            **{
                name: None if trial is None else trial.to_json(target)
                for name, trial in (("links", self.links), ("new", self.new))
            },
        }


def calibrate(
    linker: Linker,
    corpus: Corpus,
    kb: KnowledgeBase,
    *,
    inference: Mode | None = None,
    neighbours: int | None = None,
    threshold: float | Literal["model"] | None = "model",
    by_type: bool | None = None,
    target_error: float = 0.05,
    hide: float = 0.0,
    seed: int = 0,
) -> Calibrated:
    """Link labelled documents and learn how often such links are right, and such mentions new.

    Documents are dealt into five folds; what judges a mention was never fit on its document.

    Args:
        linker: the model, with its own way of linking where the next four do not say otherwise.
        corpus: documents with gold labels; the model must not have been trained on them.
        kb: the knowledge base.
        inference: as in :meth:`arborlink.linker.Linker.link`, and so are the next three.
        neighbours: mentions that each mention is joined to.
        threshold: the least affinity that joins two nodes.
        by_type: mentions only meet what their types allow.
        target_error: the share of wrong answers to keep to, where linking does not say otherwise.
        hide: share of the entities with a gold mention to take out of the knowledge base first. Where it lacks
            fewer of the entities of these documents than of those to come, links look surer than they are, and
            where it lacks none, nothing can be learnt about new ones.
        seed: of the entities to hide.

    Raises:
        InputError: documents without labels, fewer than two of them, or an argument out of range.
    """
    target = check_target(target_error)
    check_labels(Gold.of(corpus, kb))
    kb = hide_entities(corpus, kb, hide, seed).kb if hide else kb
    gold = Gold.of(corpus, kb)
    chosen = linker.defaults.replaced(inference, neighbours, threshold, by_type)
    labels = labels_of(corpus, kb, is_asked=by_type is not None) if chosen.by_type else None
    k = 0 if chosen.mode == "independent" else min(chosen.neighbours, corpus.n_mentions - 1)
    hood = linker.neighbourhood(corpus, kb, N_NEAR, k, labels=labels)
    parts = partition(hood.graph(k), chosen.mode, None if chosen.threshold is None else -chosen.threshold)
    fold = document_folds(document.id for document in corpus)[gold.document]
    model = linker.calibrated_name
    made = fit_calibration(hood, parts, gold, fold, model=model, inference=chosen, target_error=target)
    about = {**made.calibration.about, "hidden": hide, "seed": seed}
    return replace(made, calibration=replace(made.calibration, about=about))


def check_labels(gold: Gold) -> None:
    """Tell labels that a calibration cannot be learnt from.

    Raises:
        InputError: there are none, or all in one document.
    """
    n_documents = len(np.unique(gold.document[gold.labelled]))
    if n_documents < 2:
        raise InputError(
            f"documents with a labelled mention: {n_documents}; a calibration is learnt on some documents and tried "
            "on others, and needs at least two"
        )


def fit_calibration(
    hood: Neighbourhood,
    parts: Partition,
    gold: Gold,
    fold: NDArray[np.int64],
    *,
    model: str,
    inference: Inference,
    target_error: float = 0.05,
) -> Calibrated:
    """Learn from a partition and its labels.

    About new entities nothing is learnt where no mention is outside the knowledge base.

    Args:
        hood: who is near to each mention.
        parts: the partition.
        gold: the labels; mentions without one are left out.
        fold: the fold of each mention, shape (n_mentions,); mentions of a document share one.
        model: fingerprint of the model.
        inference: how the partition was made.
        target_error: the share of wrong answers to keep to.
    """
    entity = parts.entity.astype(np.int64)
    right = gold.is_right(np.arange(len(entity)), entity)
    linked, left = gold.labelled & (entity >= 0), gold.labelled & (entity < 0)
    if not gold.nil.any():
        left[:] = False  # a share of none is no probability of what was never looked for
    links = _kind(link_features(hood.near, parts)[linked], right[linked], fold[linked], LINK_FEATURES)
    new = _kind(new_features(hood.near, parts)[left], gold.nil[left], fold[left], NEW_FEATURES)
    about = {
        "n_documents": len(np.unique(gold.document[gold.labelled])),
        "n_mentions": int(gold.labelled.sum()),
        "n_outside_kb": int(gold.nil.sum()),
        "n_entities": hood.n_entities,
        "n_folds": N_FOLDS,
        "links": links[1].figures() if links else None,
        "new": new[1].figures() if new else None,
    }
    return Calibrated(
        Calibration(
            model, inference, links[0] if links else None, new[0] if new else None, target_error, about
        ),
        links[1] if links else None,
        new[1] if new else None,
    )


def _kind(
    features: NDArray[np.float64], outcome: NDArray[np.bool_], fold: NDArray[np.int64], names: tuple[str, ...]
) -> tuple[ProbabilityModel, Trial] | None:
    if not len(outcome):
        return None
    was = outcome.astype(np.float64)
    held_out = held_out_probabilities(features, was, fold, names)
    return fit_probability(features, was, fold, names, held_out), Trial(held_out, was)
