"""Neighbour lists of all mentions, kept once for those that cannot be told apart.

Mentions that share text and labels cannot be told apart; the first of them, the leader, has the lists of all (see
:func:`arborlink.search.nearest_others`). Leaders are kept in the order of their numbers, and since documents only
come after those that are there, a leader stays one.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arborlink.neighbourhood import Neighbourhood
from arborlink.search import Neighbours
from arborlink.search.reproducible import none_found


@dataclass(frozen=True, slots=True)
class Lists:
    """The nearest entities and mentions of every leader, in float64 as they were computed.

    Args:
        leader: int32, shape (n_mentions,): the place among the leaders of each mention's.
        leaders: int32, shape (n_leaders,): numbers of the mentions that lead, ascending.
        near_items: int32, shape (n_leaders, n_near): entities, nearest first, -1 for none.
        near_affinities: float64, the same shape.
        other_items: int32, shape (n_leaders, n_others): mentions that lead, by their numbers.
        other_affinities: float64, the same shape.
        own_affinities: float64, shape (n_leaders,): of a leader to those it leads.
    """

    leader: NDArray[np.int32]
    leaders: NDArray[np.int32]
    near_items: NDArray[np.int32]
    near_affinities: NDArray[np.floating[Any]]
    other_items: NDArray[np.int32]
    other_affinities: NDArray[np.floating[Any]]
    own_affinities: NDArray[np.float64]

    @classmethod
    def empty(cls, n_near: int, n_others: int) -> Lists:
        """Lists of nobody, with room for so many neighbours each."""
        near, others = none_found(0, n_near), none_found(0, n_others)
        nobody = np.empty(0, dtype=np.int32)
        return cls(
            nobody, nobody, near.items, near.affinities, others.items, others.affinities, np.empty(0)
        )  # fmt: skip

    def arrays(self) -> dict[str, NDArray[Any]]:
        """All arrays by name, for a file."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @property
    def n_mentions(self) -> int:
        """How many mentions have a list."""
        return len(self.leader)

    def neighbourhood(self, n_entities: int, detour: float = 0.0) -> Neighbourhood:
        """The lists of every mention, as a search over everything gives them with this detour."""
        others = none_found(self.n_mentions, self.other_items.shape[1])
        others.items[self.leaders] = self.other_items
        others.affinities[self.leaders] = self.other_affinities
        first = self.leaders[self.leader]
        follows = np.flatnonzero(first != np.arange(self.n_mentions))
        if others.items.shape[1]:
            others.items[follows, 0] = first[follows]
            others.affinities[follows, 0] = self.own_affinities[self.leader[follows]]
        near = Neighbours(self.near_items[self.leader], _told(self.near_affinities[self.leader]))
        told = Neighbours(others.items, _told(others.affinities))
        return Neighbourhood(near, told, n_entities, detour)


def _told(affinities: NDArray[np.floating[Any]]) -> NDArray[np.floating[Any]]:
    """In six digits, as in :class:`~arborlink.neighbourhood.Neighbourhood`."""
    return np.round(affinities, 6)
