"""Proposals of a result: what each says, in which order, and what is refused."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from arborlink.corpus import Corpus
from arborlink.document import Document, Mention
from arborlink.entity import Entity
from arborlink.errors import InputError
from arborlink.knowledge_base import KnowledgeBase
from arborlink.proposals import (
    Alias,
    Coherence,
    Evidence,
    NearEntity,
    Proposal,
    TypeShare,
    proposals,
    write_proposals,
)
from arborlink.proposals.value import value_of
from arborlink.result import Candidate, Result

MakeResult = Callable[..., Result]


def retyped(corpus: Corpus, types: dict[str, tuple[str, ...]]) -> Corpus:
    """The corpus with other types of its mentions."""
    return Corpus(
        Document(
            each.id,
            each.text,
            tuple(Mention(m.id, m.start, m.end, types.get(m.id, ())) for m in each.mentions),
        )
        for each in corpus
    )


def test_a_cluster_is_told_whole(make_result: MakeResult, corpus: Corpus, kb: KnowledgeBase) -> None:
    first, second = proposals(make_result(), corpus, kb)
    assert (first.cluster, first.name, first.aliases) == (0, "John Doe", (Alias("Doe", 2),))
    assert first.name_reason == 'full form (1 of 3 mentions) of the bare name "Doe" (2)'
    assert (first.n_mentions, first.n_documents) == (3, 2)
    assert (first.documents, first.mentions) == (("a", "b"), ("a.0", "a.1", "b.0"))
    assert first.coherence == Coherence(mean=0.625, min=0.5)
    assert first.nearest == (
        NearEntity("Q2", "Doe River", 0.375, "a.1"),
        NearEntity("Q1", "Jane Roe", 0.3125, "b.0"),
    )
    assert first.value == value_of(2, 3, 0.625, 0.375)
    assert (second.cluster, second.name, second.coherence, second.nearest) == (2, "mill", None, ())
    assert (second.types, second.types_from, second.value) == ((), None, value_of(1, 1, None, None))


def test_the_most_central_mention_comes_first_in_its_surroundings(
    make_result: MakeResult, corpus: Corpus, kb: KnowledgeBase
) -> None:
    first = proposals(make_result(), corpus, kb, context=12)[0]
    assert [(each.mention, each.n_edges, each.affinity) for each in first.evidence] == [
        ("a.1", 2, 0.625),
        ("a.0", 1, 0.75),
        ("b.0", 1, 0.5),
    ]
    centre = first.evidence[0]
    assert (centre.before, centre.text, centre.after) == ("sang, and ", "Doe", " bowed twice")
    text = corpus.documents[0].text
    assert text[centre.start : centre.end] == centre.text
    assert centre.before + centre.text + centre.after in text


@given(st.text("ab c\n", min_size=3, max_size=60), st.integers(0, 30), st.data())
def test_surroundings_are_whole_words_of_the_document(text: str, context: int, data: st.DataObject) -> None:
    from arborlink.proposals.evidence import evidence_of
    from arborlink.result import Link

    places = [at for at, sign in enumerate(text) if not sign.isspace()]
    assume(places)
    start = data.draw(st.sampled_from(places))
    where = Document("d", text, (Mention("d.0", start, start + 1),))
    link = Link("d", "d.0", start, start + 1, text[start], None, None, 0, None, None, None, None)
    (shown,) = evidence_of([(link, where, where.mentions[0])], 1, context)
    begin, end = start - len(shown.before), start + 1 + len(shown.after)
    assert text[begin:end] == shown.before + shown.text + shown.after
    assert max(len(shown.before), len(shown.after)) <= context
    if shown.before and any(sign.isspace() for sign in shown.before[:-1]):
        assert begin == 0 or text[begin - 1].isspace()


def test_kept_candidates_tell_more_than_the_nearest(
    make_result: MakeResult, corpus: Corpus, kb: KnowledgeBase
) -> None:
    near = (Candidate("Q1", None, 0.5), Candidate("Q3", None, 0.25))
    result = make_result(candidates={"a.0": near, "a.1": (Candidate("Q3", None, 0.5),), "b.0": near})
    found = proposals(result, corpus, kb)[0].nearest
    assert [(each.entity, each.name, each.affinity) for each in found] == [
        ("Q1", "Jane Roe", 0.5),
        ("Q3", "dough", 0.5),
    ]
    assert len(proposals(result, corpus, kb, top=1)[0].nearest) == 1
    assert len(proposals(result, corpus, kb, top=1)[0].evidence) == 1


def test_types_are_those_of_the_mentions(make_result: MakeResult, corpus: Corpus, kb: KnowledgeBase) -> None:
    typed = retyped(corpus, {"a.0": ("Person|Singer",), "a.1": ("Person",)})
    first = proposals(make_result(), typed, kb)[0]
    assert (first.types, first.types_from) == (
        (TypeShare("Person", 1.0), TypeShare("Singer", 0.5)),
        "mentions",
    )


def test_without_them_types_are_those_of_the_nearest_entities_by_affinity(
    make_result: MakeResult, corpus: Corpus, kb: KnowledgeBase
) -> None:
    first = proposals(make_result(), corpus, kb)[0]
    share = round(0.375 / (0.375 + 0.3125), 6)
    assert first.types_from == "nearest_entities"
    assert first.types == (
        TypeShare("Place", share),
        TypeShare("Water", share),
        TypeShare("Person", round(1 - share, 6)),
    )


def test_an_entity_no_mention_is_near_to_lends_no_type(
    make_result: MakeResult, corpus: Corpus, kb: KnowledgeBase
) -> None:
    far = {name: (Candidate("Q1", None, -0.5),) for name in ("a.0", "a.1", "b.0")}
    first = proposals(make_result(candidates=far), corpus, kb)[0]
    assert (first.types, first.types_from, first.nearest[0].affinity) == ((), None, -0.5)


def test_another_run_gives_the_same(make_result: MakeResult, corpus: Corpus, kb: KnowledgeBase) -> None:
    assert proposals(make_result(), corpus, kb) == proposals(make_result(), corpus, kb)


def test_a_result_read_back_gives_the_same(
    make_result: MakeResult, corpus: Corpus, kb: KnowledgeBase, tmp_path: Path
) -> None:
    make_result().write(tmp_path / "result")
    assert proposals(Result.read(tmp_path / "result"), corpus, kb) == proposals(make_result(), corpus, kb)


def test_the_file_holds_every_field(
    make_result: MakeResult, corpus: Corpus, kb: KnowledgeBase, tmp_path: Path
) -> None:
    found = proposals(make_result(), corpus, kb)
    write_proposals(found, tmp_path / "p.jsonl")
    lines = (tmp_path / "p.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line) for line in lines] == json.loads(json.dumps([each.to_dict() for each in found]))


def test_the_documentation_names_every_field() -> None:
    page = (Path(__file__).parents[2] / "docs" / "proposals.md").read_text(encoding="utf-8")
    classes = (Proposal, Alias, TypeShare, NearEntity, Evidence, Coherence)
    names = {field.name for each in classes for field in dataclasses.fields(each)}
    assert [name for name in sorted(names) if f"`{name}`" not in page] == []


def test_other_documents_are_refused(make_result: MakeResult, corpus: Corpus, kb: KnowledgeBase) -> None:
    with pytest.raises(InputError, match=r"mention 'b\.0' of the result is not in the documents"):
        proposals(make_result(), Corpus(corpus.documents[:1]), kb)
    moved = Document("a", "x" + corpus.documents[0].text, corpus.documents[0].mentions)
    with pytest.raises(InputError, match=r"mention 'a\.0' is ' John Do' at 11\.\.19 .* was 'John Doe' at 11"):
        proposals(make_result(), Corpus([moved, corpus.documents[1]]), kb)


def test_another_knowledge_base_is_refused(make_result: MakeResult, corpus: Corpus) -> None:
    with pytest.raises(
        InputError, match="entity 'Q2', near to a mention of the result, is not in the knowledge"
    ):
        proposals(make_result(), corpus, KnowledgeBase([Entity("Q1", "Jane Roe")]))


def test_arguments_below_0_are_refused(make_result: MakeResult, corpus: Corpus, kb: KnowledgeBase) -> None:
    with pytest.raises(InputError, match="top is -1; expected 0 or more"):
        proposals(make_result(), corpus, kb, top=-1)
    with pytest.raises(InputError, match="context is -1"):
        proposals(make_result(), corpus, kb, context=-1)


AFFINITIES = st.floats(-5, 5).map(lambda x: round(x, 2))


@given(st.integers(1, 500), st.integers(1, 500), AFFINITIES, AFFINITIES)
def test_more_documents_mentions_coherence_and_distance_are_worth_more(
    n_documents: int, n_mentions: int, coherence: float, nearest: float
) -> None:
    value = value_of(n_documents, n_mentions, coherence, nearest)
    assert value_of(n_documents + 1, n_mentions, coherence, nearest) > value
    assert value_of(n_documents, n_mentions + 1, coherence, nearest) > value
    assert value_of(n_documents, n_mentions, coherence + 0.01, nearest) > value
    assert value_of(n_documents, n_mentions, coherence, nearest + 0.01) < value
    assert value_of(n_documents, n_mentions, None, nearest) < value
    assert value_of(n_documents, n_mentions, coherence, None) > value


def test_large_inner_products_do_no_harm() -> None:
    assert value_of(1, 1, 1e6, 1e6) == pytest.approx(2.0)
    assert value_of(1, 1, -1e6, -1e6) == pytest.approx(2.0)
