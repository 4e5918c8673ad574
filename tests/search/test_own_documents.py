"""Documents that are linked and are examples too: their own labels have no vote, as if they were not there."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arborlink.cli.link import summary
from arborlink.corpus import Corpus
from arborlink.document import Document, Mention
from arborlink.encoder import Embeddings
from arborlink.entity import Entity
from arborlink.knowledge_base import KnowledgeBase
from arborlink.labels import Labels
from arborlink.linker import Linker
from arborlink.search import Neighbours
from arborlink.type_labels import type_labels
from arborlink.voting import OwnDocuments, voters

LabelledWords = tuple[str, list[int | None]]

N_ENTITIES = 5
TYPES = ("drug", "gene")


class _ByWord:
    """Few different vectors of small whole numbers: many ties, and every product is exact."""

    fingerprint = "by word"

    def encode_mentions(self, corpus: Corpus) -> Embeddings:
        return _embedded([document.text_of(mention) for document, mention in corpus.mentions])

    def encode_entities(
        self, kb: KnowledgeBase, corpus: Corpus | None = None, labels: Labels | None = None
    ) -> Embeddings:
        return _embedded([entity.name for entity in kb])


def _embedded(words: list[str]) -> Embeddings:
    vectors = [np.random.default_rng(ord(word)).integers(-2, 3, size=4) for word in words]
    return Embeddings.one_each(np.array(vectors, dtype=np.float32).reshape(len(words), 4) / np.float32(8))


def _document(id_: str, words: str, gold: list[int | None], text: str | None = None) -> Document:
    """Each letter is a mention; ``gold`` names their entities by number, ``None`` for not labelled."""
    mentions = tuple(
        Mention(
            f"{id_}.{place}",
            place,
            place + 1,
            (TYPES[ord(words[place]) % 2],),
            None if label is None else (f"E{label}",),
        )
        for place, label in enumerate(gold)
    )
    return Document(id_, words if text is None else text, mentions)


KB = KnowledgeBase(
    Entity(f"E{number}", "pqrst"[number], types=(TYPES[number % 2],) if number else ())
    for number in range(N_ENTITIES)
)
_gold = st.one_of(st.none(), st.integers(0, N_ENTITIES + 1))  # the last two are not in the knowledge base
_labelled_words = st.text("abcdefgh", min_size=1, max_size=7).flatmap(
    lambda words: st.tuples(st.just(words), st.lists(_gold, min_size=len(words), max_size=len(words)))
)


def _literally(linker: Linker, linked: Corpus, examples: Corpus, n_near: int, typed: bool) -> Neighbours:
    """One linking for each document, with the examples that have another text."""
    labels = type_labels(linked, KB) if typed else None
    items, affinities, start = [], [], 0
    for document in linked:
        others = Corpus(each for each in examples if each.text.split() != document.text.split())
        near = linker.with_examples(others).neighbourhood(linked, KB, n_near, 0, labels=labels).near
        stop = start + len(document.mentions)
        items.append(near.items[start:stop])
        affinities.append(near.affinities[start:stop])
        start = stop
    return Neighbours(np.concatenate(items), np.concatenate(affinities))


@settings(max_examples=60, deadline=None)
@given(
    both=st.lists(_labelled_words, max_size=4),
    only_linked=st.lists(_labelled_words, max_size=2),
    only_examples=st.lists(_labelled_words, max_size=4),
    n_voters=st.sampled_from([1, 2, 5, 64]),
    most_own=st.sampled_from([0, 2, 256]),
    typed=st.booleans(),
    n_near=st.integers(1, N_ENTITIES),
)
def test_votes_are_those_of_the_other_documents_alone(
    both: list[LabelledWords],
    only_linked: list[LabelledWords],
    only_examples: list[LabelledWords],
    n_voters: int,
    most_own: int,
    typed: bool,
    n_near: int,
) -> None:
    asked: list[LabelledWords] = [*both, *only_linked, ("a", [None])]
    linked = Corpus(_document(f"l{number}", *each) for number, each in enumerate(asked))
    # a text that is never linked, so that each document has another's label to go by
    labelled: list[LabelledWords] = [*only_examples, ("hhhhhhhhh", [1])]
    examples = Corpus(
        _document(f"x{number}", words, gold, f"{words}\n" if number % 2 else None)
        for number, (words, gold) in enumerate([*labelled, *both, *both[:1]])
    )
    linker = Linker(_ByWord(), progress=False)
    labels = type_labels(linked, KB) if typed else None
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(voters, "N_VOTERS", n_voters)
        patch.setattr(voters, "_MOST_OWN", most_own)
        found = linker.with_examples(examples).neighbourhood(linked, KB, n_near, 0, labels=labels).near
        expected = _literally(linker, linked, examples, n_near, typed)
    assert np.array_equal(found.items, expected.items)
    assert np.array_equal(found.affinities, expected.affinities)


def _lone(id_: str, text: str, gold: int | None) -> Document:
    return _document(id_, text[0], [gold], text)


def test_a_mention_does_not_vote_for_itself() -> None:
    plain = Linker(_ByWord(), progress=False)
    linked = Corpus([_lone("one", "a b", 3), _lone("two", "a c", 3)])
    other = Corpus([_lone("x", "h d", 1)])
    both = Corpus([*linked.documents[:1], *other.documents])
    result = plain.with_examples(both).link(linked, KB, inference="independent")
    without = plain.with_examples(other).link(linked, KB, inference="independent")
    told = plain.with_examples(both).link(Corpus(linked.documents[1:]), KB, inference="independent")
    assert result.links[0] == without.links[0]
    assert (result.links[1].entity, without.links[1].entity) == ("E3", without.links[0].entity)
    assert without.links[0].entity != "E3"
    assert result.links[1].affinity == told.links[0].affinity
    assert result.settings["n_documents_in_examples"] == 1
    assert told.settings["n_documents_in_examples"] == 0
    assert "1 document is among the examples: no label voted in its own document" in summary(result)
    assert "among the examples" not in summary(told)


def test_where_all_examples_are_ones_own_the_texts_decide() -> None:
    linked = Corpus([_lone("one", "a b", 3)])
    plain = Linker(_ByWord(), progress=False)
    near = plain.neighbourhood(linked, KB, N_ENTITIES, 0).near
    own = plain.with_examples(linked).neighbourhood(linked, KB, N_ENTITIES, 0).near
    assert own.items.tolist() == near.items.tolist()
    # the texts' twenty votes, as about any other mention of the same linking
    assert own.affinities == pytest.approx(near.affinities + 0.05 * np.log(20), abs=2e-6)


class _Given(_ByWord):
    """``a`` and ``b`` are near to each other and far from all entities."""

    def encode_mentions(self, corpus: Corpus) -> Embeddings:
        vectors = {"a": (0, 0, 1, 0), "b": (0, 0, 0.8, 0.6)}
        rows = [vectors[document.text_of(mention)] for document, mention in corpus.mentions]
        return Embeddings.one_each(np.array(rows, dtype=np.float32))

    def encode_entities(
        self, kb: KnowledgeBase, corpus: Corpus | None = None, labels: Labels | None = None
    ) -> Embeddings:
        return Embeddings.one_each(np.zeros((len(kb), 4), dtype=np.float32))


def test_a_label_may_come_back_by_way_of_another_document() -> None:
    """A limit that docs/encoders.md tells: the graph joins documents, and only votes are kept apart."""
    linked = Corpus([_lone("one", "a text", 3), _lone("two", "b text", None)])
    linker = Linker(_Given(), progress=False).with_examples(linked)
    alone = linker.link(linked, KB, inference="independent").links
    joined = linker.link(linked, KB, inference="directed", neighbours=1).links
    assert [link.entity for link in alone] == ["E0", "E3"]
    assert [link.entity for link in joined] == ["E3", "E3"]
    assert joined[0].parent == "two.0"


def test_a_document_is_known_by_its_text() -> None:
    linked = Corpus([_lone("1", "a title. And more", None), _lone("2", "b", None), _lone("3", "c", None)])
    examples = Corpus(
        [_lone("2", "another text", 0), _lone("7", "a title.\nAnd  more", 0), _lone("8", "c", 0)]
    )
    own = OwnDocuments.of(linked, examples)
    assert own.n_documents == 2
    assert own.of_mentions.tolist() == [0, -1, 2]
    assert own.of_examples.tolist() == [-1, 0, 2]
    assert own.n_own.tolist() == [1, 0, 1]
    assert own.for_examples(np.array([2])).n_own.tolist() == [0, 0, 1]


def test_corpora_without_a_common_text_share_nothing() -> None:
    own = OwnDocuments.of(Corpus([_lone("1", "a", None)]), Corpus([]))
    assert (own.n_documents, own.n_own.tolist(), len(own.of_examples)) == (0, [0], 0)
