"""The passages that say most about a mention, against a slow twin that does what the words of the module say."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arborlink.corpus import Corpus
from arborlink.document import Document, Mention
from arborlink.encoders.lexical import folded_words
from arborlink.encoders.views import Markers
from arborlink.entity import Entity
from arborlink.knowledge_base import KnowledgeBase
from arborlink.reranking.passages import Passages, pieces

MARKERS = Markers()
WORDS = ["ash", "birch", "Cedar", "elm-oak", "été", "in", "...", "z" * 140]
LABELS: list[tuple[str, ...] | None] = [None, (), ("E0",), ("E1",), ("E1",), ("E0", "E1"), ("elsewhere",)]
words = st.sampled_from(WORDS)
texts = st.lists(st.tuples(words, st.sampled_from([" ", " ", ". ", "\n", "; "])), min_size=1, max_size=9)
marks = st.lists(
    st.tuples(st.integers(0, 8), st.integers(1, 2), st.sampled_from(LABELS)), min_size=0, max_size=3
)


def document(
    name: str, parts: list[tuple[str, str]], marked: list[tuple[int, int, tuple[str, ...] | None]]
) -> Document:
    """Words with what stands between them; mentions are of one word or two."""
    text, spans = "", []
    for word, behind in parts:
        spans.append((len(text), len(text) + len(word)))
        text += word + behind
    mentions = []
    for number, (place, n, label) in enumerate(marked):
        first, last = place % len(spans), min(place % len(spans) + n, len(spans)) - 1
        mentions.append(Mention(f"{name}.{number}", spans[first][0], spans[last][1], (), label))
    return Document(name, text, tuple(mentions))


def entity(number: int, described: list[tuple[str, str]], aliases: list[str]) -> Entity:
    description = "".join(word + behind for word, behind in described)
    return Entity(f"E{number}", WORDS[number], aliases=tuple(aliases), description=description)


kbs = st.lists(
    st.tuples(st.one_of(st.just([]), texts), st.lists(words, max_size=2)), min_size=1, max_size=3
).map(lambda drawn: KnowledgeBase(entity(number, *each) for number, each in enumerate(drawn)))


def corpora(name: str) -> st.SearchStrategy[list[Document]]:
    return st.lists(st.tuples(texts, marks), min_size=1, max_size=3).map(
        lambda drawn: [document(f"{name}{number}", *each) for number, each in enumerate(drawn)]
    )


def windows_of(corpus: Corpus) -> list[str]:
    """Each mention marked, with three signs on either side."""
    return [
        f"{own.text[max(0, each.start - 3) : each.start]} {MARKERS.start} {own.text[each.start : each.end]} "
        f"{MARKERS.end} {own.text[each.end : each.end + 3]}"
        for own, each in corpus.mentions
    ]


def once(keys: list[str]) -> list[str]:
    return sorted(set(keys))


class Twin:
    """One passage after the other, one word after the other."""

    def __init__(
        self, kb: KnowledgeBase, wanted: list[int], n_words: int, n_shown: int, examples: Corpus | None
    ) -> None:
        self.passages: dict[int, list[tuple[str, list[str], str | None]]] = {}
        for number in sorted(wanted):
            own = kb.entities[number]
            shown = n_shown - sum(len(part.split()) for part in (*own.names, *own.types))
            of_description = pieces(own.description, n_words, max(0, shown))
            self.passages[number] = [
                (text, once(folded_words(text).split()), None) for text in of_description
            ]
            if examples is not None:
                self.passages[number] += self._said(own, examples)
        everything = [keys for own in self.passages.values() for _, keys, _ in own]
        self.rarity = {
            key: float(np.log1p(len(everything) / sum(key in keys for keys in everything)) / math.log(2))
            for key in set().union(*everything)
        }

    def _said(self, own: Entity, examples: Corpus) -> list[tuple[str, list[str], str | None]]:
        found: list[tuple[str, list[str], str | None]] = []
        for (where, mention), window in zip(examples.mentions, windows_of(examples), strict=True):
            if mention.entities == (own.id,):
                plain = window.replace(MARKERS.start, " ").replace(MARKERS.end, " ")
                string = folded_words(where.text[mention.start : mention.end])
                keys = [
                    *folded_words(plain).split(),
                    f"= {string}",
                    *(f"in {word}" for word in string.split()),
                ]
                found.append((window, once(keys), " ".join(where.text.split())))
        return found

    def choose(self, where: Document, mention: Mention, number: int, n: int) -> list[str]:
        """The texts of the passages, one after the other."""
        text, start, end = where.text, mention.start, mention.end
        string = folded_words(text[start:end])
        around = f"{text[max(0, start - 300) : start]} {text[end : end + 300]}"
        asked: dict[str, float] = {}
        for keys, weight in (
            (folded_words(around).split(), 1.0),
            (folded_words(text[:300]).split()[:12], 2.0),
            (string.split(), 4.0),
            ([f"in {word}" for word in string.split()], 4.0),
            ([f"= {string}"], 4.0),
        ):
            for key in keys:
                asked[key] = max(weight, asked.get(key, 0.0))
        worth = {key: weight * self.rarity[key] for key, weight in asked.items() if key in self.rarity}
        own_text = " ".join(text.split())
        left = [each for each in self.passages.get(number, []) if each[2] != own_text]
        found: list[str] = []
        while left and len(found) < n:
            sums = [sum(worth.get(key, 0.0) for key in keys) for _, keys, _ in left]
            text, keys_said, _ = left.pop(sums.index(max(sums)))
            found.append(text)
            worth = {key: each / 2 if key in keys_said else each for key, each in worth.items()}
        return found


@settings(deadline=None, max_examples=150)
@given(kb=kbs, linked=corpora("d"), others=corpora("e"), data=st.data())
def test_the_choice_is_the_one_of_the_slow_twin(
    kb: KnowledgeBase, linked: list[Document], others: list[Document], data: st.DataObject
) -> None:
    corpus = Corpus(linked)
    # copies of what is linked, under other ids and with another space at the end
    copies = data.draw(st.lists(st.sampled_from(range(len(linked))), unique=True))
    labelled = [
        Document(
            f"c{number}",
            f"{linked[number].text} ",
            tuple(
                Mention(f"c{each.id}", each.start, each.end, (), each.entities)
                for each in linked[number].mentions
            ),
        )
        for number in copies
    ]
    examples = data.draw(st.sampled_from([None, Corpus([*others, *labelled])]))
    numbers = st.integers(0, len(kb) - 1)
    wanted = data.draw(st.lists(numbers, unique=True))
    n_words, n_shown, n = (data.draw(st.integers(*bounds)) for bounds in ((1, 4), (0, 6), (1, 4)))
    n_rows = corpus.n_mentions and data.draw(st.integers(0, 4))
    mentions = [data.draw(st.integers(0, corpus.n_mentions - 1)) for _ in range(n_rows)]
    k = data.draw(st.integers(1, 3))
    items = [[data.draw(st.integers(-1, len(kb) - 1)) for _ in range(k)] for _ in mentions]

    found = Passages.of(
        kb,
        np.array(wanted, dtype=np.int64),
        n_words,
        n_shown,
        examples,
        [] if examples is None else windows_of(examples),
        MARKERS,
    )
    chosen = found.choose(
        corpus,
        np.array(mentions, dtype=np.int64),
        np.array(items, dtype=np.int32).reshape(len(mentions), k),
        n,
        examples,
    )
    assert chosen.shape == (len(mentions), k, n)
    twin = Twin(kb, wanted, n_words, n_shown, examples)
    marked = list(corpus.mentions)
    for row, own in enumerate(mentions):
        for place, number in enumerate(items[row]):
            expected = twin.choose(*marked[own], number, n) if number >= 0 else []
            assert [found.texts[each] for each in chosen[row, place] if each >= 0] == expected
            assert (chosen[row, place, len(expected) :] == -1).all()
            assert all(
                found.first[number] <= each < found.first[number + 1]
                for each in chosen[row, place]
                if each >= 0
            )


@given(
    st.lists(
        st.tuples(st.sampled_from(["a", "b.", "c!", "dd;", "e?f"]), st.sampled_from([" ", "  ", "\n", "\t"]))
    ),
    st.integers(1, 5),
    st.integers(0, 8),
)
def test_pieces_lose_no_word_but_those_that_are_shown(
    parts: list[tuple[str, str]], n_words: int, n_shown: int
) -> None:
    text = "".join(word + behind for word, behind in parts)
    everything = text.split()
    found = pieces(text, n_words, n_shown)
    kept = [word for piece in found for word in piece.split()]
    assert all(1 <= len(piece.split()) <= n_words for piece in found)
    assert kept == everything[len(everything) - len(kept) :]
    n_left_out = len(everything) - len(kept)
    assert n_left_out <= n_shown
    if not n_shown:
        assert kept == everything
    # what is left out ends with a sentence
    before = (
        text[: [place for place, sign in enumerate(text) if _begins(text, place)][n_left_out]] if kept else ""
    )
    assert not before.strip() or before.rstrip()[-1] in ".!?;" or "\n" in before[len(before.rstrip()) :]


def _begins(text: str, place: int) -> bool:
    """Whether a word begins here."""
    return not text[place].isspace() and (not place or text[place - 1].isspace())


@pytest.mark.parametrize(
    ("text", "n_words", "n_shown", "expected"),
    [
        ("", 4, 0, []),
        (" \n ", 4, 0, []),
        ("One two. Three four. Five.", 4, 0, ["One two. Three four.", "Five."]),
        ("One two. Three four. Five.", 9, 2, ["Three four. Five."]),
        ("One two. Three four. Five.", 9, 3, ["Three four. Five."]),
        ("One two. Three four. Five.", 9, 1, ["One two. Three four. Five."]),
        ("One two. Three four. Five.", 9, 5, []),
        ("v1.2 of it\nand more", 3, 0, ["v1.2 of it", "and more"]),
    ],
)
def test_pieces_are_whole_sentences(text: str, n_words: int, n_shown: int, expected: list[str]) -> None:
    assert pieces(text, n_words, n_shown) == expected
