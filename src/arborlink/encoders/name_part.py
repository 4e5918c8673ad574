"""What the comparison of names makes of affinities, apart from what towers make of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arborlink.encoder import Embeddings, Encoder
from arborlink.encoders.blended import BlendedEncoder

# Views compared at a time.
_HELD = 1 << 14


@dataclass(frozen=True, eq=False)
class NamePart:
    """The part of names in vectors that a model has made of mentions and entities.

    Names stand behind the towers in a vector, scaled by the root of their share. So what they make of an affinity is
    the inner product of these numbers alone.

    Args:
        mentions: one vector for each.
        entities: any number for each.
        width: how many of the last numbers of a vector are of names.
    """

    mentions: Embeddings
    entities: Embeddings
    width: int

    def affinities(self, mentions: NDArray[np.int64], entities: NDArray[np.int64]) -> NDArray[np.float64]:
        """What names make of the affinity of some pairs; that of the nearest name, and 0 where there is none.

        Args:
            mentions: numbers of mentions, shape (n,).
            entities: numbers of entities, the same shape.
        """
        offsets = self.entities.offsets
        n_views = (offsets[1:] - offsets[:-1])[entities]
        found = np.zeros(len(mentions))
        bounds = np.concatenate([[0], np.cumsum(n_views)])
        start = 0
        while start < len(mentions):
            # as many whole pairs as are held, and one in any case
            stop = max(start + 1, int(np.searchsorted(bounds, bounds[start] + _HELD, side="right")) - 1)
            self._fill(found, mentions[start:stop], entities[start:stop], start)
            start = stop
        return found

    def _fill(
        self, found: NDArray[np.float64], mentions: NDArray[np.int64], entities: NDArray[np.int64], start: int
    ) -> None:
        first, end = self.entities.offsets[entities], self.entities.offsets[entities + 1]
        n_views = end - first
        pair = np.repeat(np.arange(len(mentions)), n_views)
        view = np.arange(int(n_views.sum())) - np.repeat(np.cumsum(n_views) - n_views, n_views) + first[pair]
        of_entities = self.entities.vectors[self.entities.rows[view], -self.width :]
        of_mentions = self.mentions.vectors[self.mentions.rows[mentions[pair]], -self.width :]
        products = np.einsum("ij,ij->i", of_entities, of_mentions, dtype=np.float64)
        np.maximum.at(found, start + pair, products)


def name_part_of(encoder: Encoder, mentions: Embeddings, entities: Embeddings) -> NamePart | None:
    """The part of names in the vectors of an encoder; ``None`` of one that has no towers, or no names, beside it."""
    return (
        NamePart(mentions, entities, encoder.names.dimension) if isinstance(encoder, BlendedEncoder) else None
    )
