"""Mentions, documents and entities: what they refuse, and that they stay as they are."""

from __future__ import annotations

import dataclasses

import pytest

from arborlink.document import Document, Mention, mention_id
from arborlink.entity import Entity
from arborlink.errors import InputError


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("", 2, 5), "a mention at 2..5 has an empty id"),
        (("m", -1, 5), "mention 'm' starts at -1; offsets count from 0"),
        (("m", 5, 5), "mention 'm' has no text: it starts at 5 and ends at 5"),
        (("m", 5, 2), "mention 'm' has no text: it starts at 5 and ends at 2"),
        (("m", 0, 1, "Person"), "mention 'm' has types='Person'; expected a tuple: ('Person',)"),
        (("m", 0, 1, (), "Q1"), "mention 'm' has entities='Q1'; expected a tuple: ('Q1',)"),
    ],
)
def test_a_mention_that_cannot_be_is_refused(arguments: tuple[object, ...], message: str) -> None:
    with pytest.raises(InputError) as error:
        Mention(*arguments)  # type: ignore[arg-type]
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("id_", "mentions", "message"),
    [
        ("", (), "a document has an empty id"),
        ("d", (Mention("m", 4, 9),), "mention 'm' ends at 9 but document 'd' has 8 characters"),
        ("d", (Mention("m", 3, 5),), "mention 'm' has no text: document 'd' is blank at 3..5"),
        ("d", (Mention("m", 0, 3), Mention("m", 5, 8)), "mention id 'm' stands twice in document 'd'"),
    ],
)
def test_a_document_that_cannot_be_is_refused(id_: str, mentions: tuple[Mention, ...], message: str) -> None:
    with pytest.raises(InputError) as error:
        Document(id_, "Ada  Bob", mentions)
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("", "Ada"), "an entity named 'Ada' has an empty id"),
        (("Q1", " \t"), "entity 'Q1' has no name"),
        (("Q1", "Ada", "Countess"), "entity 'Q1' has aliases='Countess'; expected a tuple: ('Countess',)"),
        (("Q1", "Ada", (), "", "Person"), "entity 'Q1' has types='Person'; expected a tuple: ('Person',)"),
    ],
)
def test_an_entity_that_cannot_be_is_refused(arguments: tuple[object, ...], message: str) -> None:
    with pytest.raises(InputError) as error:
        Entity(*arguments)  # type: ignore[arg-type]
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("item", "field"),
    [(Mention("m", 0, 3), "start"), (Document("d", "Ada"), "text"), (Entity("Q1", "Ada"), "name")],
)
def test_nothing_can_be_changed_or_added(item: object, field: str) -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(item, field, "other")
    # slots leave no room for a new field; which of the two errors says so depends on the Python
    with pytest.raises((AttributeError, TypeError)):
        item.note = "new"  # type: ignore[attr-defined]


def test_equal_items_are_one_in_a_set_whatever_their_extra_fields() -> None:
    mention = Mention("m", 0, 3, extra={"certainty": [1, 2]})
    assert len({mention, Mention("m", 0, 3, extra={"certainty": [1, 2]})}) == 1
    assert mention != Mention("m", 0, 3)
    documents = {
        Document("d", "Ada", (mention,), {"year": 1843}),
        Document("d", "Ada", (mention,), {"year": 1843}),
    }
    assert len(documents) == 1
    assert (
        len({Entity("Q1", "Ada", extra={"born": [1815]}), Entity("Q1", "Ada", extra={"born": [1815]})}) == 1
    )


def test_the_mentions_of_a_document_are_its_own() -> None:
    given = [Mention("m", 0, 3)]
    document = Document("d", "Ada met Bob", given)  # type: ignore[arg-type]
    given.append(Mention("far", 90, 99))
    assert document.mentions == (Mention("m", 0, 3),)


def test_offsets_count_characters_not_bytes() -> None:
    document = Document("d", "Zoë 😀 naïve", (Mention("m", 6, 11), Mention("n", 4, 5)))
    assert [document.text_of(mention) for mention in document.mentions] == ["naïve", "😀"]


def test_mentions_may_overlap_and_touch_the_ends() -> None:
    document = Document("d", "liver failure", (Mention("a", 0, 13), Mention("b", 0, 5), Mention("c", 6, 13)))
    assert [document.text_of(mention) for mention in document.mentions] == [
        "liver failure",
        "liver",
        "failure",
    ]


def test_a_mention_without_an_id_is_named_by_its_place() -> None:
    assert mention_id("d3", 2) == "d3.2"


def test_names_are_the_preferred_one_first_each_once_none_blank() -> None:
    entity = Entity("Q1", "Ada Lovelace", ("Ada", " ", "Ada Lovelace", "Countess", "Ada", ""))
    assert entity.names == ("Ada Lovelace", "Ada", "Countess")
