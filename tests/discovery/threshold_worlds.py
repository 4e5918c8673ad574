"""Random neighbour graphs with gold labels of every kind, and the figures computed threshold by threshold."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from arborlink.corpus import Corpus
from arborlink.discovery import FIGURES, ThresholdCurve
from arborlink.document import Document, Mention
from arborlink.entity import Entity
from arborlink.evaluation import Gold, Predictions
from arborlink.evaluation.discovery import discovery_figures
from arborlink.evaluation.linking import linking_figures
from arborlink.graph import NeighbourGraph
from arborlink.knowledge_base import KnowledgeBase
from arborlink.partition import Mode, partition

Label = tuple[str, ...] | None
EVALUATED = {name: name for name in FIGURES[:10]} | {"n_discovered": "n_clusters_discovered"}
# few values make many ties
WEIGHTS = (
    st.integers(-1, 1).map(float),
    st.integers(-9, 9).map(lambda n: n / 4),
    st.floats(-1e3, 1e3, width=32),
    st.sampled_from([-np.inf, -0.0, 0.0, 1.0, np.inf]).map(float),
)


class World:
    """A graph, its gold labels, and the documents they come from."""

    def __init__(self, graph: NeighbourGraph, labels: list[Label]) -> None:
        self.graph = graph
        mentions = tuple(
            Mention(f"m{number}", number, number + 1, (), label) for number, label in enumerate(labels)
        )
        self.corpus = Corpus([Document("d", "x" * max(len(labels), 1), mentions)])
        self.kb = KnowledgeBase(
            Entity(f"E{number}", f"entity {number}") for number in range(graph.n_entities)
        )
        self.gold = Gold.of(self.corpus, self.kb)

    def figures(self, mode: Mode, threshold: float) -> dict[str, float | int | None]:
        """What the evaluation says of the partition at one threshold, an affinity."""
        parts = partition(self.graph, mode, -threshold)
        entity = parts.entity.astype(np.int64)
        predictions = Predictions(entity, parts.cluster.astype(np.int64), np.ones(len(entity), bool))
        evaluated = discovery_figures(self.gold, predictions) + linking_figures(
            self.corpus, self.gold, predictions, None, 0, 0
        )
        values = {figure.key: figure.value for figure in evaluated}
        right = self.gold.is_right(np.arange(len(entity)), entity)
        links = self.gold.labelled & (entity >= 0)
        n_links = int(links.sum())
        return {name: values[key] for name, key in EVALUATED.items()} | {
            "n_linked": int(np.sum(entity >= 0)),
            "wrong_links": int((links & ~right).sum()) / n_links if n_links else None,
        }


def check(curve: ThresholdCurve, world: World, threshold: float) -> None:
    """Compare the curve with the evaluation at one threshold: shares of counts exactly, sums of fractions nearly."""
    expected = world.figures(curve.mode, threshold)
    found = curve.figures(curve.point_at(threshold))
    assert found.keys() == expected.keys()
    for name, value in expected.items():
        if value is None or name.startswith(("n_", "nil_", "accuracy", "wrong_links")):
            assert found[name] == value, (name, threshold)
        else:
            assert abs(found[name] - value) <= 1e-9, (name, threshold, found[name], value)  # type: ignore[operator]


@st.composite
def labels_for(draw: st.DrawFn, n_mentions: int, n_entities: int) -> list[Label]:
    known = [f"E{number}" for number in range(n_entities)] + ["N0", "N1"]
    one = st.sampled_from(known).map(lambda id_: (id_,))
    several = st.lists(st.sampled_from(known), min_size=1, max_size=2).map(tuple)
    label = st.one_of(one, one, several, st.none(), st.just(()))
    return draw(st.lists(label, min_size=n_mentions, max_size=n_mentions))


@st.composite
def worlds(draw: st.DrawFn) -> World:
    """Any edges at all: parallel, both ways, several entities for a mention, mentions out of reach."""
    n_entities, n_mentions = draw(st.integers(1, 3)), draw(st.integers(0, 9))
    weights = draw(st.sampled_from(WEIGHTS))
    edges: list[tuple[float, int, int]] = []
    if n_mentions:
        nodes = st.integers(0, n_entities + n_mentions - 1)
        mentions = st.integers(n_entities, n_entities + n_mentions - 1)
        drawn = draw(st.lists(st.tuples(weights, nodes, mentions), max_size=26))
        edges = [edge for edge in drawn if edge[1] != edge[2]]
    graph = NeighbourGraph(
        np.array([source for _, source, _ in edges], np.int32),
        np.array([target for _, _, target in edges], np.int32),
        np.array([weight for weight, _, _ in edges], draw(st.sampled_from([np.float32, np.float64]))),
        n_entities,
        n_mentions,
    )
    return World(graph, draw(labels_for(n_mentions, n_entities)))


def drawn_world(n_mentions: int, k: int, seed: int, later: float = 0.0, n_values: int | None = None) -> World:
    """A larger world of the shape a search gives.

    Args:
        n_mentions: how many mentions; there are a third as many entities.
        k: mentions near each mention; some are missing.
        seed: of the random numbers.
        later: by how much entities are farther away than mentions.
        n_values: how many different affinities there are; as many as may be if not given.
    """
    rng = np.random.default_rng(seed)
    n_entities = n_mentions // 3
    near = rng.integers(0, n_entities, (n_mentions, 1))
    others = (np.arange(n_mentions)[:, None] + rng.integers(1, 9, (n_mentions, k))) % n_mentions
    missing = rng.random((n_mentions, k)) < 0.2
    affinities = [rng.random((n_mentions, 1)) - later, rng.random((n_mentions, k))]
    if n_values is not None:
        affinities = [np.round(each * n_values) / n_values for each in affinities]
    near[rng.random((n_mentions, 1)) < 0.1] = -1
    graph = NeighbourGraph.from_neighbours(
        near, affinities[0], np.where(missing, -1, others), affinities[1], n_entities
    )
    kinds = rng.integers(0, 10, n_mentions)
    names = rng.integers(0, n_entities + 9, n_mentions)
    labels: list[Label] = [
        None if kind == 0 else () if kind == 1 else (f"E{name}", "E0") if kind == 2 else (f"E{name}",)
        for kind, name in zip(kinds, names, strict=True)
    ]
    return World(graph, labels)


def settled_world(mode: Mode, threshold: float, seed: int = 3) -> World:
    """A world whose gold clusters are just what a mode finds at a threshold."""
    graph = drawn_world(300, 2, seed, later=0.2).graph
    parts = partition(graph, mode, -threshold)
    return World(
        graph,
        [
            (f"E{entity}",) if entity >= 0 else (f"N{cluster}",)
            for entity, cluster in zip(parts.entity.tolist(), parts.cluster.tolist(), strict=True)
        ],
    )
