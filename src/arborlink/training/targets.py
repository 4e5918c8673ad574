"""The positive of each training mention: its parent in the minimum arborescence of its gold cluster, or a rival."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from arborlink.errors import InputError, ModelError

#: The positive is the mention's own gold entity.
ENTITY = -1
#: There is no positive: a lone mention whose entity the knowledge base lacks.
NOBODY = -2
#: The ways to choose positives.
POSITIVES = ("arborescence", "nearest", "random")

# Multiplications that make a piece of work for one thread: some milliseconds.
_PIECE = 1 << 25

Kernel = Callable[
    [
        NDArray[np.float32],
        NDArray[np.float32],
        NDArray[np.int64],
        NDArray[np.int64],
        int,
        NDArray[np.int32],
    ],
    None,
]


def positives(
    kind: str,
    mentions: NDArray[np.float32],
    entity_affinities: NDArray[np.float32],
    groups: NDArray[np.int64],
    seed: int,
) -> NDArray[np.int32]:
    """The positive of each mention, chosen in one of the ways of ``POSITIVES``.

    Args:
        kind: ``arborescence`` (:func:`parents`), ``nearest`` (:func:`nearest_gold`) or ``random``
            (:func:`random_gold`).
        mentions: see :func:`parents`, as the next two.
        entity_affinities: float32, shape (n_mentions,).
        groups: int64, shape (n_mentions,).
        seed: decides the random choice, and nothing in the others.

    Raises:
        InputError: a way that is not known.
    """
    if kind == "arborescence":
        return parents(mentions, entity_affinities, groups)
    if kind == "nearest":
        return nearest_gold(mentions, entity_affinities, groups)
    if kind == "random":
        return random_gold(entity_affinities, groups, seed)
    raise InputError(f"positives {kind!r} are not known; choose one of {', '.join(POSITIVES)}")


def parents(
    mentions: NDArray[np.float32], entity_affinities: NDArray[np.float32], groups: NDArray[np.int64]
) -> NDArray[np.int32]:
    """Each mention's parent in the minimum arborescence of its gold cluster, rooted at the cluster's entity.

    Weights are negated affinities. Two mentions are as near from either end, so the arborescence is the minimum
    spanning tree hung up at the entity; it is grown by Prim's algorithm with one row of affinities at a time, in
    O(s² d) time and O(s d) memory for a cluster of s mentions. Edges of equal weight go by source, then by target,
    the entity before all mentions.

    Where the knowledge base lacks the entity, the tree spans the mentions alone. Its root, the first of them, has
    no parent there and takes its nearest fellow, so that it is not lost to training.

    Args:
        mentions: float32, shape (n_mentions, dimension); affinity is the inner product.
        entity_affinities: float32, shape (n_mentions,): affinity to the nearest view of the mention's gold entity;
            minus infinity for all mentions of a cluster whose entity is not in the knowledge base.
        groups: int64, shape (n_mentions,): the gold cluster, any number.

    Returns:
        int32, shape (n_mentions,): the number of a mention of the same cluster, ``ENTITY`` or ``NOBODY``.

    Raises:
        ValueError: arrays whose shapes do not go together, or a cluster with an entity for some mentions only.
        ModelError: vectors or affinities that hold NaN or infinity.

    References:
        Agarwal, Angell, Monath, McCallum (2021), Entity Linking and Discovery via Arborescence-based Supervised
        Clustering, section "Training".

    Example:
        >>> vectors = np.array([[1.0, 0.0], [0.9, 0.4], [0.5, 0.9]], dtype=np.float32)
        >>> parents(vectors, np.array([0.95, 0.5, 0.1], dtype=np.float32), np.zeros(3, dtype=np.int64)).tolist()
        [-1, 0, 1]
    """
    from arborlink.training._spanning_tree import spanning_parents  # imports numba

    return _by_cluster(spanning_parents, mentions, entity_affinities, groups)


def nearest_gold(
    mentions: NDArray[np.float32], entity_affinities: NDArray[np.float32], groups: NDArray[np.int64]
) -> NDArray[np.int32]:
    """The nearest of each mention's fellow members and its entity; equally near ones as in :func:`parents`.

    Arguments, result and errors are those of :func:`parents`.

    Example:
        >>> vectors = np.array([[1.0, 0.0], [0.9, 0.4], [0.5, 0.9]], dtype=np.float32)
        >>> affinities = np.array([0.8, 0.5, 0.1], dtype=np.float32)
        >>> nearest_gold(vectors, affinities, np.zeros(3, dtype=np.int64)).tolist()
        [1, 0, 1]
    """
    from arborlink.training._spanning_tree import nearest_members  # imports numba

    return _by_cluster(nearest_members, mentions, entity_affinities, groups)


def random_gold(
    entity_affinities: NDArray[np.float32], groups: NDArray[np.int64], seed: int
) -> NDArray[np.int32]:
    """One of each mention's fellow members and its entity, all equally likely; the same for the same seed.

    Args:
        entity_affinities: float32, shape (n_mentions,): minus infinity where the entity is not in the knowledge
            base; other values do not matter.
        groups: int64, shape (n_mentions,): the gold cluster, any number.
        seed: of the random numbers.

    Returns:
        int32, shape (n_mentions,), as for :func:`parents`.

    Raises:
        ValueError: as for :func:`parents`.
    """
    members, offsets = _clusters(entity_affinities, groups)
    sizes = np.repeat(np.diff(offsets), np.diff(offsets))
    begins = np.repeat(offsets[:-1], np.diff(offsets))
    n_others = sizes - 1
    n_choices = n_others + (entity_affinities[members] != -np.inf)
    chosen = np.random.default_rng(seed).integers(0, np.maximum(n_choices, 1))
    # A mention is not among its own choices: those from its place on move up by one.
    other = chosen + (chosen >= np.arange(len(members)) - begins)
    fellows = members[begins + np.minimum(other, n_others)]
    result = np.empty(len(members), dtype=np.int32)
    result[members] = np.where(n_choices == 0, NOBODY, np.where(chosen == n_others, ENTITY, fellows))
    return result


def _by_cluster(
    kernel: Kernel,
    mentions: NDArray[np.float32],
    entity_affinities: NDArray[np.float32],
    groups: NDArray[np.int64],
) -> NDArray[np.int32]:
    """Let a kernel choose inside each cluster of several mentions, in as many threads as there are processors."""
    mentions = np.ascontiguousarray(mentions, dtype=np.float32)
    entity_affinities = np.ascontiguousarray(entity_affinities, dtype=np.float32)
    _check(mentions, entity_affinities, groups)
    members, offsets = _clusters(entity_affinities, groups)
    # What is left of this are the mentions that are alone.
    result = np.where(entity_affinities == -np.inf, NOBODY, ENTITY).astype(np.int32)
    pieces = _pieces(members, offsets, mentions.shape[1])
    if pieces:
        with ThreadPoolExecutor(min(len(pieces), _n_processors())) as threads:
            work = [
                threads.submit(kernel, mentions, entity_affinities, some, bounds, ENTITY, result)
                for some, bounds in pieces
            ]
            for each in work:
                each.result()
    return result


def _check(
    mentions: NDArray[np.float32], entity_affinities: NDArray[np.float32], groups: NDArray[np.int64]
) -> None:
    if mentions.ndim != 2 or len(mentions) != len(groups):
        raise ValueError(
            f"mentions have shape {mentions.shape} for {len(groups)} groups; expected one vector for each"
        )
    # A sum is finite only if all its parts are, and needs no second matrix.
    with np.errstate(invalid="ignore", over="ignore"):
        is_finite = np.isfinite(mentions.sum(axis=1))
    if not is_finite.all():
        raise ModelError("vectors of mentions hold NaN or infinity; the encoder's weights may be damaged")
    if np.isnan(entity_affinities).any() or (entity_affinities == np.inf).any():
        raise ModelError("affinities to entities hold NaN or infinity; the encoder's weights may be damaged")


def _clusters(
    entity_affinities: NDArray[np.float32], groups: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Members cluster by cluster, ascending in each, and where each cluster begins, with the end of the last."""
    if entity_affinities.shape != groups.shape or groups.ndim != 1:
        raise ValueError(
            f"entity affinities have shape {entity_affinities.shape}, groups {groups.shape}; expected one of "
            "each for every mention"
        )
    members = np.argsort(groups, kind="stable").astype(np.int64)
    begins = np.flatnonzero(np.diff(groups[members], prepend=groups[members[:1]] - 1))
    offsets = np.append(begins, len(members)).astype(np.int64)
    has_entity = entity_affinities[members] != -np.inf
    is_mixed = has_entity != has_entity[np.repeat(begins, np.diff(offsets))]
    if is_mixed.any():
        mention = int(members[np.flatnonzero(is_mixed)[0]])
        raise ValueError(
            f"mention {mention} and others of group {int(groups[mention])} disagree on whether their entity is in "
            "the knowledge base; expected an affinity for all of them or minus infinity for all"
        )
    return members, offsets


def _pieces(
    members: NDArray[np.int64], offsets: NDArray[np.int64], dimension: int
) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Clusters of several mentions in pieces of about equal work, the largest clusters first."""
    sizes = np.diff(offsets)
    order = np.argsort(-sizes, kind="stable")
    order = order[sizes[order] > 1]
    costs = np.cumsum(sizes[order] ** 2 * max(1, dimension))
    cuts = np.flatnonzero(np.diff(costs // _PIECE, prepend=0))
    pieces = []
    for some in np.split(order, cuts):
        if len(some):
            bounds = np.concatenate([[0], np.cumsum(sizes[some])])
            places = np.repeat(offsets[some] - bounds[:-1], sizes[some]) + np.arange(bounds[-1])
            pieces.append((members[places], bounds))
    return pieces


def _n_processors() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
