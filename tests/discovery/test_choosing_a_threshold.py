"""Which point of which curve an aim chooses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from arborlink.discovery import FIGURES, Aim, ThresholdCurve, choose, threshold_curve
from arborlink.discovery.choice import best_point
from arborlink.encoders.model_folder import Inference
from arborlink.errors import InputError
from arborlink.graph import NeighbourGraph
from arborlink.partition import Mode

from .threshold_worlds import World, drawn_world, settled_world


def made_curve(
    threshold: list[float], mode: Mode = "minimax", neighbours: int = 1, **columns: list[float]
) -> ThresholdCurve:
    """A curve with the given figures, 0 for the others; the point at infinity comes by itself."""
    n = len(threshold) + 1
    figures: dict[str, Any] = {
        name: np.zeros(n, np.int64 if name.startswith("n_") else np.float64) for name in FIGURES
    }
    for name, values in columns.items():
        figures[name][1:] = values
        if not name.startswith("n_"):
            figures[name][0] = np.nan
    return ThresholdCurve(
        mode=mode, neighbours=neighbours, is_exact=True, threshold=np.array([np.inf, *threshold]), **figures
    )


@pytest.mark.parametrize(
    ("text", "kind", "bound"),
    [
        ("nmi-ari", "nmi-ari", None),
        ("nil-precision>=0.9", "nil-precision", 0.9),
        (" wrong-links <= .05 ", "wrong-links", 0.05),
        ("nil-precision>=1", "nil-precision", 1.0),
    ],
)
def test_an_aim_is_read_and_told(text: str, kind: str, bound: float | None) -> None:
    aim = Aim.parse(text)
    assert (aim.kind, aim.bound) == (kind, bound)
    assert Aim.parse(str(aim)) == aim


@pytest.mark.parametrize(
    "text",
    ["", "best", "nmi-ari>=0.5", "nil-precision", "nil-precision<=0.9", "wrong-links<=5", "wrong-links<=x"],
)
def test_an_aim_that_is_none(text: str) -> None:
    with pytest.raises(InputError, match="expected nmi-ari, nil-precision>=P or wrong-links<=X"):
        Aim.parse(text)


def test_a_bound_out_of_place() -> None:
    for aim in (("nmi-ari", 0.5), ("wrong-links", None), ("nil-precision", 1.5)):
        with pytest.raises(InputError, match="there is no aim"):
            Aim(*aim)


def test_the_best_mean_wins_and_of_equals_the_higher_threshold() -> None:
    curve = made_curve([0.9, 0.7, 0.5, 0.3], nmi_ari_mean=[0.2, 0.6, 0.6 + 1e-12, 0.4])
    choice = choose([curve])
    assert (choice.threshold, choice.point) == (0.7, 2)
    assert choice.figures["nmi_ari_mean"] == 0.6
    assert choice.inference(by_type=True) == Inference("minimax", 1, 0.7, True)


def test_of_equal_curves_the_higher_threshold_then_fewer_neighbours_then_the_first() -> None:
    low = made_curve([0.5], nmi_ari_mean=[0.6])
    many = made_curve([0.7], neighbours=4, nmi_ari_mean=[0.6])
    few = made_curve([0.7], mode="undirected", neighbours=2, nmi_ari_mean=[0.6])
    same = made_curve([0.7], mode="independent", neighbours=2, nmi_ari_mean=[0.6])
    assert choose([low, many]).curve is many
    assert choose([low, many, few, same]).curve is few
    assert choose([same, few]).curve is same


def test_the_largest_recall_that_keeps_the_precision() -> None:
    curve = made_curve(
        [0.9, 0.7, 0.5, 0.3], nil_precision=[0.5, 0.9, 0.95, np.nan], nil_recall=[1.0, 0.8, 0.6, 0.0]
    )
    assert choose([curve], "nil-precision>=0.9").threshold == 0.7
    assert choose([curve], "nil-precision>=0.92").threshold == 0.5
    with pytest.raises(InputError) as told:
        choose([curve], "nil-precision>=0.99")
    assert str(told.value) == (
        "no threshold of minimax (neighbours 1) reaches nil-precision>=0.99; the nearest is 0.9500 (minimax, 1 "
        "neighbour, threshold 0.5): loosen the bound, or try other modes and numbers of neighbours"
    )


def test_the_most_links_that_are_right_enough() -> None:
    one = made_curve([0.9, 0.7, 0.5], wrong_links=[0.0, 0.04, 0.2], n_linked=[3, 50, 90])
    two = made_curve([0.8, 0.6], neighbours=2, wrong_links=[0.03, 0.3], n_linked=[50, 90])
    assert choose([one], "wrong-links<=0.05").threshold == 0.7
    assert choose([one, two], "wrong-links<=0.05").curve is two  # as many, and fewer of them wrong
    assert choose([one, two], "wrong-links<=0.2").threshold == 0.5
    with pytest.raises(InputError, match=r"the nearest is 0\.0300 \(minimax, 2 neighbours, threshold 0\.8\)"):
        choose([two], "wrong-links<=0.01")


def test_nothing_to_choose_from() -> None:
    nodes = np.empty(0, np.int32)
    graph = NeighbourGraph(nodes, nodes, np.empty(0), n_entities=1, n_mentions=2)
    curve = threshold_curve(graph, "minimax", World(graph, [("E0",), ("N0",)]).gold)
    assert best_point(curve, Aim()) is None
    with pytest.raises(
        InputError, match=r"no threshold of minimax \(neighbours 0\) can be judged by nmi-ari"
    ):
        choose([curve])
    with pytest.raises(InputError, match="no threshold of no curve can be judged"):
        choose([])


@pytest.mark.parametrize("mode", ["undirected", "minimax"])
def test_a_threshold_that_made_the_labels_is_found_again(mode: Mode) -> None:
    world = settled_world(mode, 0.5)
    curves = [threshold_curve(world.graph, each, world.gold) for each in ("independent", mode)]
    choice = choose(curves)
    affinities = -world.graph.weight
    assert choice.curve.mode == mode
    assert choice.figures["nmi_ari_mean"] == pytest.approx(1, abs=1e-9)
    # no edge lies between what was found and what made the labels but such as change nothing
    assert choice.threshold in affinities
    assert choice.curve.point_at(0.5) == choice.point


def test_labels_that_cannot_tell() -> None:
    graph = drawn_world(6, 1, seed=0).graph
    linkable, unlabelled, unknown = (World(graph, [label] * 6).gold for label in (("E0",), None, ()))
    for aim in ("nmi-ari", "nil-precision>=0.5", "wrong-links<=0.5"):
        with pytest.raises(InputError, match="none of the 6 mentions has a gold label"):
            Aim.parse(aim).check(unlabelled)
    with pytest.raises(
        InputError, match="no mention has its gold entity outside the knowledge base, and nil-"
    ):
        Aim.parse("nil-precision>=0.5").check(linkable)
    with pytest.raises(InputError, match="no mention has a known gold cluster"):
        Aim().check(unknown)
    Aim().check(linkable)
    Aim.parse("nil-precision>=0.5").check(unknown)
    assert np.isnan(threshold_curve(graph, "minimax", unknown).nmi_ari_mean).all()
