"""What mentions and descriptions share, against a slow literal twin."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arborlink.corpus import Corpus
from arborlink.document import Document, Mention
from arborlink.encoders.lexical import folded_words
from arborlink.entity import Entity
from arborlink.errors import InputError
from arborlink.knowledge_base import KnowledgeBase
from arborlink.shared_words import SharedWords

# Composed and decomposed letters, a ligature, wide letters, vowel signs, a script without blanks; some fold to one.
LATIN = ["ash", "elm", "Oak", "oak", "été", "e\u0301te\u0301", "ﬁr", "fir", "ＡＳＨ", "x1", "a", "ß"]
ALPHABET = [*LATIN, "नीम", "柳の木"]
words = st.sampled_from(ALPHABET)
BLANKS = [" ", " ", " ", "\n", "-", ", "]
RUNS = [" ", "\u3000" * 30, "-" * 60, " ." * 40]
SIGNS_OF_WORD = 24


def text_of(parts: list[tuple[str, str]]) -> str:
    return "".join(word + behind for word, behind in parts)


@st.composite
def worlds(draw: st.DrawFn, between: list[str]) -> tuple[Corpus, KnowledgeBase, list[list[int]]]:
    """Documents, entities and some entities of each mention; a document may quote a description."""
    parts = st.tuples(words, st.sampled_from(between))
    described = draw(
        st.lists(
            st.one_of(st.just([]), st.lists(parts, max_size=6), st.lists(parts, min_size=11, max_size=25)),
            min_size=1,
            max_size=5,
        )
    )
    kb = KnowledgeBase(
        Entity(f"E{number}", "name", description=text_of(each)) for number, each in enumerate(described)
    )
    documents = []
    for number in range(draw(st.integers(1, 3))):
        before, after = (draw(st.lists(parts, max_size=12)) for _ in range(2))
        quote = draw(st.sampled_from([[], *described]))[: draw(st.sampled_from([11, 12, 25]))]
        text = text_of([*before, *quote, *after])
        mentions = []
        for place in range(draw(st.integers(0, 3)) if text.strip() else 0):
            start = draw(st.integers(0, len(text) - 1))
            end = draw(st.one_of(st.just(len(text)), st.integers(start + 1, min(start + 12, len(text)))))
            if text[start:end].strip():
                mentions.append(Mention(f"{number}.{place}", start, end))
        documents.append(Document(f"d{number}", text, tuple(mentions)))
    corpus = Corpus(documents)
    n_columns = draw(st.integers(0, 6))
    row = st.lists(st.integers(-1, len(kb) - 1), min_size=n_columns, max_size=n_columns)
    return corpus, kb, [draw(row) for _ in range(corpus.n_mentions)]


class Twin:
    """One entity after the other, one word after the other."""

    def __init__(self, kb: KnowledgeBase) -> None:
        every = [folded_words(entity.description).split() for entity in kb]
        self.said = {number: said for number, said in enumerate(every) if said}

    def rarity(self, having: int) -> float:
        """Of a word that so many texts have."""
        return math.log(1 + (len(self.said) - having + 0.5) / (having + 0.5))

    def weight(self, word: str, entity: int) -> float:
        """BM25 of a word of a description."""
        mean = sum(len(said) for said in self.said.values()) / len(self.said)
        having = sum(word in said for said in self.said.values())
        often = Counter(self.said[entity])[word]
        length = len(self.said[entity]) / mean
        return self.rarity(having) * often * (1.2 + 1) / (often + 1.2 * (1 - 0.75 + 0.75 * length))

    def is_own_page(self, text: str, entity: int) -> bool:
        there, opening = folded_words(text).split(), self.said[entity][:12]
        starts = range(len(there))
        return len(opening) == 12 and any(there[start : start + 12] == opening for start in starts)

    def evidence(
        self, document: Document, mention: Mention, items: list[int], window: int, signs: int | None
    ) -> list[float]:
        text, start, end = document.text, mention.start, mention.end
        first = 0 if signs is None else max(0, start - window * signs)
        last = len(text) if signs is None else end + window * signs
        own = folded_words(text[start:end]).split()
        left = folded_words(text[first:start]).split()
        right = folded_words(text[end:last]).split()
        places = [
            *((word, 0) for word in own),
            *((word, len(left) - place) for place, word in enumerate(left)),
            *((word, place + 1) for place, word in enumerate(right)),
        ]
        around = {word for word, away in places if away <= window}
        nearest = {word: min(away for other, away in places if other == word) for word in around}
        sums = [
            sum(self.weight(word, entity) / (1 + nearest[word] / 4) for word in around & {*self.said[entity]})
            if entity in self.said and not self.is_own_page(text, entity)
            else 0.0
            for entity in items
        ]
        most = max(sums, default=0.0)
        return [each / (most + 2 * self.rarity(1)) if most else 0.0 for each in sums]


def assert_as_the_twin_says(
    world: tuple[Corpus, KnowledgeBase, list[list[int]]], window: int, signs: int | None
) -> None:
    corpus, kb, rows = world
    items = np.array(rows, dtype=np.int32).reshape(corpus.n_mentions, -1 if rows else 0)
    before = items.copy()
    looks = SharedWords(0.3, window=window, progress=False)
    found = looks.evidence(corpus, kb, items)
    twin = Twin(kb)
    assert found.shape == items.shape
    assert ((found >= 0) & (found < 1)).all()
    assert np.array_equal(items, before)
    for (document, mention), row, own in zip(corpus.mentions, rows, found.tolist(), strict=True):
        assert own == pytest.approx(twin.evidence(document, mention, row, window, signs), abs=1e-9)
    assert np.array_equal(looks.evidence(corpus, kb, items), found)


@settings(deadline=None, max_examples=300)
@given(world=worlds(BLANKS), window=st.sampled_from([0, 1, 2, 3, 5, 32, 64]))
def test_evidence_is_that_of_the_slow_twin(
    world: tuple[Corpus, KnowledgeBase, list[list[int]]], window: int
) -> None:
    assert_as_the_twin_says(world, window, None)


@settings(deadline=None, max_examples=100)
@given(world=worlds(RUNS), window=st.sampled_from([0, 1, 2, 3]))
def test_long_runs_of_signs_use_up_the_window(
    world: tuple[Corpus, KnowledgeBase, list[list[int]]], window: int
) -> None:
    assert_as_the_twin_says(world, window, SIGNS_OF_WORD)


def marked(*texts: str) -> Corpus:
    """A document for each text, with a mention between brackets, which are taken out."""
    documents = []
    for number, text in enumerate(texts):
        start, end = text.index("["), text.index("]") - 1
        documents.append(
            Document(
                f"d{number}",
                text.replace("[", "").replace("]", ""),
                (Mention(f"m{number}", start, end),),
            )
        )
    return Corpus(documents)


def described(*descriptions: str) -> KnowledgeBase:
    return KnowledgeBase(
        Entity(f"E{number}", "name", description=each) for number, each in enumerate(descriptions)
    )


def looked(corpus: Corpus, kb: KnowledgeBase, **options: int) -> list[list[float]]:
    """The evidence for every entity."""
    items = np.tile(np.arange(len(kb), dtype=np.int32), (corpus.n_mentions, 1))
    found: list[list[float]] = (
        SharedWords(0.3, **options, progress=False).evidence(corpus, kb, items).tolist()
    )
    return found


def test_the_formula_by_hand() -> None:
    # three texts of 3, 2 and 1 words, 2 on average; the fourth entity is not one of them
    kb = described("oak oak elm", "oak ash", "fir", "")
    rare, common = math.log(1 + 2.5 / 1.5), math.log(1 + 1.5 / 2.5)
    penalty = 1.2 * (0.25 + 0.75 * 1.5)
    # "oak" is the mention's own, "elm" stands two words away from it
    of_first = common * 2 * 2.2 / (2 + penalty) + rare * 2.2 / (1 + penalty) / (1 + 2 / 4)
    of_second = common * 2.2 / (1 + 1.2)
    enough = of_first + 2 * rare
    found = looked(marked("an elm and [an oak]"), kb)[0]
    assert found == pytest.approx([of_first / enough, of_second / enough, 0, 0])


def test_said_once_or_often_around_a_mention_is_the_same() -> None:
    kb = described("oak elm", "ash fir fir")
    once, often = looked(marked("oak ash [it]", "oak ash oak oak ash [it] so oak ash oak"), kb)
    assert once == often


def test_nearer_words_count_more() -> None:
    # each word alone counts the same: two texts of one word each
    kb = described("oak", "elm")
    for away, count in ((1, 4 / 5), (2, 4 / 6), (4, 1 / 2), (12, 1 / 4), (64, 1 / 17)):
        between = "so " * (away - 1)
        after, before = looked(marked(f"[elm] {between}oak", f"oak {between}[elm]"), kb)
        # the mention's own word counts 1
        assert after == before == pytest.approx([count / 3, 1 / 3])


def test_a_word_counts_where_it_is_nearest() -> None:
    kb = described("oak", "elm")
    near, *others = looked(
        marked(
            "elm [it] oak",
            "oak so so elm [it] oak so oak",
            "oak elm [it] oak",
            "elm [it] oak so so oak elm",
            "oak elm oak so elm [it] oak",
        ),
        kb,
    )
    assert others == [near] * 4
    # on the other side it is as near, or nearer
    left, right, both = looked(marked("oak so so [it]", "[it] so oak", "oak so so [it] so oak"), kb)
    assert both == right
    assert both[0] > left[0]
    # in the mention it is nearest, however near it is beside it
    assert looked(marked("[oak]"), kb) == looked(marked("oak [oak] oak"), kb)


def test_with_few_words_in_common_not_even_the_best_gets_one_half() -> None:
    words = "ash elm fir oak bay yew"
    # all texts are as long, so that each of the words counts as much as the rarest
    kb = described(words, "one two three four five six")
    said = [" ".join(words.split()[:n]) for n in range(1, 7)]
    own = [best for best, _ in looked(marked(*(f"[{each}]" for each in said)), kb)]
    assert own == pytest.approx([1 / 3, 1 / 2, 3 / 5, 2 / 3, 5 / 7, 3 / 4])
    beside = [best for best, _ in looked(marked(*(f"{each} [it]" for each in said)), kb)]
    assert beside == sorted(beside)
    assert beside[1] < 1 / 2 < beside[-1] < 1
    # what many texts have counts less, and is not enough however much of it there is
    common = described(words, *[f"{words} {number}" for number in range(50)])
    assert 0 < max(looked(marked(f"[{words}]"), common)[0]) < 0.1


def test_rare_words_count_more_and_long_descriptions_less() -> None:
    kb = described("oak ash", "fir elm", "fir ash", "fir ash " + "so on " * 20)
    # both stand beside the mention
    rare, common, _, long = looked(marked("an oak [it] fir"), kb)[0]
    assert 0 < long < common < rare < 1


def test_the_window_ends_where_it_ends() -> None:
    kb = described("oak", "elm", "ash", "fir")
    corpus = marked("oak one elm [it] ash two fir")
    near, far = (4 / 5) / (4 / 5 + 2), (4 / 7) / (4 / 5 + 2)
    assert looked(corpus, kb, window=0) == [[0, 0, 0, 0]]
    assert looked(corpus, kb, window=1)[0] == pytest.approx([0, near, near, 0])
    assert looked(corpus, kb, window=2)[0] == pytest.approx([0, near, near, 0])
    assert looked(corpus, kb, window=3)[0] == pytest.approx([far, near, near, far])
    last = (1 / 17) / (1 / 17 + 2)
    one, other = looked(
        marked(f"oak {'so ' * 63}[it]{' so' * 64} elm", f"oak {'so ' * 64}[it]{' so' * 63} elm"), kb
    )
    assert one == pytest.approx([last, 0, 0, 0])
    assert other == pytest.approx([0, last, 0, 0])


def test_words_are_told_apart_however_they_are_written() -> None:
    kb = described("ÉTÉ; Straße", "ete strass")
    found = looked(marked("[e\u0301te\u0301]", "[STRASSE]", "[ＳＴＲＡＳＳ]"), kb)
    for own, expected in zip(found, ([1 / 3, 0], [1 / 3, 0], [0, 1 / 3]), strict=True):
        assert own == pytest.approx(expected)


def test_a_page_is_nothing_to_the_mentions_on_it() -> None:
    opening = "one two three four five six seven eight nine ten eleven twelve"
    kb = described(f"{opening} oak", "oak", opening.removesuffix(" twelve"), f"{opening} again oak")
    own = f"Of Trees. {opening.title().replace(' ', ', ')} [oak] and so on"
    nearly = f"Of Trees. {opening.replace('six', 'sixth')} [oak] and so on"
    apart = f"Of Trees. {opening.replace('six', 'six or')} [oak] and so on"
    short = f"Of Trees. {opening.removesuffix(' twelve')} [oak] and so on"
    of_own, *of_others = looked(marked(own, nearly, apart, short), kb)
    # the third is too short to be known again, whatever the page says
    assert (of_own[0], of_own[3]) == (0, 0)
    assert 0 < of_own[1] < of_own[2] < 1
    # nor is it the best that the others are compared with
    left = np.array([[1, 2]] + [[-1, -1]] * 3, dtype=np.int32)
    found = SharedWords(0.3, progress=False).evidence(marked(own, nearly, apart, short), kb, left)
    assert found[0].tolist() == of_own[1:3]
    assert [each.index(max(each)) for each in of_others] == [0, 0, 0]


def test_a_page_is_another_text_to_mentions_elsewhere() -> None:
    page = "the oak is a tree with acorns on it and it lives for long"
    kb = described(page)
    own, other = looked(marked(f"{page} [oak]", "a tree with acorns [oak]"), kb)
    # of "a tree with acorns oak" the description has every word, once
    shared = 1 + 4 / 5 + 4 / 6 + 4 / 7 + 4 / 8
    assert own == [0]
    assert other == pytest.approx([shared / (shared + 2)])


def test_nothing_in_common_is_nothing_for_anybody() -> None:
    assert looked(marked("[it] is so", "[...] is so", "[so]"), described("oak", "", "--")) == [[0, 0, 0]] * 3


def test_entities_without_descriptions_are_no_texts() -> None:
    assert looked(marked("an oak [it]"), described("", " ", "...")) == [[0, 0, 0]]
    with_them, without = (
        described("oak elm", "", "oak ash elm fir", "", ""),
        described("oak elm", "oak ash elm fir"),
    )
    corpus = marked("elm [oak]")
    assert [looked(corpus, with_them)[0][number] for number in (0, 2)] == looked(corpus, without)[0]


def test_another_knowledge_base_has_other_words() -> None:
    looks, corpus = SharedWords(0.3, progress=False), marked("an oak [it]")
    found = (4 / 5) / (4 / 5 + 2)
    items = np.array([[0, 1]], dtype=np.int32)
    for descriptions, expected in ((("oak", "elm"), [found, 0]), (("elm", "oak"), [0, found])) * 2:
        own = looks.evidence(corpus, described(*descriptions), items)[0]
        assert own.tolist() == pytest.approx(expected)


def test_documents_without_mentions_have_no_rows() -> None:
    kb = described("oak", "elm")
    corpus = Corpus([Document("a", "an oak"), *marked("an elm [it]"), Document("b", "")])
    assert looked(corpus, kb) == looked(marked("an elm [it]"), kb)
    assert looked(corpus, kb)[0] == pytest.approx([0, (4 / 5) / (4 / 5 + 2)])
    assert looked(Corpus([Document("a", "an oak")]), kb) == []


@pytest.mark.parametrize("share", [0, -0.2, math.nan, math.inf, -math.inf])
def test_a_share_that_is_none_is_refused(share: float) -> None:
    with pytest.raises(
        InputError, match=rf"the share of shared words is {share}; expected a number above 0, such as 0\.4"
    ):
        SharedWords(share)


def test_other_settings_that_make_no_sense_are_refused() -> None:
    with pytest.raises(
        InputError, match="shared words look at 0 entities of each mention; expected at least 1"
    ):
        SharedWords(0.3, n=0)
    with pytest.raises(InputError, match="the window of shared words is -1; expected 0 or more"):
        SharedWords(0.3, window=-1)
    with pytest.raises(TypeError):
        SharedWords(0.3, n=2.5)  # type: ignore[arg-type]


def test_the_name_tells_the_settings() -> None:
    assert SharedWords(0.3).name == "shared-words-0.3"
    assert SharedWords(0.3, n=512, window=64).name == "shared-words-0.3"
    assert SharedWords(0.25, n=64).name == "shared-words-0.25-64-64"
    assert SharedWords(1, window=8).name == "shared-words-1-512-8"
