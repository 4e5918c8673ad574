"""What can be learned from: every kind of label counted, groups, views of entities, messages, types."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from sentence_transformers import SentenceTransformer

from arborlink.corpus import Corpus
from arborlink.document import Document, Mention
from arborlink.encoders.sequences import Sequences
from arborlink.encoders.views import Markers
from arborlink.entity import Entity
from arborlink.errors import InputError
from arborlink.knowledge_base import KnowledgeBase
from arborlink.training.examples import EntitySide, Examples, MentionSide, type_restrictions

MakeTower = Callable[..., SentenceTransformer]
SequencesOf = Callable[[Sequence[Sequence[int]]], Sequences]
Label = tuple[str, ...] | None

KB = KnowledgeBase(
    [
        Entity("E0", "aspirin", aliases=("asa", "acetyl"), types=("drug",)),
        Entity("E1", "fever", description="a high temperature", types=("sign",)),
        Entity("E2", "liver"),
        Entity("E3", "fever", types=("sign", "drug")),
    ]
)
LABELS: list[Label] = [
    ("NEW",),  # outside
    ("E2",),
    None,  # unlabelled
    ("E0", "E1"),  # composite
    ("E0",),
    (),  # NIL
    ("E2", "E2"),  # one id, named twice
    ("NEW",),
    ("OTHER",),
    ("OTHER", "NEW"),  # composite and outside
]


def corpus_of(labels: Sequence[Label], types: Sequence[tuple[str, ...]] | None = None) -> Corpus:
    """A mention ``m0``, ``m1``, ... for each label, two to a document."""
    documents = []
    for start in range(0, len(labels), 2):
        numbers = range(start, min(start + 2, len(labels)))
        text = " and ".join(f"m{number:03}" for number in numbers)
        mentions = [
            Mention(f"m{n}", 9 * (n - start), 9 * (n - start) + 4, types[n] if types else (), labels[n])
            for n in numbers
        ]
        documents.append(Document(f"d{start}", text, tuple(mentions)))
    return Corpus(documents)


def side_of(corpus: Corpus, sequences_of: SequencesOf) -> MentionSide:
    """A text for each mention, numbered backwards."""
    n = corpus.n_mentions
    return MentionSide(
        sequences_of([[number + 1] for number in range(n)]), np.arange(n)[::-1].astype(np.int32)
    )


def test_mentions_with_one_gold_id_are_examples_and_all_are_counted(sequences_of: SequencesOf) -> None:
    corpus = corpus_of(LABELS)
    side = side_of(corpus, sequences_of)
    examples = Examples.of(corpus, KB, side)
    assert len(examples) == 6
    assert examples.mentions.tolist() == [0, 1, 4, 6, 7, 8]
    assert examples.text_of_mention.tolist() == [9, 8, 5, 3, 2, 1]
    assert examples.texts is side.texts
    assert examples.in_kb.tolist() == [False, True, True, True, False, False]
    assert examples.groups[examples.in_kb].tolist() == [2, 0, 2]
    outside = examples.groups[~examples.in_kb].tolist()
    assert outside[0] == outside[1] != outside[2]
    assert min(outside) >= len(KB) == examples.n_entities
    assert examples.counts == {
        "mentions": 10,
        "linkable": 3,
        "outside_kb": 3,
        "composite": 2,
        "nil_of_unknown_cluster": 1,
        "unlabelled": 1,
        "entities_with_mentions": 2,
    }


def test_an_entity_with_one_mention_is_enough(sequences_of: SequencesOf) -> None:
    corpus = corpus_of([("E3",)])
    examples = Examples.of(corpus, KB, side_of(corpus, sequences_of))
    assert examples.groups.tolist() == [3]
    assert (examples.counts["linkable"], examples.counts["entities_with_mentions"]) == (1, 1)


@pytest.mark.parametrize(
    ("labels", "told"),
    [
        ([], "the training documents have no mentions: mark the spans and name their entities"),
        (
            [None, ("X", "Y"), ("C9",), ("C9",), ("C8",)],
            "none of the 2 gold entities of the training documents is in the knowledge base (gold ids such as 'C9', "
            "entity ids such as 'E0'); give the knowledge base they were labelled with",
        ),
        (
            [None, (), None, ("E0", "E1"), ("X", "Y"), None],
            "none of the 6 mentions of the training documents names one gold entity (3 unlabelled, 1 NIL, "
            "2 composite); training needs labelled mentions",
        ),
    ],
)
def test_it_is_told_why_nothing_can_be_learned(
    labels: list[Label], told: str, sequences_of: SequencesOf
) -> None:
    corpus = corpus_of(labels)
    with pytest.raises(InputError) as raised:
        Examples.of(corpus, KB, side_of(corpus, sequences_of))
    assert str(raised.value) == told


def test_documents_without_a_mention_are_told_from_the_first_step_on(make_tower: MakeTower) -> None:
    corpus = Corpus([Document("d", "nothing is marked")])
    side = MentionSide.of(corpus, make_tower().tokenizer, 32, Markers(), progress=False)
    assert (len(side.texts), side.text_of_mention.tolist()) == (0, [])
    with pytest.raises(InputError, match="have no mentions"):
        Examples.of(corpus, KB, side)


def words(side_texts: Sequences, tokenizer: object) -> list[str]:
    """The texts without blanks: the tiny vocabulary knows letters alone."""
    pieces = np.split(side_texts.tokens, side_texts.offsets[1:-1])
    decoded = [tokenizer.decode(own, skip_special_tokens=False) for own in pieces]  # type: ignore[attr-defined]
    return [text.replace(" ", "").replace("##", "") for text in decoded]


def test_equal_windows_are_one_text(make_tower: MakeTower) -> None:
    tokenizer = make_tower().tokenizer
    text = "rat ate rat"
    corpus = Corpus(
        [
            Document("a", text, (Mention("a0", 0, 3), Mention("a1", 8, 11))),
            Document("b", text, (Mention("b0", 8, 11),)),
        ]
    )
    side = MentionSide.of(corpus, tokenizer, 32, Markers(), progress=False)
    assert side.text_of_mention.tolist() == [0, 1, 1]
    assert words(side.texts, tokenizer) == [
        "[CLS][START]rat[END]aterat[SEP]",
        "[CLS]ratate[START]rat[END][SEP]",
    ]


def test_an_entity_is_one_text_or_one_for_each_name(make_tower: MakeTower) -> None:
    tokenizer = make_tower().tokenizer
    whole = EntitySide.of(KB, tokenizer, 64, "text", Markers(), progress=False)
    assert (whole.n_entities, whole.offsets.tolist()) == (4, [0, 1, 2, 3, 4])
    assert words(whole.texts, tokenizer)[2] == "[CLS]liver[TITLE][SEP]"
    names = EntitySide.of(KB, tokenizer, 64, "names", Markers(), progress=False)
    assert names.offsets.tolist() == [0, 3, 4, 5, 6]
    assert names.entity_of_view.tolist() == [0, 0, 0, 1, 2, 3]
    assert names.entity_of_view.dtype == np.int32
    assert [text.partition("[TITLE]")[0] for text in words(names.texts, tokenizer)] == [
        f"[CLS]{name}" for name in ("aspirin", "asa", "acetyl", "fever", "liver", "fever")
    ]


@pytest.mark.parametrize("views", ["text", "names"])
def test_entities_without_descriptions_may_share_a_text(make_tower: MakeTower, views: str) -> None:
    kb = KnowledgeBase([Entity("A", "rat"), Entity("B", "cat"), Entity("C", "rat")])
    side = EntitySide.of(kb, make_tower().tokenizer, 64, views, Markers(), progress=False)  # type: ignore[arg-type]
    assert len(side.texts) == 2
    assert side.text_of_view.tolist() == [0, 1, 0]
    assert side.entity_of_view.tolist() == [0, 1, 2]


def test_types_restrict_views_and_mentions() -> None:
    types = [("drug",), ("sign",), (), ("drug", "sign"), ("sign|drug",), ("drug",)]
    corpus = corpus_of([("E0",)] * 6, types)
    asked = np.array([0, 1, 3, 4, 5])
    of_views, of_mentions = type_restrictions(corpus, KB, asked, np.array([3, 1, 1, 1]))
    met = {
        query: None if allowed is None else allowed.tolist()
        for queries, allowed in of_views.meetings()
        for query in queries.tolist()
    }
    # three views of a drug, one of a sign, one of no type, which all may meet, one of both
    drug, sign, both = [0, 1, 2, 4, 5], [3, 4, 5], [0, 1, 2, 3, 4, 5]
    assert met == {0: drug, 1: sign, 2: both, 3: both, 4: drug}
    fellows = {
        query: [] if allowed is None else allowed.tolist()
        for queries, allowed in of_mentions.meetings()
        for query in queries.tolist()
    }
    assert fellows == {0: [0, 4], 1: [1], 2: [2, 3], 3: [2, 3], 4: [0, 4]}
