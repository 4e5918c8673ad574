"""The nearest examples of each mention, less those that have no vote about it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from arborlink.encoder import Embeddings
from arborlink.labels import Labels
from arborlink.search import Neighbours
from arborlink.search.reproducible import nearest_reproducibly, none_found
from arborlink.voting.examples import Examples
from arborlink.voting.own_documents import OwnDocuments

N_VOTERS = 64
"""Nearest texts and nearest examples of a mention that are counted; the others are too far to matter."""
# Examples of one document that are looked for and thrown away; a document with more is searched for by itself.
_MOST_OWN = 4 * N_VOTERS


def nearest_voters(
    mentions: Embeddings,
    examples: Examples,
    labels: Labels | None = None,
    *,
    device: str = "cpu",
    progress: bool | None = None,
) -> Neighbours:
    """The examples nearest to each mention that may vote about it, exactly as if there were no others.

    They are left out rather than refused, so that one file can be linked and give the examples, as in
    cross-validation with a fold for each document.

    Args:
        mentions: one vector for each.
        examples: the labelled mentions.
        labels: which mentions may meet which entities; an example meets whom its entity may meet.
        device: where the search runs.
        progress: show bars; ``None`` shows them on a terminal only.

    Returns:
        Numbers of examples, at most ``N_VOTERS`` for each mention.
    """
    search = _Search(mentions, examples, labels, {"device": device, "progress": progress})
    everyone = np.arange(mentions.n_items)
    n_voters = min(N_VOTERS, examples.mentions.n_items)
    own = examples.own
    if own is None or not (n_own := own.n_own).any():
        return search.nearest(everyone, n_voters)
    found = none_found(mentions.n_items, n_voters)
    for numbers in (everyone[n_own == 0], everyone[(n_own > 0) & (n_own <= _MOST_OWN)]):
        if len(numbers):
            near = search.nearest(numbers, n_voters + int(n_own[numbers].max()))
            _put(found, numbers, _without_own(near, numbers, own, n_voters))
    is_large = n_own > _MOST_OWN
    for text in np.unique(own.of_mentions[is_large]).tolist():
        numbers = np.flatnonzero(own.of_mentions == text)
        others = np.flatnonzero(own.of_examples != text)
        _put(found, numbers, search.nearest(numbers, n_voters, others))
    return found


class _Search:
    """Searches for some mentions among some examples."""

    def __init__(
        self, mentions: Embeddings, examples: Examples, labels: Labels | None, options: dict[str, Any]
    ) -> None:
        self._mentions = mentions
        self._examples = examples
        self._labels = labels
        self._options = options

    def nearest(
        self, numbers: NDArray[np.int64], k: int, among: NDArray[np.int64] | None = None
    ) -> Neighbours:
        """At most k nearest of these examples, or of all, for each of these mentions."""
        voters, entity = self._examples.mentions, self._examples.entity
        if among is not None:
            voters, entity = Embeddings.one_each(voters.vectors, voters.rows[among]), entity[among]
        meeting = None
        if self._labels is not None:
            meeting = Labels(
                [self._labels.of_queries[number] for number in numbers.tolist()],
                [self._labels.of_targets[number] for number in entity.tolist()],
            )
        asked = Embeddings.one_each(self._mentions.vectors, self._mentions.rows[numbers])
        near = nearest_reproducibly(
            asked, voters, min(k, voters.n_items), labels=meeting, what="examples", **self._options
        )
        if among is None:
            return near
        # the last entry is where -1 looks
        return Neighbours(np.append(among, -1).astype(np.int32)[near.items], near.affinities)


def _without_own(near: Neighbours, numbers: NDArray[np.int64], own: OwnDocuments, k: int) -> Neighbours:
    """The first k that are not from the mention's own document."""
    of_mentions = own.of_mentions[numbers][:, None]
    is_own = (own.of_examples[near.items] == of_mentions) & (near.items >= 0) & (of_mentions >= 0)
    items, affinities = np.where(is_own, -1, near.items), np.where(is_own, -np.inf, near.affinities)
    first = np.argsort(is_own, axis=1, kind="stable")[:, :k]
    return Neighbours(np.take_along_axis(items, first, axis=1), np.take_along_axis(affinities, first, axis=1))


def _put(found: Neighbours, numbers: NDArray[np.int64], near: Neighbours) -> None:
    width = near.items.shape[1]
    found.items[numbers, :width] = near.items
    found.affinities[numbers, :width] = near.affinities
