"""The one door to the curves."""

from __future__ import annotations

import numpy as np

from arborlink.discovery.aim import Aim
from arborlink.discovery.curve import ThresholdCurve
from arborlink.discovery.grid import grid_curve
from arborlink.discovery.sweep import exact_curve
from arborlink.errors import InputError
from arborlink.evaluation.gold import Gold
from arborlink.graph import NeighbourGraph
from arborlink.partition import MODES, Mode


def threshold_curve(
    graph: NeighbourGraph,
    mode: Mode,
    gold: Gold,
    *,
    neighbours: int | None = None,
    aim: Aim | str = "nmi-ari",
) -> ThresholdCurve:
    """How linking and discovery fare at every threshold.

    ``undirected``, ``minimax`` and ``independent`` are exact: one pass over the edges has all thresholds.
    ``directed`` is a grid, which costs a partition for each of its few dozen points.

    Args:
        graph: the neighbour graph of labelled mentions.
        mode: how it is partitioned.
        gold: their labels.
        neighbours: mentions that each was joined to, for the record; counted in the graph if not given.
        aim: what the grid becomes finer around; exact curves do not need it.

    Raises:
        InputError: an unknown mode, or labels that are not of this graph.

    Example:
        >>> curve = threshold_curve(graph, "minimax", Gold.of(corpus, kb))        # doctest: +SKIP
        >>> curve.figures(curve.point_at(0.5))["nil_recall"]                      # doctest: +SKIP
        0.84
    """
    if mode not in MODES:
        raise InputError(f"there is no partition mode {mode!r}; expected one of {', '.join(MODES)}")
    if (len(gold.labels), gold.n_entities) != (graph.n_mentions, graph.n_entities):
        raise InputError(
            f"the gold labels are of {len(gold.labels)} mentions and {gold.n_entities} entities, the graph has "
            f"{graph.n_mentions} and {graph.n_entities}; expected labels of the same documents and knowledge base"
        )
    k = _most_neighbours(graph) if neighbours is None else neighbours
    if mode == "directed":
        return grid_curve(graph, mode, gold, k, Aim.parse(aim) if isinstance(aim, str) else aim)
    return exact_curve(graph, mode, gold, k)


def _most_neighbours(graph: NeighbourGraph) -> int:
    entered = graph.target[graph.source >= graph.n_entities] - graph.n_entities
    return int(np.bincount(entered).max()) if len(entered) else 0
