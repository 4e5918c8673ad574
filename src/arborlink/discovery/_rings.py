"""The mentions of every cluster without an entity, in rings: joined and left in a constant number of steps."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arborlink.compiled import compiled
from arborlink.discovery._tally import Tally, move


class Rings(NamedTuple):
    """One ring for each cluster without an entity, and the numbers that are free for such clusters.

    Args:
        following: int32, shape (n_mentions,): the next mention of the ring.
        before: int32, likewise: the one before.
        spare: int32, likewise: numbers of clusters that nobody is in, the first ``n_spare[0]`` of them.
        n_spare: int64, shape (1,).
    """

    following: NDArray[np.int32]
    before: NDArray[np.int32]
    spare: NDArray[np.int32]
    n_spare: NDArray[np.int64]


@compiled
def single_rings(n_mentions: int) -> Rings:
    """Every mention in a ring of its own."""
    following, before = np.arange(n_mentions).astype(np.int32), np.arange(n_mentions).astype(np.int32)
    return Rings(following, before, np.empty(n_mentions, np.int32), np.zeros(1, np.int64))


@compiled
def merge(tally: Tally, rings: Rings, one: int, other: int) -> bool:
    """Make one cluster of those of two mentions, the smaller one joining; return whether they were two."""
    kept, given_up = tally.cluster[one], tally.cluster[other]
    if kept == given_up:
        return False
    if tally.members[kept] < tally.members[given_up]:
        kept, given_up, one, other = given_up, kept, other, one
    mention = other
    while True:
        move(tally, mention, kept)
        mention = rings.following[mention]
        if mention == other:
            break
    join_rings(rings, one, other)
    _give_up(rings, given_up)
    return True


@compiled
def take_out(tally: Tally, rings: Rings, mention: int, cluster: int) -> None:
    """Take a mention out of its ring and put it, with a ring of its own, into another cluster."""
    left = tally.cluster[mention]
    before, after = rings.before[mention], rings.following[mention]
    rings.following[before], rings.before[after] = after, before
    rings.following[mention] = rings.before[mention] = mention
    move(tally, mention, cluster)
    if tally.members[left] == 0:
        _give_up(rings, left)


@compiled
def join_rings(rings: Rings, one: int, other: int) -> None:
    """Make one ring of those of two mentions."""
    after, last = rings.following[one], rings.before[other]
    rings.following[one], rings.before[other] = other, one
    rings.following[last], rings.before[after] = after, last


@compiled
def spare_cluster(rings: Rings) -> int:
    """A cluster that nobody is in; there is one whenever two mentions share a cluster."""
    rings.n_spare[0] -= 1
    return int(rings.spare[rings.n_spare[0]])


@compiled
def _give_up(rings: Rings, cluster: int) -> None:
    rings.spare[rings.n_spare[0]] = cluster
    rings.n_spare[0] += 1
