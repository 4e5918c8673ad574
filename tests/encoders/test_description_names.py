"""Names that descriptions give: against a slow literal twin, and as views of entities where names are compared."""

from __future__ import annotations

import doctest
import json
import math
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from arborlink.corpus import Corpus
from arborlink.document import Document, Mention
from arborlink.encoder import Embeddings, Texts, TextualEncoder
from arborlink.encoders import NameEncoder, description_names, load_encoder
from arborlink.encoders.blended import BlendedEncoder
from arborlink.encoders.building import build_tower
from arborlink.encoders.default_model import UNTRAINED
from arborlink.encoders.description_names import (
    DescriptionName,
    DescriptionNames,
    parted_texts,
    weighted_text,
)
from arborlink.encoders.lexical import folded_words
from arborlink.encoders.loading import load_names
from arborlink.encoders.model_folder import ModelSettings, read_settings, write_towers
from arborlink.encoders.text_encoder import TextEncoder
from arborlink.encoders.views import Markers
from arborlink.entity import Entity
from arborlink.errors import ModelError
from arborlink.knowledge_base import KnowledgeBase
from arborlink.labels import Labels
from arborlink.linker import Linker


def slowly(
    strings: list[str], descriptions: list[str], among: list[int] | None = None, n_each: int = 8
) -> list[DescriptionName]:
    """The literal twin: every place of every description that counts is looked at."""
    counted = range(len(descriptions)) if among is None else among
    names = []
    for number, string in enumerate(strings):
        words = folded_words(string).split()
        counts: dict[int, int] = {}
        for entity in counted:
            said = folded_words(descriptions[entity]).split()
            places = range(len(said) if words else 0)
            counts[entity] = sum(said[place : place + len(words)] == words for place in places)
        counts = {entity: count for entity, count in counts.items() if count}
        for entity in sorted(counts, key=lambda entity: (-counts[entity], entity))[:n_each]:
            rarity = 1 - 0.05 * math.floor(math.log2(len(counts)))
            weight = round(rarity * counts[entity] / (counts[entity] + 1), 2)
            names.append(DescriptionName(entity, number, weight))
    return names


def found(strings: list[str], descriptions: list[str]) -> list[tuple[int, str, float]]:
    """Entity, string and weight of what a new object finds."""
    names = DescriptionNames().of(strings, descriptions)
    return [(name.entity, strings[name.string], name.weight) for name in names]


# few words, so that runs of them come back; some differ by case, composition or what stands between them alone
PIECES = st.sampled_from(["a", "b", "A", "c", "é", "e\u0301", "-", ",", "ß", "ss"])
DESCRIPTIONS = st.lists(st.lists(PIECES, max_size=9).map(" ".join), max_size=20)
PHRASES = st.lists(PIECES, max_size=3).map(" ".join)
STRINGS = st.lists(PHRASES | st.text(max_size=2), max_size=5, unique=True)


def test_the_example_in_the_docstring_runs() -> None:
    outcome = doctest.testmod(description_names)
    assert outcome.attempted > 0
    assert outcome.failed == 0


@settings(max_examples=300, deadline=None)
@given(st.data(), STRINGS, DESCRIPTIONS, st.sampled_from([8, 8, 1, 3, 0]))
def test_what_is_found_is_what_a_slow_look_at_every_place_finds(
    data: st.DataObject, strings: list[str], descriptions: list[str], n_each: int
) -> None:
    numbers = st.sets(st.integers(0, len(descriptions) - 1)) if descriptions else st.just(set[int]())
    among = data.draw(st.none() | numbers.map(sorted))
    names = DescriptionNames(n_each)
    counted = None if among is None else np.array(among, dtype=np.int64)
    assert list(names.of(strings, descriptions, counted)) == slowly(strings, descriptions, among, n_each)


