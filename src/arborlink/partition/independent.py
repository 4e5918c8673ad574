"""Every mention on its own: linked to its nearest entity."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from arborlink.compiled import compiled
from arborlink.partition.lightest import lightest_entity_edges, split


@compiled
def independent(
    source: NDArray[Any],
    target: NDArray[Any],
    keys: NDArray[Any],
    limit: int,
    n_entities: int,
    parent: NDArray[Any],
    parent_key: NDArray[Any],
) -> None:
    """Hang every mention from its nearest entity; a mention without an entity edge stays alone."""
    lightest = lightest_entity_edges(source, target, keys, limit, n_entities, parent.shape[0])
    split(lightest, parent, parent_key)
