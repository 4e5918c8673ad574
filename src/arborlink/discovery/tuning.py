"""From labelled documents to a way of linking them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from arborlink.corpus import Corpus
from arborlink.discovery.aim import Aim
from arborlink.discovery.choice import Choice, choose
from arborlink.discovery.curve import ThresholdCurve
from arborlink.discovery.thresholds import threshold_curve
from arborlink.encoders.promise import check_embeddings
from arborlink.errors import InputError
from arborlink.evaluation.gold import Gold
from arborlink.graph import NeighbourGraph
from arborlink.knowledge_base import KnowledgeBase
from arborlink.labels import Labels
from arborlink.linker import Linker, same_types, type_labels
from arborlink.partition import MODES, Mode
from arborlink.search import Neighbours, nearest, nearest_others

DEFAULT_MODES: tuple[Mode, ...] = ("directed", "undirected", "minimax")
DEFAULT_NEIGHBOURS = (1, 2, 4, 8)


@dataclass(frozen=True, eq=False, slots=True)
class Tuning:
    """What was tried on labelled documents, and what was best.

    Args:
        aim: what for.
        curves: one for each mode and number of neighbours.
        choice: the best point of all.
        by_type: whether mentions only met what their types allow.
    """

    aim: Aim
    curves: tuple[ThresholdCurve, ...]
    choice: Choice
    by_type: bool

    def to_json(self) -> dict[str, Any]:
        """The choice, its figures and all curves as plain values; see ``docs/thresholds.md``."""
        chosen = self.choice
        return {
            "version": 1,
            "aim": str(self.aim),
            "chosen": {
                "mode": chosen.curve.mode,
                "neighbours": chosen.curve.neighbours,
                "threshold": chosen.threshold,
                "by_type": self.by_type,
                **chosen.figures,
            },
            "curves": [
                curve.to_json(keep=chosen.point if curve is chosen.curve else None) for curve in self.curves
            ],
        }


def tune(
    linker: Linker,
    corpus: Corpus,
    kb: KnowledgeBase,
    aim: Aim | str = "nmi-ari",
    *,
    modes: Sequence[Mode] = DEFAULT_MODES,
    neighbours: Sequence[int] = DEFAULT_NEIGHBOURS,
    by_type: bool | None = None,
) -> Tuning:
    """Choose mode, neighbours and threshold on labelled documents.

    Mentions and entities are encoded and searched once, for the largest number of neighbours.

    Args:
        linker: the model.
        corpus: documents with gold labels; the model must not have been trained on them.
        kb: the knowledge base. Mentions of entities that it lacks are what discovery is measured by.
        aim: what for.
        modes: what may be chosen.
        neighbours: numbers of neighbours that may be chosen; ``independent`` has none.
        by_type: mentions only meet what their types allow; ``None`` is as the model says.

    Raises:
        InputError: nothing to choose from, labels that cannot tell, or an aim that nothing meets.
    """
    aim = Aim.parse(aim) if isinstance(aim, str) else aim
    ways = _ways(modes, neighbours)
    gold = Gold.of(corpus, kb)
    aim.check(gold)
    typed = linker.defaults.by_type if by_type is None else by_type
    labels = _labels(corpus, kb, is_asked=by_type is not None) if typed else None
    near, others = _search(linker, corpus, kb, labels, max(k for _, k in ways))
    curves = tuple(
        threshold_curve(_graph(near, others, k, len(kb)), mode, gold, neighbours=k, aim=aim)
        for mode, k in ways
    )
    return Tuning(aim, curves, choose(curves, aim), typed)


def _ways(modes: Sequence[Mode], neighbours: Sequence[int]) -> list[tuple[Mode, int]]:
    unknown = [mode for mode in modes if mode not in MODES]
    if unknown or not modes:
        named = ", ".join(map(repr, unknown)) or "none"
        raise InputError(f"the modes to try are {named}; expected some of {', '.join(MODES)}")
    if not neighbours or min(neighbours) < 0:
        raise InputError(f"the neighbours to try are {list(neighbours)}; expected numbers from 0 on")
    counts = sorted(set(neighbours))
    return [(mode, k) for mode in dict.fromkeys(modes) for k in ((0,) if mode == "independent" else counts)]


def _labels(corpus: Corpus, kb: KnowledgeBase, is_asked: bool) -> Labels:
    try:
        return type_labels(corpus, kb)
    except InputError as error:
        hint = (
            "" if is_asked else "; the model was trained by type, --no-by-type (by_type=False) does without"
        )
        raise InputError(f"{error.message}{hint}") from error


def _search(
    linker: Linker, corpus: Corpus, kb: KnowledgeBase, labels: Labels | None, k: int
) -> tuple[Neighbours, Neighbours]:
    """The nearest entity and the nearest mentions of every mention, as the linker finds and rounds them."""
    mentions = linker.encoder.encode_mentions(corpus)
    entities = linker.encoder.encode_entities(kb, corpus, labels)
    check_embeddings(mentions, entities, corpus.n_mentions, len(kb))
    options: dict[str, Any] = {"device": linker.device, "progress": linker.progress}
    near = nearest(mentions, entities, 1, labels=labels, what="entities", **options)
    own = same_types(labels.of_queries) if labels is not None else None
    others = nearest_others(mentions, min(k, corpus.n_mentions - 1), labels=own, **options)
    return _rounded(near), _rounded(others)


def _rounded(found: Neighbours) -> Neighbours:
    return Neighbours(found.items, np.round(found.affinities.astype(np.float64), 6))


def _graph(near: Neighbours, others: Neighbours, k: int, n_entities: int) -> NeighbourGraph:
    return NeighbourGraph.from_neighbours(
        near.items, near.affinities, others.items[:, :k], others.affinities[:, :k], n_entities
    )