@settings(max_examples=150, deadline=None)
@given(
    st.data(),
    st.lists(PHRASES, min_size=1, max_size=4, unique=True),
    st.lists(st.lists(PIECES, max_size=5).map(" ".join), min_size=3, max_size=12),
    st.sampled_from([100_000, 100_000, 2, 1]),
)
def test_one_that_was_asked_before_finds_what_a_new_one_finds(
    data: st.DataObject, asked: list[str], pool: list[str], most_strings: int
) -> None:
    names = DescriptionNames()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(description_names, "_MOST_STRINGS", most_strings)
        for n_asked in range(1, len(asked) + 3):
            strings = asked[:n_asked]
            descriptions = data.draw(st.lists(st.sampled_from(pool), min_size=1))
            assert list(names.of(strings, descriptions)) == slowly(strings, descriptions)
            assert len(names._phrases._known) <= most_strings


def test_a_description_that_comes_is_searched_for_strings_that_were_asked() -> None:
    names, grown = DescriptionNames(), ["diana and diana", "the moon"]
    for number in range(12):
        grown.insert(number % 3, f"diana the {number}th")
        assert list(names.of(["Diana", "the"], grown)) == slowly(["Diana", "the"], grown)
        assert list(names.of(["the"], grown[::-1])) == slowly(["the"], grown[::-1])


@settings(max_examples=100, deadline=None)
@given(STRINGS, DESCRIPTIONS)
def test_strings_do_not_depend_on_each_other(strings: list[str], descriptions: list[str]) -> None:
    alone = [found([string], descriptions) for string in strings]
    assert found(strings, descriptions) == [name for names in alone for name in names]


def test_no_phrase_reaches_from_one_description_into_the_next() -> None:
    descriptions = ["the wonder", "woman of wonder", "", "!", "woman"]
    assert found(["wonder woman", "wonder wonder", "woman woman"], descriptions) == []
    # nor where the later text was read at another time
    names = DescriptionNames()
    for n_read in range(len(descriptions) + 1):
        assert list(names.of(["wonder woman"], descriptions[:n_read])) == []
    assert found(["wonder woman"], [*descriptions, "wonder woman"]) == [(5, "wonder woman", 0.5)]


@pytest.mark.parametrize(
    ("string", "description", "weight"),
    [
        ("diana", "Diana", 0.5),
        ("diana", "diana, DIANA; (Diana)", 0.75),
        ("aa aa", "aa aa aa", 0.67),
        ("T-cell", "the t cell", 0.5),
        ("t cell", "the T–cells", None),
        ("tcell", "the t-cell", None),
        ("Straße", "DIE STRASSE", 0.5),
        ("café", "a cafe\u0301.", 0.5),
        ("cafe", "a café", None),
        ("Москва", "город МОСКВА", 0.5),
        ("हिन्दी", "भाषा हिन्दी", 0.5),
        ("東京", "東京 都", 0.5),
        ("東京", "東京都", None),
        ("snake case", "snake_case", 0.5),
        ("+++", "+++", None),
        ("", "anything", None),
        ("a", "\ud83d a", 0.5),
    ],
)
def test_what_is_said(string: str, description: str, weight: float | None) -> None:
    assert found([string], [description]) == ([] if weight is None else [(0, string, weight)])


def test_a_name_that_very_many_descriptions_have_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(description_names, "_LOSS_BY_DOUBLING", 0.5)
    assert [weight for _, _, weight in found(["a"], ["a", "a", "a"])] == [0.25] * 3
    assert found(["a"], ["a"] * 4) == []


def test_two_threads_that_ask_at_once_are_answered_rightly() -> None:
    words = [f"w{number}" for number in range(40)]
    rng = np.random.default_rng(0)
    pool = [" ".join(rng.choice(words, 12)) for _ in range(200)]
    parts = [pool[:120], pool[80:]]
    names, together = DescriptionNames(), Barrier(2)

    def ask(number: int) -> list[list[DescriptionName]]:
        together.wait()
        descriptions = parts[number]
        return [list(names.of(words, descriptions[:size])) for size in range(5, len(descriptions), 10)]

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(2) as threads:
            answers = list(threads.map(ask, range(2)))
    finally:
        sys.setswitchinterval(interval)
    for answer, descriptions in zip(answers, parts, strict=True):
        expected = [slowly(words, descriptions[:size]) for size in range(5, len(descriptions), 10)]
        assert answer == expected


