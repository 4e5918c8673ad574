"""Nearest items by affinities that depend on two vectors alone.

A matrix product rounds in an order that depends on its shape, the library and the machine, so the same two vectors
may have affinities that differ in the last bits, and near ties may be told in either order. Here the fast search only
says who may be among the nearest; their affinities are added up anew in one fixed order, in double precision, and it
is asked again wherever its own rounding could have hidden somebody. So lists that were made in pieces and merged are
those that one search over everything gives, bit for bit.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from arborlink.encoder import Embeddings
from arborlink.labels import Labels
from arborlink.search.neighbours import Neighbours, first_alike, nearest

# Items looked at beyond those asked for; more where these are tied or nearly so.
_N_MORE = 8
# Queries whose products are held at a time.
_N_QUERIES = 4096


def nearest_reproducibly(
    queries: Embeddings,
    targets: Embeddings,
    k: int,
    *,
    labels: Labels | None = None,
    device: str = "cpu",
    progress: bool | None = None,
    what: str = "items",
) -> Neighbours:
    """The k nearest target items of each query item, by affinities in float64 that depend on the vectors alone.

    Args:
        queries: one vector for each item.
        targets: any number of vectors for each item; the best one counts.
        k: how many.
        labels: restricts who may meet whom.
        device: where the fast search runs.
        progress: show a bar; ``None`` shows it on a terminal only.
        what: names the targets on the bar.

    Raises:
        ModelError: the vectors of the two sides cannot be compared, or some are not finite.
    """
    found = none_found(queries.n_items, k)
    unsure = np.arange(queries.n_items)
    width = min(targets.n_items, k + _N_MORE)
    while k and width and len(unsure):
        asked = _part(queries, unsure)
        allowed = None
        if labels is not None:
            allowed = Labels([labels.of_queries[number] for number in unsure.tolist()], labels.of_targets)
        options: dict[str, Any] = {"device": device, "progress": progress, "what": what}
        rough = nearest(asked, targets, width, labels=allowed, **options)
        best, is_sure = _reranked(asked, targets, rough, k)
        found.items[unsure, : best.items.shape[1]] = best.items
        found.affinities[unsure, : best.items.shape[1]] = best.affinities
        if width == targets.n_items:
            break
        unsure, width, progress = unsure[~is_sure], min(targets.n_items, width * 4), False
    return found


def nearest_others_reproducibly(
    items: Embeddings,
    k: int,
    *,
    labels: list[frozenset[str]] | None = None,
    device: str = "cpu",
    progress: bool | None = None,
) -> Neighbours:
    """The k nearest items of each item among the others, as :func:`arborlink.search.nearest_others` says."""
    found = none_found(items.n_items, k)
    if not k:
        return found
    first = first_alike(items.rows, labels)
    leaders = np.unique(first)
    led = Embeddings.one_each(items.vectors, items.rows[leaders])
    own = None if labels is None else [labels[number] for number in leaders.tolist()]
    meeting = None if own is None else Labels(own, own)
    # one more than asked for, because each of them may find itself
    others = nearest_reproducibly(
        led, led, k + 1, labels=meeting, device=device, progress=progress, what="mentions"
    )
    best = without_itself(others, np.arange(len(leaders)))
    found.items[leaders] = np.where(best.items >= 0, leaders[best.items], -1)
    found.affinities[leaders] = best.affinities
    follows = np.flatnonzero(first != np.arange(items.n_items))
    found.items[follows, 0] = first[follows]
    found.affinities[follows, 0] = affinities_to_themselves(
        Embeddings.one_each(items.vectors, items.rows[follows])
    )
    return found


def without_itself(found: Neighbours, own: NDArray[Any]) -> Neighbours:
    """Lists one shorter, without the query's own number or, where that is not in it, without the last."""
    is_own = found.items == own[:, None]
    items, affinities = found.items.copy(), found.affinities.astype(np.float64)
    items[is_own], affinities[is_own] = -1, -np.inf
    return _best(items, affinities, found.items.shape[1] - 1)


