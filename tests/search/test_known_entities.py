"""Which labelled mentions speak for an entity."""

from __future__ import annotations

import numpy as np

from arborlink.corpus import Corpus
from arborlink.document import Document, Mention
from arborlink.entity import Entity
from arborlink.knowledge_base import KnowledgeBase
from arborlink.voting import known_entities


def test_an_entity_is_known_where_one_label_names_one_of_the_knowledge_base() -> None:
    kb = KnowledgeBase([Entity("E0", "ash"), Entity("E1", "birch")])
    labels: list[tuple[str, ...] | None] = [("E1",), ("E0",), ("E0", "E1"), ("elsewhere",), (), None]
    mentions = (Mention(f"d.{number}", number, number + 1, (), own) for number, own in enumerate(labels))
    found = known_entities(Corpus([Document("d", "abcdef", tuple(mentions)), Document("e", "g", ())]), kb)
    assert found.tolist() == [1, 0, -1, -1, -1, -1]
    assert found.dtype == np.int32


def test_no_mentions_know_no_entity() -> None:
    kb = KnowledgeBase([Entity("E0", "ash")])
    assert known_entities(Corpus([]), kb).shape == (0,)
