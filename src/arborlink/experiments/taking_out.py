"""A knowledge base that lacks some entities, without encoding or searching anything again."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from arborlink.evaluation.discovery_protocol.searched_split import SearchedSplit
from arborlink.evaluation.gold import Gold
from arborlink.experiments.models import Found
from arborlink.search import Neighbours


def taken_out(found: Found, ids: Iterable[str]) -> SearchedSplit:
    """Neighbours and gold labels as they are without some entities; the others keep their numbers.

    The nearest entity is then the nearest of those found that is left. Where all that were found are taken out, which
    of sixty-four happens next to never, the mention has no entity near. Where a re-ranker gave them a new order, the
    first in that order is taken, and the affinity is that of the nearest that is left, as if the re-ranker had never
    seen the others.

    Args:
        found: with all entities.
        ids: of the entities to take out.
    """
    kb = found.split.kb
    is_out = np.zeros(len(kb) + 1, dtype=bool)
    is_out[[kb.index[id_] for id_ in ids]] = True
    is_out[-1] = True  # where "none" looks
    items, _ = _first_left(found.hood.near, is_out)
    _, affinities = _first_left(found.before or found.hood.near, is_out)
    left = Neighbours(items, affinities)
    gold = Gold.of(found.split.corpus, kb)
    pairs = gold.pairs[~is_out[gold.pairs % len(kb)]]
    linkable = np.zeros(len(gold.labels), dtype=bool)
    linkable[pairs // len(kb)] = True
    outside = gold.outside | (gold.linkable & ~linkable)
    return SearchedSplit(
        replace(found.hood, near=left),
        replace(gold, pairs=pairs, linkable=linkable, outside=outside),
    )


def _first_left(near: Neighbours, is_out: NDArray[np.bool_]) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """The first entity of each mention that is not taken out, and its affinity; -1 and -inf for none."""
    first = (~is_out[near.items]).argmax(axis=1)[:, None]
    items, affinities = (np.take_along_axis(each, first, axis=1) for each in (near.items, near.affinities))
    gone = is_out[items]
    return np.where(gone, -1, items).astype(np.int32), np.where(gone, -np.inf, affinities)