def may_come_nearer(
    queries: Embeddings, targets: Embeddings, floor: NDArray[np.floating[Any]]
) -> NDArray[np.bool_]:
    """Which queries may have an affinity of at least their floor to one of the targets; bool, shape (n_queries,).

    A cheap look before a search among few targets: who is left out surely has none.
    """
    rows = np.unique(targets.rows)
    vectors = targets.vectors[rows]
    found = np.zeros(queries.n_items, dtype=bool)
    longest = _lengths(vectors).max(initial=0.0)
    for start in range(0, queries.n_items if len(rows) else 0, _N_QUERIES):
        chunk = slice(start, start + _N_QUERIES)
        asked = queries.vectors[queries.rows[chunk]]
        highest = (asked @ vectors.T).max(axis=1).astype(np.float64)
        found[chunk] = highest + _rounding(asked, longest) >= floor[chunk]
    return found


def affinities_to_themselves(items: Embeddings) -> NDArray[np.float64]:
    """Inner product of each item's one vector with itself, rounded as all others; shape (n_items,)."""
    from arborlink.search._pairs import pair_affinities  # imports numba

    numbers = np.arange(items.n_items, dtype=np.int32)[:, None]
    found = pair_affinities(items.vectors[items.rows], numbers, items.vectors, items.rows, items.offsets)
    return found[:, 0]


def merged(one: Neighbours, other: Neighbours, k: int) -> Neighbours:
    """The k nearest of two lists for each query, an item in both counting with its higher affinity."""
    items = np.concatenate([one.items, other.items], axis=1)
    affinities = np.concatenate([one.affinities, other.affinities], axis=1).astype(np.float64)
    by_item = np.lexsort((-affinities, items), axis=1)
    items, affinities = (np.take_along_axis(each, by_item, axis=1) for each in (items, affinities))
    again = np.zeros(items.shape, dtype=bool)
    again[:, 1:] = items[:, 1:] == items[:, :-1]
    items[again], affinities[again] = -1, -np.inf
    best = _best(items, affinities, k)
    found = none_found(len(items), k)
    found.items[:, : best.items.shape[1]] = best.items
    found.affinities[:, : best.items.shape[1]] = best.affinities
    return found


def none_found(n_queries: int, k: int) -> Neighbours:
    """Room for k neighbours of each query, all of them missing."""
    return Neighbours(
        np.full((n_queries, k), -1, dtype=np.int32), np.full((n_queries, k), -np.inf, dtype=np.float64)
    )


def _part(queries: Embeddings, numbers: NDArray[np.int64]) -> Embeddings:
    return Embeddings.one_each(queries.vectors, queries.rows[numbers])


def _reranked(
    queries: Embeddings, targets: Embeddings, rough: Neighbours, k: int
) -> tuple[Neighbours, NDArray[np.bool_]]:
    """The k best of what the fast search found, and for which queries nobody else can be among them."""
    from arborlink.search._pairs import pair_affinities  # imports numba

    vectors = queries.vectors[queries.rows]
    items = rough.items
    affinities = pair_affinities(vectors, items, targets.vectors, targets.rows, targets.offsets)
    best = _best(items, affinities, k)
    # Who was not found has a product of at most that of the last found, as the fast search rounds it.
    rounding = _rounding(vectors, _lengths(targets.vectors).max(initial=0.0))
    is_complete = items[:, -1] < 0
    is_sure = is_complete | (best.affinities[:, -1] > rough.affinities[:, -1].astype(np.float64) + rounding)
    return best, is_sure


def _rounding(vectors: NDArray[np.float32], longest: float) -> NDArray[np.float64]:
    """How much a fast product of each vector with one of at most that length can differ from the exact one."""
    share = 2 * (vectors.shape[1] + 1) * float(np.finfo(np.float32).eps)
    found: NDArray[np.float64] = _lengths(vectors) * (share * longest)
    return found


def _lengths(vectors: NDArray[np.float32]) -> NDArray[np.float64]:
    """Lengths of the rows, a little more rather than less."""
    squares = np.einsum("ij,ij->i", vectors, vectors).astype(np.float64)
    found: NDArray[np.float64] = np.sqrt(squares) * 1.001
    return found


def _best(items: NDArray[np.int32], affinities: NDArray[np.float64], k: int) -> Neighbours:
    order = np.lexsort((items, -affinities), axis=1)[:, :k]
    return Neighbours(np.take_along_axis(items, order, axis=1), np.take_along_axis(affinities, order, axis=1))
