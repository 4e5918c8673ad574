"""The curve of all thresholds equals the evaluation of the partition at each of them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from arborlink.discovery import FIGURES, threshold_curve
from arborlink.errors import InputError
from arborlink.graph import NeighbourGraph
from arborlink.partition import Mode

from .threshold_worlds import World, check, drawn_world, settled_world, worlds

EXACT: tuple[Mode, ...] = ("undirected", "minimax", "independent")


@pytest.mark.parametrize("mode", EXACT)
@settings(max_examples=300, deadline=None)
@given(world=worlds())
def test_exact_curves_at_every_affinity_and_between(mode: Mode, world: World) -> None:
    curve = threshold_curve(world.graph, mode, world.gold)
    affinities = -np.unique(world.graph.weight.astype(np.float64))
    finite = affinities[np.isfinite(affinities)]
    for threshold in [*affinities, *(finite[1:] + finite[:-1]) / 2, np.inf, -np.inf, 0.0]:
        check(curve, world, float(threshold))


@pytest.mark.parametrize("mode", EXACT)
@pytest.mark.parametrize(
    ("k", "later", "n_values"), [(1, 0.0, None), (2, 0.3, None), (3, 0.6, 12), (2, 1.0, None), (4, 0.8, 40)]
)
def test_exact_curves_of_larger_graphs(mode: Mode, k: int, later: float, n_values: int | None) -> None:
    world = drawn_world(120, k, seed=k, later=later, n_values=n_values)
    curve = threshold_curve(world.graph, mode, world.gold)
    for threshold in [np.inf, *-np.unique(world.graph.weight)]:
        check(curve, world, float(threshold))


@pytest.mark.parametrize("mode", EXACT)
def test_every_point_is_a_change(mode: Mode) -> None:
    world = drawn_world(90, 2, seed=5, later=0.4)
    curve = threshold_curve(world.graph, mode, world.gold)
    assert curve.threshold[0] == np.inf
    assert (np.diff(curve.threshold[1:]) < 0).all()
    assert np.isin(curve.threshold[1:], -world.graph.weight).all()
    counts = np.column_stack([curve.n_linked, curve.n_discovered])
    assert (np.diff(curve.n_linked) >= 0).all()
    assert tuple(counts[0]) == (0, 90)


def test_a_mention_that_is_linked_tears_its_cluster_apart() -> None:
    # entity 0; mentions 1 to 5: 1 and 2 enter 3, 4 and 5 enter it too, and it alone is reached by the entity
    source, target = np.array([1, 2, 4, 5, 1, 0], np.int32), np.array([3, 3, 3, 3, 2, 3], np.int32)
    graph = NeighbourGraph(
        source, target, np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6]), n_entities=1, n_mentions=5
    )
    world = World(graph, [("N0",), ("N0",), ("E0",), ("N1",), ("N2",)])
    curve = threshold_curve(graph, "minimax", world.gold)
    assert curve.threshold.tolist() == [np.inf, -0.1, -0.2, -0.3, -0.4, -0.6]
    assert curve.n_discovered.tolist() == [5, 4, 3, 2, 1, 3]
    assert curve.nmi_ari_mean[-1] == 1
    assert curve.neighbours == 4


def test_a_large_cluster_that_comes_apart_bit_by_bit() -> None:
    """A long chain, entered by an entity in every second place, one after the other, from the middle on."""
    n = 400
    chain = np.arange(1, n + 1)
    heads = np.random.default_rng(0).permutation(np.arange(1, n + 1, 2))
    source = np.concatenate([chain[::2][:-1] + 1, chain[1::2], np.zeros(len(heads), np.int64)])
    target = np.concatenate([chain[::2][:-1], np.minimum(chain[1::2] + 1, n - 1), heads])
    keep = source != target
    weight = np.concatenate([np.zeros(len(source) - len(heads)), 1 + np.arange(len(heads))])
    graph = NeighbourGraph(source[keep], target[keep], weight[keep], n_entities=1, n_mentions=n)
    world = World(graph, [(f"N{number // 7}",) for number in range(n)])
    curve = threshold_curve(graph, "minimax", world.gold)
    for threshold in curve.threshold[::10]:
        check(curve, world, float(threshold))


@pytest.mark.parametrize("aim", ["nmi-ari", "nil-precision>=0.5", "wrong-links<=0.9"])
def test_a_grid_says_what_the_evaluation_says(aim: str) -> None:
    world = drawn_world(150, 3, seed=1, later=0.3)
    curve = threshold_curve(world.graph, "directed", world.gold, aim=aim)
    assert not curve.is_exact
    assert curve.n_points > 25
    assert (np.diff(curve.threshold) < 0).all()
    for threshold in curve.threshold:
        check(curve, world, float(threshold))
    with pytest.raises(InputError, match=r"is a grid of \d+ thresholds, and 0\.123456 is none of them"):
        curve.point_at(0.123456)


@settings(max_examples=60, deadline=None)
@given(world=worlds())
def test_a_grid_of_any_graph(world: World) -> None:
    curve = threshold_curve(world.graph, "directed", world.gold)
    for threshold in curve.threshold:
        check(curve, world, float(threshold))


def test_the_grid_finds_the_best_and_is_finer_around_it() -> None:
    world = settled_world("directed", 0.5)
    curve = threshold_curve(world.graph, "directed", world.gold)
    best = int(np.argmax(curve.nmi_ari_mean))
    assert curve.nmi_ari_mean[best] > 0.99
    assert abs(curve.threshold[best] - 0.5) < 0.02
    gaps = -np.diff(curve.threshold[1:])
    assert gaps[best - 2 : best].max() < np.median(gaps)


def test_labels_of_something_else_are_refused() -> None:
    world, other = drawn_world(30, 1, seed=0), drawn_world(60, 1, seed=0)
    with pytest.raises(
        InputError,
        match="of 60 mentions and 20 entities, the graph has 30 and 10; expected labels of the same",
    ):
        threshold_curve(world.graph, "minimax", other.gold)
    with pytest.raises(InputError, match="there is no partition mode 'odd'"):
        threshold_curve(world.graph, "odd", world.gold)  # type: ignore[arg-type]


def test_the_curve_as_plain_values() -> None:
    world = drawn_world(200, 2, seed=2, later=0.5)
    curve = threshold_curve(world.graph, "minimax", world.gold, neighbours=7)
    told = curve.to_json(keep=33, at_most=20)
    assert (told["mode"], told["neighbours"], told["n_points"]) == ("minimax", 7, curve.n_points)
    assert len(told["threshold"]) == 21
    assert told["threshold"][0] is None
    assert told["threshold"][-1] == round(curve.threshold[-1], 6)
    assert round(float(curve.threshold[33]), 6) in told["threshold"]
    assert all(len(told[name]) == 21 for name in FIGURES)
    assert told["wrong_links"][0] is None
    with pytest.raises(ValueError, match="read-only"):
        curve.nmi[0] = 0
