"""Finding entities by name, against a literal reading of the rules."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arborlink.entity import Entity
from arborlink.knowledge_base import KnowledgeBase
from arborlink.service.entity_search import EntitySearch

WORDS = st.text(alphabet="abÄß é", min_size=1, max_size=6).filter(str.strip)


def folded(text: str) -> str:
    from unicodedata import normalize

    return " ".join(normalize("NFKC", text).casefold().split())


def rank(name: str, typed: str) -> int | None:
    """How well a name matches: 0 is it, 1 begins with it, 2 has a word that does, 3 holds it."""
    if name == typed:
        return 0
    if name.startswith(typed):
        return 1
    if f" {typed}" in name:
        return 2
    return 3 if typed in name else None


@given(st.lists(st.tuples(WORDS, st.lists(WORDS, max_size=2)), min_size=1, max_size=12), WORDS)
def test_everything_that_matches_is_found_in_order(
    given_names: list[tuple[str, list[str]]], typed: str
) -> None:
    kb = KnowledgeBase(
        Entity(f"§{number}", name, tuple(aliases)) for number, (name, aliases) in enumerate(given_names)
    )
    wanted = folded(typed)
    expected: dict[int, int] = {}
    for number, entity in enumerate(kb):
        ranks = [own for name in entity.names if (own := rank(folded(name), wanted)) is not None]
        if ranks:
            expected[number] = min(ranks)
        elif " " in wanted and all(
            any(word in folded(name) for name in entity.names) for word in wanted.split()
        ):
            expected[number] = 4
    found = EntitySearch(kb).find(typed)
    assert {number for number, _ in found} == set(expected)
    assert [expected[number] for number, _ in found] == sorted(expected.values())
    for number, name in found:
        assert name in kb.entities[number].names


@pytest.mark.parametrize(
    ("typed", "ids"),
    [
        ("ada", ["Q2", "Q1"]),
        ("LOVELACE ada", ["Q1"]),
        ("countess", ["Q1"]),
        ("q3", ["Q3"]),
        ("\n", ["Q1", "Q2", "Q3"]),
        ("zzz", []),
        ("x" * 10_000, []),
    ],
)
def test_examples(typed: str, ids: list[str]) -> None:
    kb = KnowledgeBase(
        [Entity("Q1", "Ada Lovelace", ("the Countess",)), Entity("Q2", "Adam"), Entity("Q3", "B\nC")]
    )
    assert [kb.entities[number].id for number, _ in EntitySearch(kb).find(typed)] == ids
