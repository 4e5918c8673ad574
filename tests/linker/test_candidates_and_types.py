"""Candidates and runners-up, and linking within types."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from arborlink.errors import InputError
from arborlink.result import Candidate, Result

LinkGiven = Callable[..., Result]


def test_candidates_are_the_nearest_entities_best_first(link_given: LinkGiven) -> None:
    result = link_given("xy", "ABC", [[0.1, 0.3, 0.2], [0.5, 0.5, 0.9]], candidates=2)
    assert result.candidates == {
        "x": (Candidate("B", "name of B", 0.3), Candidate("C", "name of C", 0.2)),
        "y": (Candidate("C", "name of C", 0.9), Candidate("A", "name of A", 0.5)),
    }


def test_more_candidates_than_entities_are_all_of_them(link_given: LinkGiven) -> None:
    result = link_given("x", "AB", [[0.1, 0.3]], candidates=10)
    assert result.candidates is not None
    assert [candidate.entity for candidate in result.candidates["x"]] == ["B", "A"]
    assert link_given("x", "AB", [[0.1, 0.3]]).candidates is None


def test_affinities_are_rounded_to_six_digits(link_given: LinkGiven) -> None:
    result = link_given("x", "AB", [[1 / 3, 0.1]], candidates=2)
    assert result.links[0].affinity == 0.333333
    assert result.candidates is not None
    assert [candidate.affinity for candidate in result.candidates["x"]] == [0.333333, 0.1]


def test_the_runner_up_is_the_nearest_other_entity(link_given: LinkGiven) -> None:
    # x says nothing by itself and goes where y goes; the entity it is nearest to is then the runner-up
    result = link_given("xy", "ABC", [[0.2, 0.1, 0.0], [0.0, 0.3, 0.9]], {(0, 1): 0.8}, neighbours=1)
    assert [link.entity for link in result.links] == ["C", "C"]
    assert result["x"].runner_up == Candidate("A", "name of A", 0.2)
    assert result["y"].runner_up == Candidate("B", "name of B", 0.3)


def test_the_nearest_entity_of_a_discovered_mention_is_its_runner_up(link_given: LinkGiven) -> None:
    result = link_given("x", "AB", [[0.2, 0.1]], threshold=0.5)
    assert result["x"].entity is None
    assert result["x"].runner_up == Candidate("A", "name of A", 0.2)


def test_a_single_entity_has_no_runner_up(link_given: LinkGiven) -> None:
    assert link_given("x", "A", [[0.2]])["x"].runner_up is None


def test_equally_near_entities_go_by_their_order(link_given: LinkGiven) -> None:
    result = link_given("x", "BA", [[0.5, 0.5]])
    assert (result["x"].entity, result["x"].runner_up) == ("B", Candidate("A", "name of A", 0.5))


def test_links_to_the_first_of_equally_near_entities_are_counted(link_given: LinkGiven) -> None:
    result = link_given("xyz", "ABC", [[0.5, 0.7, 0.7], [0.9, 0.8, 0.1], [0.2, 0.2, 0.2]], {(0, 1): 0.95})
    assert [link.is_tied for link in result.links] == [False, False, True]  # x goes through y
    assert result.settings["n_tied"] == 1
    alone = link_given("xyz", "ABC", [[0.5, 0.7, 0.7], [0.9, 0.8, 0.1], [0.2, 0.2, 0.2]], {}, neighbours=0)
    assert [link.is_tied for link in alone.links] == [True, False, True]
    assert alone.settings["n_tied"] == 2
    missing = link_given("x", "AB", [[0.5, 0.5]], {}, threshold=0.6)
    assert (missing.links[0].entity, missing.settings["n_tied"]) == (None, 0)


def test_a_type_keeps_mentions_from_entities_of_others(link_given: LinkGiven) -> None:
    types = {"x": ("Drug",), "A": ("Drug",), "B": ("Person",)}
    free, typed = (
        link_given("x", "AB", [[0.1, 0.9]], types=types, by_type=by_type) for by_type in (False, True)
    )
    assert (free["x"].entity, typed["x"].entity) == ("B", "A")
    assert (free.settings["by_type"], typed.settings["by_type"]) == (False, True)
    assert typed["x"].runner_up is None


def test_a_type_keeps_mentions_from_mentions_of_others(link_given: LinkGiven) -> None:
    types = {"x": ("Drug",), "y": ("Person",), "z": ("Drug",), "A": ("Drug",), "B": ("Person",)}
    affinities = [[0.1, 0.0], [0.0, 0.8], [0.6, 0.0]]
    result = link_given(
        "xyz", "AB", affinities, {(0, 1): 0.9, (0, 2): 0.5}, types=types, by_type=True, neighbours=1
    )
    assert [(link.entity, link.parent) for link in result.links] == [("A", "z"), ("B", "B"), ("A", "A")]


def test_a_bar_joins_several_types_and_one_in_common_is_enough(link_given: LinkGiven) -> None:
    types = {"x": ("Drug | Food", "Toy"), "A": ("Tool|Food",), "B": ("Person",)}
    assert link_given("x", "AB", [[0.1, 0.9]], types=types, by_type=True)["x"].entity == "A"


def test_whoever_has_no_type_meets_everybody(link_given: LinkGiven) -> None:
    types = {"x": ("Drug",), "A": ("Drug",), "B": ("Person",)}
    result = link_given("xy", "ABC", [[0.1, 0.9, 0.5], [0.1, 0.9, 0.5]], types=types, by_type=True)
    assert [link.entity for link in result.links] == ["C", "B"]


def test_a_type_no_entity_has_is_discovered(link_given: LinkGiven) -> None:
    types = {"x": ("Ship",), "y": ("Ship",), "z": ("Drug",), "A": ("Drug",)}
    result = link_given(
        "xyz",
        "A",
        [[0.9], [0.9], [0.9]],
        {(0, 1): 0.2},
        types=types,
        by_type=True,
        neighbours=1,
        candidates=3,
    )
    assert [cluster.mentions for cluster in result.discovered] == [("x", "y")]
    assert result["x"].runner_up is None
    assert result.candidates is not None
    assert (result.candidates["x"], len(result.candidates["z"])) == ((), 1)


@pytest.mark.parametrize(
    ("types", "message"),
    [
        (
            {"x": ("Drug",), "A": ("Person", "Ship")},
            r"no type of a mention \(Drug\) is a type of an entity \(Person, Ship\)",
        ),
        ({"x": ("Drug",)}, r"\(Drug\) is a type of an entity \(there is none\)"),
        ({"A": ("a|b|c", "f", "e", "d")}, r"\(there is none\) is a type of an entity \(a, b, c, d, e, …\)"),
    ],
)
def test_types_that_nobody_shares_are_refused(
    link_given: LinkGiven, types: dict[str, tuple[str, ...]], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        link_given("x", "A", [[0.9]], types=types, by_type=True)


def test_types_hold_along_the_whole_path(link_given: LinkGiven) -> None:
    """y has no type and z has one more: neither may carry x over to B, however near they are."""
    types = {"x": ("God",), "z": ("God", "Planet"), "A": ("God",), "B": ("Planet",)}
    result = link_given(
        "xyz",
        "AB",
        [[0.1, 0.0], [0.0, 0.9], [0.0, 0.9]],
        {(0, 1): 0.8, (0, 2): 0.7},
        types=types,
        by_type=True,
        neighbours=2,
    )
    assert [link.entity for link in result.links] == ["A", "B", "B"]


@pytest.mark.parametrize("affinity", [0.1, 0.3333333, 0.7, 0.783249, 0.9999999])
def test_a_threshold_means_what_the_links_show(link_given: LinkGiven, affinity: float) -> None:
    shown = link_given("x", "A", [[affinity]])["x"].affinity
    assert shown is not None
    assert link_given("x", "A", [[affinity]], threshold=shown)["x"].entity == "A"
    assert link_given("x", "A", [[affinity]], threshold=shown + 1e-6)["x"].entity is None


def test_more_neighbours_and_candidates_than_there_are(link_given: LinkGiven) -> None:
    many = 10**24
    result = link_given("xy", "AB", [[0.9, 0.1], [0.2, 0.8]], {(0, 1): 0.5}, neighbours=many, candidates=many)
    assert [link.entity for link in result.links] == ["A", "B"]
    assert result.candidates is not None
    assert [len(each) for each in result.candidates.values()] == [2, 2]


def test_numbers_of_numpy_are_numbers(link_given: LinkGiven, tmp_path: Path) -> None:
    result = link_given("x", "A", [[0.9]], neighbours=np.int64(1), threshold=np.float32(0.5))
    result.write(tmp_path / "result")
    assert result.settings["threshold"] == 0.5
