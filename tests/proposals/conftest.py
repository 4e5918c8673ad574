"""A small result with two discovered clusters, the documents and the knowledge base it was made from."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

import pytest

from arborlink.corpus import Corpus
from arborlink.document import Document, Mention
from arborlink.entity import Entity
from arborlink.knowledge_base import KnowledgeBase
from arborlink.result import Candidate, Link, Result

KB = KnowledgeBase(
    [
        Entity("Q1", "Jane Roe", types=("Person",)),
        Entity("Q2", "Doe River", types=("Place|Water",)),
        Entity("Q3", "dough"),
    ]
)

MakeResult = Callable[..., Result]


def document(id_: str, text: str, types: tuple[str, ...] = ()) -> Document:
    """A document whose mentions stand in [brackets], which are taken out."""
    plain, mentions = "", []
    for number, part in enumerate(re.split(r"[\[\]]", text)):
        if number % 2:
            mentions.append(Mention(f"{id_}.{number // 2}", len(plain), len(plain) + len(part), types))
        plain += part
    return Document(id_, plain, tuple(mentions))


@pytest.fixture
def kb() -> KnowledgeBase:
    return KB


@pytest.fixture
def corpus() -> Corpus:
    return Corpus(
        [
            document("a", "Last night [John Doe] sang, and [Doe] bowed twice before [Jane Roe] clapped."),
            document("b", "They say [Doe] left by the [mill]."),
        ]
    )


@pytest.fixture
def make_result(corpus: Corpus) -> MakeResult:
    """``make_result(candidates=...)``: a.0 ← a.1 → b.0 are one cluster, b.1 another, a.2 is Jane Roe."""

    def make(candidates: Mapping[str, Sequence[Candidate]] | None = None) -> Result:
        answers: dict[str, tuple[int, str | None, float | None, str | None, Candidate | None]] = {
            "a.0": (0, None, 0.75, "a.1", Candidate("Q2", "Doe River", 0.25)),
            "a.1": (0, None, None, None, Candidate("Q2", "Doe River", 0.375)),
            "a.2": (1, "Q1", 1.0, "Q1", Candidate("Q3", "dough", 0.125)),
            "b.0": (0, None, 0.5, "a.1", Candidate("Q1", "Jane Roe", 0.3125)),
            "b.1": (2, None, None, None, None),
        }
        links = []
        for where, mention in corpus.mentions:
            cluster, entity, affinity, parent, runner_up = answers[mention.id]
            kind = None if parent is None else "mention" if entity is None else "entity"
            text, name = where.text_of(mention), entity and KB[entity].name
            span = (where.id, mention.id, mention.start, mention.end, text)
            links.append(Link(*span, entity, name, cluster, affinity, parent, kind, runner_up))  # type: ignore[arg-type]
        kept = None if candidates is None else {name: tuple(near) for name, near in candidates.items()}
        return Result(links, {"threshold": 0.5}, kept)

    return make