@given(st.lists(st.tuples(st.text(max_size=3).map(str.strip), st.integers(1, 99) | st.none()), max_size=8))
def test_a_name_and_its_weight_come_out_of_the_text_they_were_put_into(
    given_names: list[tuple[str, int | None]],
) -> None:
    weighted = [
        (" ".join(name.split()), None if hundredths is None else hundredths / 100)
        for name, hundredths in given_names
    ]
    texts = [name if weight is None else weighted_text(name, weight) for name, weight in weighted]
    names, places, weights = parted_texts(texts)
    assert len(set(names)) == len(names)
    assert [names[place] for place in places] == [name for name, _ in weighted]
    np.testing.assert_array_equal(
        weights, [np.float32(1 if weight is None else weight) for _, weight in weighted]
    )


KB = KnowledgeBase(
    [
        Entity(
            "Q1", "Wonder Woman", description="The Amazon Diana, or Diana Prince. Wonder Woman is strong."
        ),
        Entity("Q2", "Batman", ("the bat",), description="He met Diana and the Bat-signal; a rat."),
        Entity("Q3", "rat", ("rats",)),
    ]
)


def corpus(*strings: str, types: tuple[str, ...] = ()) -> Corpus:
    """A document for each string, which is its only mention."""
    return Corpus(
        Document(string, f"{string} again", (Mention(string, 0, len(string), types),)) for string in strings
    )


def texts_of(texts: Texts) -> list[set[str]]:
    """The texts of each item."""
    bounds = zip(texts.offsets[:-1], texts.offsets[1:], strict=True)
    return [{texts.texts[row] for row in texts.rows[begin:end]} for begin, end in bounds]


def affinity(mentions: Embeddings, entities: Embeddings, i: int, j: int) -> float:
    """The literal one: the best pair of vectors."""
    rows = entities.rows[entities.offsets[j] : entities.offsets[j + 1]]
    own = mentions.vectors[mentions.rows[i]]
    return max(float(own @ entities.vectors[row]) for row in rows)


@pytest.fixture
def text_encoder(tiny: Any) -> TextEncoder:
    return TextEncoder(tiny, "tiny")


@pytest.mark.parametrize("sameness", [0.0, 0.5])
@pytest.mark.parametrize("shortlist", [0, 32])
def test_a_mention_has_the_affinity_of_the_weight_to_an_entity_whose_description_says_it(
    text_encoder: TextEncoder, sameness: float, shortlist: int
) -> None:
    # spelling alone, which finds nothing in common with the entities' own names
    options: Any = {"spelling": 1.0, "sameness": sameness, "shortlist": shortlist}
    encoder = NameEncoder(text_encoder, description_names=True, **options)
    asked = corpus("Diana", "diana prince", "bat signal")
    mentions, entities = encoder.encode_mentions(asked), encoder.encode_entities(KB, asked)
    # Diana: two descriptions, twice in the first; the others: one, once
    for mention, entity, weight in [(0, 0, 0.95 * 2 / 3), (0, 1, 0.95 / 2), (1, 0, 0.5), (2, 1, 0.5)]:
        assert affinity(mentions, entities, mention, entity) == pytest.approx(round(weight, 2), abs=1e-5)
    without = NameEncoder(text_encoder, **options).encode_entities(KB, asked)
    assert affinity(mentions, without, 0, 0) < 0.4


def test_views_are_the_names_and_what_descriptions_give(text_encoder: TextEncoder) -> None:
    encoder = NameEncoder(text_encoder, shortlist=0, description_names=True)
    asked = corpus("DIANA", "wonder-woman", "The BAT", "rat", "nobody")
    assert encoder.entity_texts_need_corpus
    assert isinstance(encoder, TextualEncoder)
    assert texts_of(encoder.entity_texts(KB, asked)) == [
        {"wonder woman", "diana\x1e0.63"},  # its own name makes no view, though the description has it
        {"batman", "the bat", "diana\x1e0.47", "rat\x1e0.50"},  # "the bat" is an alias
        {"rat", "rats"},
    ]
    assert texts_of(encoder.entity_texts(KB, corpus("nobody"))) == texts_of(encoder.entity_texts(KB))


