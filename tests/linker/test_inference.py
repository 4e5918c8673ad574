"""The four ways of linking on one small world where each gives its own answer, worked out by hand.

Entities A and C, mentions x, y, z, one neighbour each:

- x is nearest to A (0.8) and to y (0.9),
- y is nearest to C (0.7) and to z (0.95),
- z is nearest to A (0.1) and to y (0.95).
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import version

import pytest

from arborlink.errors import InputError
from arborlink.result import Result

LinkGiven = Callable[..., Result]

TO_ENTITIES = [[0.8, 0.0], [0.0, 0.7], [0.1, 0.05]]
PAIRS = {(0, 1): 0.9, (1, 2): 0.95}


@pytest.fixture
def link_xyz(link_given: LinkGiven) -> LinkGiven:
    def link(**options: object) -> Result:
        return link_given("xyz", "AC", TO_ENTITIES, PAIRS, **{"neighbours": 1, **options})

    return link


def entities(result: Result) -> list[str | None]:
    return [link.entity for link in result.links]


def parents(result: Result) -> list[str | None]:
    return [link.parent for link in result.links]


@pytest.mark.parametrize(
    ("inference", "expected", "expected_parents", "affinities"),
    [
        # everyone for himself
        ("independent", ["A", "C", "A"], ["A", "C", "A"], [0.8, 0.7, 0.1]),
        # y and z hold on to each other and enter by their best edge, 0.7 from C; x holds on to y
        ("directed", ["C", "C", "C"], ["y", "C", "y"], [0.9, 0.7, 0.95]),
        # as one tree of three, whose best entity is A at 0.8
        ("undirected", ["A", "A", "A"], ["A", "x", "y"], [0.8, 0.9, 0.95]),
        # x: from A 0.8, from C over y 0.7; y, which x is no neighbour of, from C
        ("minimax", ["A", "C", "C"], ["A", "C", "y"], [0.8, 0.7, 0.95]),
    ],
)
def test_each_way_has_its_own_answer(
    link_xyz: LinkGiven,
    inference: str,
    expected: list[str],
    expected_parents: list[str],
    affinities: list[float],
) -> None:
    result = link_xyz(inference=inference)
    assert entities(result) == expected
    assert parents(result) == expected_parents
    assert [link.affinity for link in result.links] == affinities
    assert [link.parent_kind for link in result.links] == [
        "entity" if parent in ("A", "C") else "mention" for parent in expected_parents
    ]
    assert [link.name for link in result.links] == [f"name of {entity}" for entity in expected]
    clusters = {link.entity: link.cluster for link in result.links}
    assert [clusters[link.entity] for link in result.links] == [link.cluster for link in result.links]
    assert len(set(clusters.values())) == len(clusters)


@pytest.mark.parametrize(
    ("inference", "expected", "discovered"),
    [
        ("independent", ["A", None, None], [("y",), ("z",)]),
        ("directed", ["A", None, None], [("y", "z")]),
        ("undirected", ["A", "A", "A"], []),
        ("minimax", ["A", None, None], [("y", "z")]),
    ],
)
def test_what_no_entity_reaches_over_the_threshold_is_discovered(
    link_xyz: LinkGiven, inference: str, expected: list[str | None], discovered: list[tuple[str, ...]]
) -> None:
    result = link_xyz(inference=inference, threshold=0.75)
    assert entities(result) == expected
    assert [cluster.mentions for cluster in result.discovered] == discovered
    assert result.settings["n_discovered"] == len(discovered)
    assert result.settings["n_linked"] == 3 - sum(len(mentions) for mentions in discovered)
    for cluster in result.discovered:
        roots = [result[mention] for mention in cluster.mentions if result[mention].parent is None]
        assert [(root.affinity, root.parent_kind) for root in roots] == [(None, None)]


@pytest.mark.parametrize(("threshold", "expected"), [(0.5, "A"), (0.5000001, None), (-1, "A")])
def test_the_threshold_itself_is_enough(
    link_given: LinkGiven, threshold: float, expected: str | None
) -> None:
    assert entities(link_given(["m"], "A", [[0.5]], threshold=threshold)) == [expected]


def test_neighbours_mean_nothing_to_the_independent_way(link_xyz: LinkGiven) -> None:
    results = [link_xyz(inference="independent", neighbours=k) for k in (0, 1, 2)]
    assert [result.links for result in results] == [results[0].links] * 3
    assert [result.settings["neighbours"] for result in results] == [0, 0, 0]


def test_without_neighbours_every_way_is_the_independent_one(link_xyz: LinkGiven) -> None:
    for inference in ("directed", "undirected", "minimax"):
        assert entities(link_xyz(inference=inference, neighbours=0)) == ["A", "C", "A"]


def test_more_neighbours_than_mentions_are_all_of_them(link_xyz: LinkGiven) -> None:
    # with y reached from x, all hang from A: 0.8 is the best edge into the three
    assert entities(link_xyz(inference="directed", neighbours=50)) == ["A", "A", "A"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"inference": "guess"},
            "inference 'guess' is not known; choose one of independent, undirected, dir",
        ),
        ({"neighbours": -1}, "neighbours is -1; expected 0 or more"),
        ({"candidates": -1}, "candidates is -1; expected 0 or more"),
        ({"threshold": float("nan")}, "threshold is nan; expected a finite number"),
        ({"threshold": float("inf")}, "threshold is inf; expected a finite number"),
        ({"threshold": "high"}, "threshold is 'high'; expected a number, None or 'model'"),
    ],
)
def test_arguments_out_of_range_are_refused(
    link_xyz: LinkGiven, options: dict[str, object], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        link_xyz(**options)


def test_the_settings_tell_how_it_was_done(link_xyz: LinkGiven) -> None:
    settings = link_xyz(inference="minimax", threshold=0.5, candidates=1).settings
    seconds = settings.pop("seconds")
    assert settings.pop("arborlink") == version("arborlink")
    assert settings == {
        "model": "given",
        "encoder": "given",
        "inference": "minimax",
        "neighbours": 1,
        "threshold": 0.5,
        "detour": 0.0,
        "name_share": None,
        "by_type": False,
        "candidates": 1,
        "shared_words": 0.0,
        "rerank": 0,
        "n_examples": 0,
        "n_documents": 3,
        "n_mentions": 3,
        "n_entities": 2,
        "n_linked": 3,
        "n_discovered": 0,
        "n_tied": 0,
    }
    assert set(seconds) == {"encode_mentions", "encode_entities", "search", "partition", "links"}
    assert all(spent >= 0 for spent in seconds.values())
