"""Who is near to each mention: searched once, and made into a graph with any number of neighbours."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from arborlink.encoder import Embeddings
from arborlink.graph import NeighbourGraph
from arborlink.labels import Labels, same_labels
from arborlink.search import Neighbours
from arborlink.search.reproducible import nearest_others_reproducibly, nearest_reproducibly
from arborlink.voting import N_VOTERS, Examples, count_votes, lead_of_votes, nearest_voters


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """The nearest entities and the nearest other mentions of every mention.

    Affinities are in six digits, as files tell them, so that a threshold means the same to whoever reads it there.

    Args:
        near: entities, nearest first.
        others: mentions, nearest first; see :func:`~arborlink.search.nearest_others`.
        n_entities: size of the knowledge base.
        detour: what is taken off the affinity of two mentions in a graph. An edge between them is a step on a path to
            an entity; it has to be so much better than the edge that leads to one at once.
    """

    near: Neighbours
    others: Neighbours
    n_entities: int
    detour: float = 0.0

    @classmethod
    def search(
        cls,
        mentions: Embeddings,
        entities: Embeddings,
        n_near: int,
        n_others: int,
        *,
        labels: Labels | None = None,
        examples: Examples | None = None,
        detour: float = 0.0,
        device: str = "cpu",
        progress: bool | None = None,
    ) -> Neighbourhood:
        """Find them, exactly: the same vectors have the same neighbours, whatever else is searched with them.

        Args:
            mentions: one vector for each.
            entities: any number of vectors for each.
            n_near: entities to find for each mention, no more than there are.
            n_others: mentions to find for each mention, no more than there are.
            labels: which mentions may meet which entities; mentions then only meet mentions of the same labels.
            examples: labelled mentions that vote for their entities; see :mod:`arborlink.voting`.
            detour: see above. Where examples vote, the lead that their votes give to entities counts as part of it.
            device: where torch searches; ``cpu`` uses FAISS if it is installed.
            progress: show bars; ``None`` shows them on a terminal only.
        """
        options: dict[str, Any] = {"device": device, "progress": progress}
        n_near, n_others = min(n_near, entities.n_items), min(n_others, mentions.n_items - 1)
        voters = examples if examples is not None and examples.mentions.n_items else None
        if voters is None:
            near = nearest_reproducibly(mentions, entities, n_near, labels=labels, what="entities", **options)
        else:
            near = _voted(mentions, entities, n_near, labels, voters, options)
        own = same_labels(labels.of_queries) if labels is not None else None
        others = nearest_others_reproducibly(mentions, n_others, labels=own, **options)
        found = cls(_told(near), _told(others), entities.n_items, detour)
        return found if voters is None else found.voted(found.near, voters.temperature)

    def voted(self, near: Neighbours, temperature: float) -> Neighbourhood:
        """The same mentions with the entities that examples voted for at this temperature.

        Votes lift what leads to an entity: of the detour, only what is more than that is left.
        """
        return replace(self, near=near, detour=max(0.0, self.detour - lead_of_votes(temperature)))

    def graph(self, k: int, with_entities: bool = True, n_near: int = 1) -> NeighbourGraph:
        """Each mention with its nearest entities, if entities are wanted, and its k nearest mentions."""
        n_near = n_near if with_entities else 0
        return NeighbourGraph.from_neighbours(
            self.near.items[:, :n_near],
            self.near.affinities[:, :n_near],
            self.others.items[:, :k],
            np.round(self.others.affinities[:, :k] - self.detour, 6),
            self.n_entities if with_entities else 0,
        )


def _voted(
    mentions: Embeddings,
    entities: Embeddings,
    n_near: int,
    labels: Labels | None,
    examples: Examples,
    options: dict[str, Any],
) -> Neighbours:
    """The entities with the most votes."""
    n_texts = min(max(n_near, N_VOTERS), entities.n_items)
    texts = nearest_reproducibly(mentions, entities, n_texts, labels=labels, what="entities", **options)
    voters = nearest_voters(mentions, examples, labels, **options)
    return count_votes(texts, voters, examples.entity, examples.temperature, n_near)


def _told(neighbours: Neighbours) -> Neighbours:
    return Neighbours(neighbours.items, np.round(neighbours.affinities.astype(np.float64), 6))
