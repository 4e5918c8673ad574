"""The picture of a curve: whole XML with what it must show."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import numpy as np
import pytest

from arborlink.discovery import choose, threshold_curve
from arborlink.discovery.picture import draw_curve
from arborlink.graph import NeighbourGraph
from arborlink.partition import Mode

from .threshold_worlds import World, settled_world

SVG = "{http://www.w3.org/2000/svg}"


def classes(root: ElementTree.Element, tag: str) -> list[str]:
    return [element.get("class", "") for element in root.iter(f"{SVG}{tag}")]


@pytest.mark.parametrize("mode", ["minimax", "directed"])
def test_three_lines_axes_and_the_choice(mode: Mode) -> None:
    world = settled_world(mode, 0.5)
    choice = choose([threshold_curve(world.graph, mode, world.gold)])
    root = ElementTree.fromstring(draw_curve(choice, "wrong-links<=0.05"))
    texts = [element.text or "" for element in root.iter(f"{SVG}text")]
    assert f"{mode}, 2 neighbours; aim wrong-links<=0.05" in texts
    assert f"chosen: {round(choice.threshold, 6)}" in texts
    assert {"mean of NMI and ARI", "NIL F1", "accuracy", "threshold: the least affinity of an edge"} <= set(
        texts
    )
    paths = classes(root, "path")
    assert all(paths.count(f"line {style}") == 2 for style in "abc")  # the line, and its sample in the legend
    assert classes(root, "circle") == ["dot a", "dot b", "dot c"]
    (style,) = root.iter(f"{SVG}style")
    assert "prefers-color-scheme: dark" in (style.text or "")
    drawn = [element.get("d", "") for element in root.iter(f"{SVG}path") if element.get("class") == "line a"]
    places = np.array([float(number) for number in re.findall(r"[\d.]+", drawn[-1])])
    assert 20 < len(places) < 2 * 760
    assert places.min() >= 0
    assert places.max() <= 760


def test_a_curve_of_one_threshold_and_figures_without_a_value() -> None:
    source, target = np.array([0, 0], np.int32), np.array([1, 2], np.int32)
    graph = NeighbourGraph(source, target, np.array([-0.5, -0.5]), n_entities=1, n_mentions=2)
    gold = World(graph, [("E0",), ("E0",)]).gold
    choice = choose([threshold_curve(graph, "minimax", gold)])
    root = ElementTree.fromstring(draw_curve(choice, "nmi-ari"))
    assert "line b" in classes(root, "path")  # in the legend alone: nothing is to be found, so there is no F1
    assert classes(root, "path").count("line b") == 1
    assert classes(root, "circle") == ["dot a", "dot c"]
