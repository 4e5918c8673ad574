"""What a caller without a type checker may give: made fit where that is safe, refused in words otherwise."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arborlink.corpus import Corpus
from arborlink.document import Document, Mention
from arborlink.entity import Entity
from arborlink.errors import InputError
from arborlink.knowledge_base import KnowledgeBase


def test_numpy_offsets_and_lists_become_plain_values() -> None:
    given: Any = (np.int64(1), np.int32(3), ["T"], ["Q1", "Q2"])
    mention = Mention("m", *given)
    assert mention == Mention("m", 1, 3, ("T",), ("Q1", "Q2"))
    assert (type(mention.start), type(mention.end)) == (int, int)
    names: Any = ["b", "c"]
    assert Entity("a", "A", names, types=names) == Entity("a", "A", ("b", "c"), types=("b", "c"))


@pytest.mark.parametrize(
    ("make", "arguments", "message"),
    [
        (Mention, (5, 0, 1), "the id of a mention is 5; expected a string"),
        (Mention, ("m", 0.0, 1.5), "mention 'm' has the offsets 0.0..1.5; expected whole numbers"),
        (Mention, ("m", 0, 1, None), "mention 'm' has types=None; expected a tuple of strings"),
        (Mention, ("m", 0, 1, (), (7,)), "mention 'm' has 7 among its entities; expected strings"),
        (Document, (5, "text"), "the id of a document is 5; expected a string"),
        (Document, ("d", None), "the text of document 'd' is None; expected a string"),
        (Entity, (5, "A"), "the id of an entity is 5; expected a string"),
        (Entity, ("a", None), "entity 'a' has no name"),
        (Entity, ("a", 5), "the name of entity 'a' is 5; expected a string"),
        (Entity, ("a", "A", (), None), "the description of entity 'a' is None; expected a string"),
        (Entity, ("a", "A", ("b", None)), "entity 'a' has None among its aliases; expected strings"),
    ],
)
def test_what_cannot_be_used_is_refused(
    make: Callable[..., object], arguments: tuple[object, ...], message: str
) -> None:
    with pytest.raises(InputError) as caught:
        make(*arguments)
    assert str(caught.value) == message


def test_the_name_tells_the_format_to_write(tmp_path: Path) -> None:
    corpus = Corpus([Document("1", "Ada came.", (Mention("1.0", 0, 3, ("Person",), ("Q1",)),))])
    corpus.write(tmp_path / "x.pubtator")
    assert (tmp_path / "x.pubtator").read_text(encoding="utf-8").startswith("1|t|Ada came.\n")
    corpus.write(tmp_path / "x.data")
    assert (tmp_path / "x.data").read_text(encoding="utf-8").startswith('{"id": "1"')
    kb = KnowledgeBase([Entity("Q1", "Ada")])
    kb.write(tmp_path / "documents" / "w.json")
    assert '"document_id": "Q1"' in (tmp_path / "documents" / "w.json").read_text(encoding="utf-8")
    with pytest.raises(InputError, match=r"the name is that of documents \(pubtator\), this is a knowledge"):
        kb.write(tmp_path / "kb.pubtator")
