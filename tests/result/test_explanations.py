"""Why a mention went where it went: the path, its weakest step, the runner-up, and words for all of it."""

from __future__ import annotations

from typing import Any

import pytest

from arborlink.errors import InputError
from arborlink.result import Candidate, Link, Result, Step


def link(mention: str, text: str, **fields: Any) -> Link:
    """A link of a mention in a document of its own."""
    given: dict[str, Any] = {
        "entity": None,
        "name": None,
        "cluster": 0,
        "affinity": None,
        "parent": None,
        "parent_kind": None,
        "runner_up": None,
    }
    return Link(document=f"d-{mention}", mention=mention, start=0, end=len(text), text=text, **given | fields)


PIP = {"entity": "Q1", "name": "Philippa Underhay"}
RUNNER_UP = Candidate("Q2", "Pippin", 0.31)
CHAIN = Result(
    [
        link("m3", "Pip", **PIP, affinity=0.85, parent="m2", parent_kind="mention", runner_up=RUNNER_UP),
        link("m1", "Philippa", **PIP, affinity=0.9, parent="Q1", parent_kind="entity"),
        link("m2", "Pip Underhay", **PIP, affinity=0.8, parent="m1", parent_kind="mention"),
        link("n2", "the weed", cluster=1, affinity=0.7, parent="n1", parent_kind="mention"),
        link("n1", "iron clover", cluster=1, runner_up=Candidate("Q9", "Clover", 0.4)),
        link("alone", "Kask", cluster=2),
    ],
    {},
)


def test_the_path_runs_from_the_entity_and_knows_its_weakest_step() -> None:
    explanation = CHAIN.explain("m3")
    assert explanation.steps == (
        Step("m1", "d-m1", "Philippa", 0.9),
        Step("m2", "d-m2", "Pip Underhay", 0.8),
        Step("m3", "d-m3", "Pip", 0.85),
    )
    assert explanation.bottleneck == 1
    assert (explanation.entity, explanation.root, explanation.name) == ("Q1", "Q1", "Philippa Underhay")
    assert explanation.runner_up == RUNNER_UP


def test_a_chain_in_words() -> None:
    assert str(CHAIN.explain("m3")).splitlines() == [
        '"Pip" (m3) → Philippa Underhay (Q1)',
        "  Philippa Underhay  [entity Q1]",
        '  └─ 0.900 ─ "Philippa"  (m1)',
        '    └─ 0.800 ─ "Pip Underhay"  (m2)   ← bottleneck',
        '      └─ 0.850 ─ "Pip"  (m3)',
        "  Runner-up: Pippin (Q2), affinity 0.310 to the mention by itself",
    ]


def test_a_single_step_needs_no_mark() -> None:
    explanation = CHAIN.explain("m1")
    assert (len(explanation.steps), explanation.bottleneck, explanation.runner_up) == (1, 0, None)
    assert "bottleneck" not in str(explanation)
    assert "Runner-up" not in str(explanation)


def test_a_runner_up_that_is_as_near_is_said_to_be() -> None:
    tied = link("m", "Pip", **PIP, affinity=0.31, parent="Q1", parent_kind="entity", runner_up=RUNNER_UP)
    assert str(Result([tied], {}).explain("m")).splitlines()[-1] == (
        "  As near: Pippin (Q2), affinity 0.310; of equally near entities the first in the knowledge base is taken"
    )


def test_a_member_of_a_discovered_cluster_hangs_from_its_first_mention() -> None:
    explanation = CHAIN.explain("n2")
    assert (explanation.entity, explanation.root, explanation.name) == (None, "n1", "iron clover")
    assert explanation.steps == (Step("n2", "d-n2", "the weed", 0.7),)
    assert str(explanation).splitlines() == [
        '"the weed" (n2) → a discovered entity',
        "  iron clover  [discovered entity, first mention n1]",
        '  └─ 0.700 ─ "the weed"  (n2)',
    ]


def test_the_root_of_a_discovered_cluster_has_no_steps() -> None:
    explanation = CHAIN.explain("n1")
    assert (explanation.root, explanation.steps, explanation.bottleneck) == ("n1", (), None)
    assert str(explanation).splitlines() == [
        '"iron clover" (n1) → a discovered entity',
        "  iron clover  [discovered entity, first mention n1]",
        "  Nearest entity: Clover (Q9), affinity 0.400, not near enough",
    ]
    assert CHAIN.explain("alone").runner_up is None


def test_of_equally_weak_steps_the_one_nearer_to_the_entity_is_named() -> None:
    result = Result(
        [
            link("a", "a", **PIP, affinity=0.5, parent="Q1", parent_kind="entity"),
            link("b", "b", **PIP, affinity=0.5, parent="a", parent_kind="mention"),
        ],
        {},
    )
    assert result.explain("b").bottleneck == 0


def test_plain_values_for_json() -> None:
    values = CHAIN.explain("m3").to_dict()
    assert values["steps"][1] == {
        "mention": "m2",
        "document": "d-m2",
        "text": "Pip Underhay",
        "affinity": 0.8,
    }
    assert values["runner_up"] == {"entity": "Q2", "name": "Pippin", "affinity": 0.31}
    assert CHAIN.explain("alone").to_dict() == {
        "mention": "alone",
        "text": "Kask",
        "entity": None,
        "name": "Kask",
        "root": "alone",
        "steps": (),
        "bottleneck": None,
        "runner_up": None,
    }


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ("m", "there is no mention 'm' in the result; did you mean m3, m1, m2?"),
        ("Pip", "there is no mention 'Pip' in the result; did you mean m3?"),
        ("zebra", "there is no mention 'zebra' in the result"),
        ("", "there is no mention '' in the result"),
    ],
)
def test_an_unknown_mention_brings_a_hint_where_there_is_one(asked: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        CHAIN.explain(asked)
    assert str(error.value) == message


def test_an_entity_may_have_the_id_of_a_mention() -> None:
    same = {"entity": "m2", "name": "Em Two"}
    result = Result(
        [
            link("m1", "one", **same, affinity=0.9, parent="m2", parent_kind="entity"),
            link("m2", "two", **same, affinity=0.8, parent="m1", parent_kind="mention"),
        ],
        {},
    )
    assert [step.mention for step in result.explain("m1").steps] == ["m1"]
    assert [step.mention for step in result.explain("m2").steps] == ["m1", "m2"]
    assert result.explain("m2").root == "m2"


def test_a_discovered_cluster_goes_by_its_name_not_by_its_root() -> None:
    hangs: dict[str, Any] = {"affinity": 0.7, "parent": "a", "parent_kind": "mention"}
    result = Result(
        [link("a", "weed"), link("b", "iron clover", **hangs), link("c", "iron clover", **hangs)], {}
    )
    assert result.clusters[0].name == result.explain("a").name == result.explain("c").name == "iron clover"
    assert result.explain("c").root == "a"


def test_line_ends_in_a_mention_do_not_break_the_tree() -> None:
    result = Result([link("m", "iron\n  clover", **PIP, affinity=0.9, parent="Q1", parent_kind="entity")], {})
    assert result.explain("m").text == "iron\n  clover"
    assert str(result.explain("m")).splitlines() == [
        '"iron clover" (m) → Philippa Underhay (Q1)',
        "  Philippa Underhay  [entity Q1]",
        '  └─ 0.900 ─ "iron clover"  (m)',
    ]
