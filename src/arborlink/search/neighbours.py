"""Nearest items, where an item may have several vectors and several items may share one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arborlink.encoder import Embeddings
from arborlink.errors import ModelError
from arborlink.labels import Labels
from arborlink.progress import Advance, progress_bar
from arborlink.search.top_rows import top_rows

# Nearest rows held at a time, in all queries together: 16 Mi of them are 192 MiB.
_HELD = 1 << 24


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The nearest items of each query, best first, equal affinities by item number.

    Args:
        items: int32, shape (n_queries, k); -1 where there are fewer than k.
        affinities: floating, the same shape; -inf where there is no item.
    """

    items: NDArray[np.int32]
    affinities: NDArray[np.floating[Any]]

    @classmethod
    def none_yet(cls, n_queries: int, k: int) -> Neighbours:
        """Room for k neighbours of each query, all of them missing."""
        return cls(
            np.full((n_queries, k), -1, dtype=np.int32), np.full((n_queries, k), -np.inf, dtype=np.float32)
        )

    def first(self, n: int) -> Neighbours:
        """The first n items of each query."""
        return Neighbours(self.items[:, :n], self.affinities[:, :n])


def nearest(
    queries: Embeddings,
    targets: Embeddings,
    k: int,
    *,
    labels: Labels | None = None,
    device: str = "cpu",
    progress: bool | None = None,
    what: str = "items",
) -> Neighbours:
    """The k nearest target items of each query item, exactly.

    Args:
        queries: one vector for each item.
        targets: any number of vectors for each item; the best one counts.
        k: how many.
        labels: restricts who may meet whom.
        device: where torch searches; ``cpu`` uses FAISS if it is installed.
        progress: show a bar; ``None`` shows it on a terminal only.
        what: names the targets on the bar.

    Raises:
        ModelError: the vectors of the two sides cannot be compared, or some are not finite.
    """
    _check(queries, targets, labels)
    found = Neighbours.none_yet(queries.n_items, k)
    everyone = np.arange(queries.n_items, dtype=np.int64)
    with progress_bar(f"Searching {what}", queries.n_items, progress) as advance:
        for members, allowed in labels.meetings() if labels is not None else [(everyone, None)]:
            rows, inverse, counts = np.unique(queries.rows[members], return_inverse=True, return_counts=True)
            some = _nearest_of_rows(
                queries.vectors[rows], targets, k, allowed, device, _scaled(advance, counts)
            )
            found.items[members], found.affinities[members] = some.items[inverse], some.affinities[inverse]
    return found


def nearest_others(
    items: Embeddings,
    k: int,
    *,
    labels: list[frozenset[str]] | None = None,
    device: str = "cpu",
    progress: bool | None = None,
) -> Neighbours:
    """The k nearest items of each item among the others, k counting distinct vectors.

    Items that share a vector cannot be told apart, and k copies of one string would fill every list and cut it off
    from the rest. So the first of them stands for all: it alone is a neighbour of others and has neighbours of its
    own, and the rest name it as their one neighbour. Where all vectors differ these are the plain k nearest. With
    ``labels``, items are alike only if their labels are the same too.
    """
    found = Neighbours.none_yet(items.n_items, k)
    if k == 0:
        return found
    first = first_alike(items.rows, labels)
    leaders = np.unique(first)
    led = Embeddings.one_each(items.vectors, items.rows[leaders])
    sides = [labels[number] for number in leaders] if labels is not None else None
    meeting = Labels(sides, sides) if sides is not None else None
    others = nearest(led, led, k + 1, labels=meeting, device=device, progress=progress, what="mentions")
    # A vector need not be its own nearest where lengths differ: the item itself may stand anywhere, or nowhere.
    is_other = others.items != np.arange(len(leaders))[:, None]
    keep = np.argsort(~is_other, axis=1, kind="stable")[:, :k]
    places = np.take_along_axis(others.items, keep, axis=1)
    found.items[leaders] = np.where(places >= 0, leaders[places], -1)
    found.affinities[leaders] = np.take_along_axis(others.affinities, keep, axis=1)
    follows = np.flatnonzero(first != np.arange(items.n_items))
    own_rows, place = np.unique(items.rows[follows], return_inverse=True)
    vectors = items.vectors[own_rows]
    found.items[follows, 0] = first[follows]
    found.affinities[follows, 0] = np.einsum("ij,ij->i", vectors, vectors)[place]
    return found


