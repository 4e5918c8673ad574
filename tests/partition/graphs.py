"""Small graphs for the oracles, and the way from a list of edges to a graph."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import DTypeLike

from arborlink.graph import NeighbourGraph
from arborlink.partition import Partition

from .reference import Edge, Expected


@dataclass(frozen=True)
class Case:
    """A graph as a list of edges, and a threshold."""

    edges: list[Edge]
    n_entities: int
    n_mentions: int
    threshold: float | None = None

    def graph(self, dtype: DTypeLike = np.float32) -> NeighbourGraph:
        """The same graph as arrays."""
        return NeighbourGraph(
            np.array([source for _, source, _ in self.edges], np.int32),
            np.array([target for _, _, target in self.edges], np.int32),
            np.array([weight for weight, _, _ in self.edges], dtype),
            self.n_entities,
            self.n_mentions,
        )


# few values make many ties; halves and small integers are the same number in float32 and float64
WEIGHTS = (
    st.integers(-1, 1).map(float),
    st.integers(-6, 6).map(lambda n: n / 2),
    st.floats(-1e6, 1e6, width=32),
    st.sampled_from([-np.inf, -0.0, 0.0, 1.0, np.inf]).map(float),
)


@st.composite
def general_cases(draw: st.DrawFn) -> Case:
    """Any edges at all: parallel ones, several entities per mention, unreachable mentions, no entity."""
    n_entities, n_mentions = draw(st.integers(0, 3)), draw(st.integers(1, 6))
    weights = draw(st.sampled_from(WEIGHTS))
    nodes, mentions = st.integers(0, n_entities + n_mentions - 1), st.integers(0, n_mentions - 1)
    drawn = draw(st.lists(st.tuples(weights, nodes, mentions.map(lambda m: m + n_entities)), max_size=16))
    edges = [edge for edge in drawn if edge[1] != edge[2]]
    return Case(edges, n_entities, n_mentions, draw(st.none() | weights))


@st.composite
def neighbour_cases(draw: st.DrawFn) -> Case:
    """One entity edge per mention, or none, and k mention edges, as a search gives them."""
    n_entities, n_mentions, k = draw(st.integers(1, 3)), draw(st.integers(1, 7)), draw(st.integers(0, 3))
    weights = draw(st.sampled_from(WEIGHTS))
    edges: list[Edge] = []
    for mention in range(n_entities, n_entities + n_mentions):
        if draw(st.integers(0, 4)):
            edges.append((draw(weights), draw(st.integers(0, n_entities - 1)), mention))
        others = st.integers(n_entities, n_entities + n_mentions - 1)
        for other in draw(st.lists(others, unique=True, max_size=k)):
            if other != mention:
                edges.append((draw(weights), other, mention))
    return Case(edges, n_entities, n_mentions, draw(st.none() | weights))


def graph_of(source: Any, target: Any, weight: Any, n_entities: int, n_mentions: int) -> NeighbourGraph:
    """A graph of anything that looks like arrays."""
    return NeighbourGraph(source, target, weight, n_entities, n_mentions)


def found(partition: Partition) -> Expected:
    """A partition as the oracles write it."""
    return Expected(
        partition.entity.tolist(),
        partition.cluster.tolist(),
        partition.parent.tolist(),
        partition.weight.tolist(),
    )


def random_graph(
    n_mentions: int, k: int, seed: int, entity_share: float = 1.0, heavier: float = 0.0
) -> NeighbourGraph:
    """A large random graph of the shape a search gives.

    Args:
        n_mentions: how many mentions; there are a quarter as many entities.
        k: mention edges per mention.
        seed: of the random numbers.
        entity_share: how many of the mentions have an entity edge.
        heavier: added to the weights of entity edges.
    """
    rng = np.random.default_rng(seed)
    n_entities = n_mentions // 4
    linked = np.flatnonzero(rng.random(n_mentions) < entity_share)
    neighbours = (np.arange(n_mentions)[:, None] + rng.integers(1, n_mentions, (n_mentions, k))) % n_mentions
    source = np.concatenate([rng.integers(0, n_entities, len(linked)), neighbours.ravel() + n_entities])
    target = np.concatenate([linked, np.repeat(np.arange(n_mentions), k)]) + n_entities
    weight = rng.random(len(source), dtype=np.float32)
    weight[: len(linked)] += np.float32(heavier)
    return NeighbourGraph(source, target, weight, n_entities, n_mentions)