def test_without_documents_and_without_the_setting_nothing_changes(text_encoder: TextEncoder) -> None:
    encoder, without = NameEncoder(text_encoder, description_names=True), NameEncoder(text_encoder)
    assert (encoder.description_names, without.description_names) == (True, False)
    assert encoder.entity_texts(KB).texts == without.entity_texts(KB).texts
    np.testing.assert_array_equal(encoder.encode_entities(KB).vectors, without.encode_entities(KB).vectors)
    asked = corpus("Diana")
    assert not any("\x1e" in text for text in without.entity_texts(KB, asked).texts)
    np.testing.assert_array_equal(
        encoder.encode_mentions(asked).vectors, without.encode_mentions(asked).vectors
    )
    assert encoder.fingerprint != without.fingerprint
    assert without.fingerprint == NameEncoder(text_encoder, description_names=False).fingerprint


def test_a_name_that_is_also_somebodys_own_is_encoded_once(text_encoder: TextEncoder) -> None:
    encoder = NameEncoder(text_encoder, description_names=True)
    texts = encoder.entity_texts(KB, corpus("rat", "Diana")).texts
    before = text_encoder.n_encoded
    vectors = encoder.encode_entity_texts(texts)
    assert text_encoder.n_encoded - before == len({text.partition("\x1e")[0] for text in texts}) < len(texts)
    rows = [texts.index(text) for text in ("rat", "rat\x1e0.50")]
    np.testing.assert_allclose(vectors[rows[1]], 0.5 * vectors[rows[0]], rtol=1e-6)


@pytest.mark.parametrize("shortlist", [0, 1, 32])
@pytest.mark.parametrize("typed", [False, True])
def test_texts_for_two_corpora_together_are_those_for_either(
    text_encoder: TextEncoder, shortlist: int, typed: bool
) -> None:
    """What :class:`arborlink.encoder.TextualEncoder` promises: a workspace adds documents bit by bit."""
    encoder = NameEncoder(text_encoder, shortlist=shortlist, description_names=True)
    parts = [corpus("Diana", "rat"), corpus("diana prince", "bat", "woman")]
    of_targets = [frozenset({"Hero"}), frozenset({"Hero", "Animal"}), frozenset({"Animal"})]

    def texts(asked: Corpus) -> list[set[str]]:
        own = [
            frozenset({"Animal"} if mention.id in ("rat", "bat") else {"Hero"})
            for _, mention in asked.mentions
        ]
        return texts_of(encoder.entity_texts(KB, asked, Labels(own, of_targets) if typed else None))

    one, other = map(texts, parts)
    assert texts(Corpus([*parts[0], *parts[1]])) == [a | b for a, b in zip(one, other, strict=True)]
    assert one != other


def test_a_mention_gives_names_only_to_entities_that_it_may_meet(text_encoder: TextEncoder) -> None:
    encoder = NameEncoder(text_encoder, shortlist=0, description_names=True)
    kb = KnowledgeBase(
        Entity(f"Q{number}", f"entity {number}", description="of Diana") for number in range(4)
    )
    of_targets = [frozenset({"God"}), frozenset({"Town"}), frozenset[str](), frozenset({"God", "Town"})]

    def gave(*types: str) -> list[list[str]]:
        labels = Labels([frozenset(types)], of_targets)
        texts = texts_of(encoder.entity_texts(kb, corpus("Diana"), labels))
        return [sorted(text.partition("\x1e")[2] for text in own if "\x1e" in text) for own in texts]

    # descriptions that say it are counted over those that it may meet: three lose as much as two, four lose more
    assert gave("God") == [["0.47"], [], ["0.47"], ["0.47"]]
    assert gave("Town") == [[], ["0.47"], ["0.47"], ["0.47"]]
    assert gave("God", "Town") == gave() == [["0.45"]] * 4
    assert gave("Planet") == [[], [], ["0.50"], []]