def _check(queries: Embeddings, targets: Embeddings, labels: Labels | None) -> None:
    """Raise for what would otherwise come out as a wrong neighbour."""
    if len(queries.rows) != queries.n_items:
        raise ValueError(f"{queries.n_items} queries have {len(queries.rows)} vectors; expected one for each")
    if labels is not None:
        sizes = len(labels.of_queries), len(labels.of_targets)
        if sizes != (queries.n_items, targets.n_items):
            raise ValueError(
                f"labels are given for {sizes[0]} queries and {sizes[1]} targets; expected {queries.n_items} "
                f"and {targets.n_items}"
            )
    if queries.vectors.shape[1] != targets.vectors.shape[1]:
        raise ModelError(
            f"vectors of {queries.vectors.shape[1]} and of {targets.vectors.shape[1]} dimensions cannot be "
            "compared; encode both sides with one encoder"
        )
    for vectors in (queries.vectors, targets.vectors):
        # The sum of a row is finite only if all of it is; a mask of all entries would cost a quarter of the vectors.
        if not np.isfinite(vectors.sum(axis=1)).all():
            raise ModelError(
                "the encoder made vectors that are not finite numbers; its weights may be damaged"
            )


def first_alike(rows: NDArray[np.int32], labels: list[frozenset[str]] | None) -> NDArray[np.int64]:
    """For each item the first one with the same vector and labels; int64, shape (n_items,)."""
    seen: dict[tuple[int, frozenset[str] | None], int] = {}
    alike = [
        seen.setdefault((row, labels[number] if labels is not None else None), number)
        for number, row in enumerate(rows.tolist())
    ]
    return np.array(alike, dtype=np.int64)


def _nearest_of_rows(
    vectors: NDArray[np.float32],
    targets: Embeddings,
    k: int,
    allowed: NDArray[np.int64] | None,
    device: str,
    advance: Advance,
) -> Neighbours:
    """The k nearest allowed items of each vector: nearest rows, turned into items, until k distinct ones are sure."""
    from arborlink.search._items import distinct_items  # imports numba

    rows, row_offsets, row_items, n_items = _rows_to_items(targets, allowed)
    among = None if len(rows) == len(targets.vectors) else rows
    found = Neighbours.none_yet(len(vectors), k)
    open_queries = np.arange(len(vectors))
    # A few rows more than k show where the k-th is tied; items with several rows may take more to make k.
    n_more = 8 if len(row_items) == n_items else 8 + k // 2
    n_rows = min(len(rows), k + n_more) if k else 0
    while len(open_queries) and n_rows:
        is_open = np.zeros(len(vectors), dtype=bool)
        n_held = max(1, _HELD // n_rows)
        for start in range(0, len(open_queries), n_held):
            some = open_queries[start : start + n_held]
            products, nearest_rows = top_rows(
                vectors[some], targets.vectors, n_rows, among=among, device=device, advance=advance
            )
            found.items[some], found.affinities[some], is_sure = distinct_items(
                products, nearest_rows, row_offsets, row_items, n_items, k
            )
            is_open[some] = ~is_sure
        if n_rows == len(rows):
            break
        open_queries = np.flatnonzero(is_open)
        n_rows = min(len(rows), n_rows * 4)
        advance = _nothing  # these were counted when they were first searched
    return found


def _rows_to_items(
    targets: Embeddings, allowed: NDArray[np.int64] | None
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int32], int]:
    """The rows that allowed items have; for every row its items, ``items[offsets[row]:offsets[row + 1]]``; how many
    items have a row at all.
    """
    owner, rows = targets.item_of_view, targets.rows
    if allowed is not None:
        is_allowed = np.zeros(targets.n_items, dtype=bool)
        is_allowed[allowed] = True
        owner, rows = owner[is_allowed[owner]], rows[is_allowed[owner]]
    counts = np.bincount(rows, minlength=len(targets.vectors))
    offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    # Views are kept item by item: one that differs from its predecessor is the first of its item.
    n_items = int(np.count_nonzero(np.diff(owner, prepend=-1)))
    return np.flatnonzero(counts), offsets, owner[np.argsort(rows, kind="stable")], n_items


def _nothing(n: int) -> None:
    pass


def _scaled(advance: Advance, counts: NDArray[np.int64]) -> Advance:
    """Distinct vectors are searched in order; the bar counts the items that stand behind them."""
    done = 0

    def step(n: int) -> None:
        nonlocal done
        advance(int(counts[done : done + n].sum()))
        done += n

    return step
