"""The four modes and the one door to them."""

from __future__ import annotations

import math
from collections.abc import Callable
from importlib import import_module
from typing import Literal, cast, get_args

import numpy as np

from arborlink.errors import InputError
from arborlink.graph import NeighbourGraph
from arborlink.partition.result import Partition

Mode = Literal["independent", "undirected", "directed", "minimax"]
MODES: tuple[Mode, ...] = get_args(Mode)


def partition(graph: NeighbourGraph, mode: Mode = "directed", threshold: float | None = None) -> Partition:
    """Give every mention an entity, or a cluster without one.

    Every mode is exact and deterministic: edges are compared by (weight, source, target), so the result
    depends on the set of edges alone, not on their order in the arrays.

    Args:
        graph: neighbours and weights.
        mode: ``"directed"``: the paper's procedure, the lexicographic-bottleneck arborescence.
            ``"undirected"``: the same with edges leading both ways, a minimum spanning forest.
            ``"minimax"``: the entity whose best path to the mention has the lightest heaviest edge.
            ``"independent"``: the nearest entity alone.
        threshold: λ, on weights: edges heavier than it are left out first. Compared exactly, with float32
            weights as well. ``None``: all edges stay.

    Returns:
        Entity, cluster, parent and parent edge's weight of every mention. Mentions no entity reaches form
        clusters with the mentions they share an edge with (directed and minimax: of those no entity reaches
        either).

    Raises:
        InputError: the mode is unknown or the threshold is NaN.

    References:
        Agarwal, Angell, Monath and McCallum, Entity Linking and Discovery via Arborescence-based Supervised
        Clustering, 2021, section 3.

    Example:
        >>> graph = NeighbourGraph([0, 1, 3], [2, 3, 2], [2.0, 3.0, 1.0], n_entities=2, n_mentions=2)
        >>> partition(graph, "directed").entity.tolist(), partition(graph, "minimax").entity.tolist()
        ([1, 1], [0, 1])
    """
    check_mode(mode, threshold)
    # the compiler behind these takes a while to load
    from arborlink.partition.keys import weight_keys
    from arborlink.partition.labels import follow_parents

    keys = weight_keys(graph.weight, threshold)
    parent = np.full(graph.n_mentions, -1, np.int32)
    parent_key = np.zeros(graph.n_mentions, np.uint32)
    hang = cast(Callable[..., None], getattr(import_module(f"arborlink.partition.{mode}"), mode))
    hang(graph.source, graph.target, keys.keys, keys.limit, graph.n_entities, parent, parent_key)
    entity, cluster = follow_parents(parent, graph.n_entities)
    return Partition(entity, cluster, parent, keys.decode(parent_key), graph.n_entities)


def check_mode(mode: str, threshold: float | None) -> None:
    """Refuse what no partition can be made with.

    Raises:
        InputError: the mode is unknown or the threshold is NaN.
    """
    if mode not in MODES:
        raise InputError(f"there is no partition mode {mode!r}; expected one of {', '.join(MODES)}")
    if threshold is not None and math.isnan(threshold):
        raise InputError("the threshold is NaN; expected a number, or none to keep all edges")