@pytest.mark.parametrize("with_corpus", [False, True])
def test_texts_lead_to_the_same_vectors(text_encoder: TextEncoder, with_corpus: bool) -> None:
    encoder = NameEncoder(text_encoder, sameness=0.2, description_names=True)
    asked = corpus("Diana", "rat") if with_corpus else None
    texts, vectors = encoder.entity_texts(KB, asked), encoder.encode_entities(KB, asked)
    again = texts.encoded(encoder.encode_entity_texts(texts.texts))
    for name in ("vectors", "rows", "offsets"):
        np.testing.assert_array_equal(getattr(again, name), getattr(vectors, name))


@pytest.fixture
def saved(tiny_base: Path, tmp_path: Path) -> Path:
    tower = build_tower(
        tiny_base, pooling="mean", normalise=True, role="both", markers=Markers(), device="cpu"
    )
    chosen = ModelSettings(32, 32, name_share=0.25, sameness=0.3, description_names=True)
    write_towers(tmp_path / "model", tower, tower, chosen)
    return tmp_path / "model"


def change(folder: Path, **changes: Any) -> None:
    """Other values in ``arborlink.json``; a field that is to be ``...`` goes."""
    path = folder / "arborlink.json"
    content = json.loads(path.read_text()) | changes
    path.write_text(json.dumps({name: value for name, value in content.items() if value is not ...}))


def test_the_base_model_comparing_names_takes_it_too(tiny_base: Path) -> None:
    assert not load_names(device="cpu").description_names
    assert load_names(0.3, True, device="cpu").description_names
    untrained = load_encoder(UNTRAINED, device="cpu")
    assert isinstance(untrained, NameEncoder)
    assert not untrained.description_names


def test_a_saved_model_takes_names_from_descriptions(saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arborlink.encoders.network.resolve_precision", lambda device: torch.float32)
    assert json.loads((saved / "arborlink.json").read_text())["description_names"] is True
    assert read_settings(saved).description_names is True
    linker = Linker.load(saved, device="cpu", cache=False)
    encoder = linker.encoder
    assert isinstance(encoder, BlendedEncoder)
    assert encoder.names.description_names
    asked = corpus("Diana", "rat")
    mentions, entities = encoder.encode_mentions(asked), encoder.encode_entities(KB, asked)
    plain = NameEncoder(encoder.names.text_encoder, sameness=0.3)
    towers = encoder.towers.encode_mentions(asked), encoder.towers.encode_entities(KB)
    names = plain.encode_mentions(asked), plain.encode_entities(KB, asked)
    given_names = {(0, 0): 0.63, (0, 1): 0.47, (1, 1): 0.5}
    for i in range(2):
        for j in range(3):
            by_names = max(affinity(*names, i, j), given_names.get((i, j), 0.0))
            expected = 0.75 * affinity(*towers, i, j) + 0.25 * by_names
            # a given name is a view of its entity for other mentions too, though "rat" and "diana" are unlike
            assert affinity(mentions, entities, i, j) == pytest.approx(expected, abs=1e-4), (i, j)
    result = linker.link(asked, KB, candidates=3, threshold=None)
    assert result.candidates is not None
    near = {candidate.entity: candidate.affinity for candidate in result.candidates["Diana"]}
    assert near["Q1"] == pytest.approx(affinity(mentions, entities, 0, 0), abs=1e-4)


def test_a_folder_without_the_field_takes_none(saved: Path) -> None:
    fingerprints = [load_encoder(saved, device="cpu").fingerprint]
    for value in (False, ...):
        change(saved, description_names=value)
        assert read_settings(saved).description_names is False
        encoder = load_encoder(saved, device="cpu")
        assert isinstance(encoder, BlendedEncoder)
        assert not encoder.names.description_names
        fingerprints.append(encoder.fingerprint)
    assert fingerprints[0] != fingerprints[1] == fingerprints[2]


@pytest.mark.parametrize("value", [1, 0, 0.5, "true", None, [True]])
def test_what_is_neither_true_nor_false_is_refused(saved: Path, value: object) -> None:
    change(saved, description_names=value)
    with pytest.raises(ModelError) as refused:
        load_encoder(saved, device="cpu")
    assert f"description_names is {value!r}; expected true or false" in str(refused.value)
