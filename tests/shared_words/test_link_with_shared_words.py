"""Linking with and without a say of the words around mentions, alone and beside examples and a re-ranker."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from named_model import save_named_model

from arborlink.calibration import calibrate
from arborlink.corpus import Corpus
from arborlink.document import Document, Mention
from arborlink.encoders.blended import BlendedEncoder
from arborlink.encoders.name_part import NamePart, name_part_of
from arborlink.entity import Entity
from arborlink.errors import InputError
from arborlink.knowledge_base import KnowledgeBase
from arborlink.linker import Linker
from arborlink.search import Neighbours
from arborlink.shared_words import SharedWords
from arborlink.type_labels import type_labels


def entities(linker: Linker, corpus: Corpus, kb: KnowledgeBase, **options: Any) -> list[str | None]:
    return [link.entity for link in linker.link(corpus, kb, **options)]


def test_words_around_a_mention_put_the_link_right(
    linker: Linker, thermometer: Corpus, mercury: KnowledgeBase
) -> None:
    assert entities(linker, thermometer, mercury) == ["planet"]
    assert entities(linker.with_shared_words(0.4), thermometer, mercury) == ["metal"]
    assert linker.shared_words is None  # another linker has been made
    # the metal is 0.1 less near than the planet, of whom nothing is said
    items = np.array([[0, 1, 2]], dtype=np.int32)
    evidence = SharedWords(1, progress=False).evidence(thermometer, mercury, items)[0]
    assert (evidence[0], evidence[2]) == (0, 0)
    assert 0.2 < evidence[1] < 0.5
    for share, expected in ((0.101 / evidence[1], "metal"), (0.099 / evidence[1], "planet")):
        assert entities(linker.with_shared_words(share), thermometer, mercury) == [expected]


def test_affinities_are_those_of_the_places(
    linker: Linker, thermometer: Corpus, mercury: KnowledgeBase
) -> None:
    result = linker.with_shared_words(0.4).link(thermometer, mercury, candidates=3)
    assert result.candidates is not None
    assert [each.entity for each in result.candidates["m"]] == ["metal", "planet", "god"]
    assert [each.affinity for each in result.candidates["m"]] == pytest.approx([0.8, 0.7, 0.3])
    assert [link.affinity for link in result] == pytest.approx([0.8])


def test_no_share_gives_none_back(linker: Linker, thermometer: Corpus, mercury: KnowledgeBase) -> None:
    again = linker.with_shared_words(0.4).with_shared_words(0)
    assert again.shared_words is None
    assert again.name == linker.name == "given"
    assert entities(again, thermometer, mercury) == ["planet"]


def test_the_name_and_the_settings_of_the_result_tell(
    linker: Linker, thermometer: Corpus, mercury: KnowledgeBase
) -> None:
    with_words = linker.with_shared_words(0.4)
    assert (with_words.name, with_words.calibrated_name) == (
        "given+shared-words-0.4",
        "given+shared-words-0.4",
    )
    assert linker.with_shared_words(0.3).name == "given+shared-words-0.3"
    told = with_words.link(thermometer, mercury).settings
    assert (told["shared_words"], told["model"], told["encoder"]) == (0.4, "given+shared-words-0.4", "given")
    assert "shared_words" in told["seconds"]
    plain = linker.link(thermometer, mercury).settings
    assert (plain["shared_words"], plain["model"]) == (0.0, "given")
    assert "shared_words" not in plain["seconds"]


@pytest.mark.parametrize("share", [-0.1, math.nan, math.inf])
def test_a_share_that_cannot_be_one_is_refused(linker: Linker, share: float) -> None:
    with pytest.raises(InputError, match=rf"the share of shared words is {share}; expected a number above 0"):
        linker.with_shared_words(share)


def test_more_entities_are_looked_at_than_are_asked_for(
    linker: Linker, thermometer: Corpus, mercury: KnowledgeBase
) -> None:
    with_words = linker.with_shared_words(0.4)
    one = with_words.neighbourhood(thermometer, mercury, 1, 0).near
    assert (one.items.tolist(), one.affinities.tolist()) == ([[1]], [[pytest.approx(0.8)]])
    # there are three entities, and the fourth place is none
    assert with_words.neighbourhood(thermometer, mercury, 4, 0).near.items.tolist() == [[1, 0, 2]]


def test_edges_between_mentions_are_as_they_were(linker: Linker, mercury: KnowledgeBase) -> None:
    """Two mentions that say the same, of which one has telling words around it."""
    text = "mercury ran out of the glass thermometer. Nobody saw any"
    other = Document("e", "mercury it is", (Mention("n", 0, 7),))
    corpus = Corpus([Document("d", text, (Mention("m", 0, 7),)), other])
    plain, words = (
        each.neighbourhood(corpus, mercury, 3, 1) for each in (linker, linker.with_shared_words(0.4))
    )
    assert np.array_equal(plain.others.items, words.others.items)
    assert np.array_equal(plain.others.affinities, words.others.affinities)
    assert np.array_equal(plain.near.affinities, words.near.affinities)
    assert plain.near.items[:, 0].tolist() == [0, 0]
    # of what stands around the second mention, no description has a word
    assert words.near.items[:, 0].tolist() == [1, 0]


def test_types_leave_some_lists_short(linker: Linker, mercury: KnowledgeBase) -> None:
    types = {"planet": "Place", "metal": "Thing", "god": "Person"}
    kb = KnowledgeBase(
        Entity(each.id, each.name, types=(types[each.id],), description=each.description) for each in mercury
    )
    text = "the glass thermometer and mercury"
    corpus = Corpus(
        Document(f"d{number}", text, (Mention(f"m{number}", 26, 33, (kind,)),))
        for number, kind in enumerate(("Place", "Thing"))
    )
    with_words = linker.with_shared_words(0.4)
    near = with_words.neighbourhood(corpus, kb, 3, 0, labels=type_labels(corpus, kb)).near
    assert near.items.tolist() == [[0, -1, -1], [1, -1, -1]]
    assert np.isneginf(near.affinities[:, 1:]).all()
    assert entities(with_words, corpus, kb, by_type=True) == ["planet", "metal"]
    assert entities(with_words, corpus, kb) == ["metal", "metal"]


class Told:
    """In place of a re-ranker: notes what it is given, and puts the last first."""

    n = 3
    fingerprint = "told"

    def __init__(self) -> None:
        self.given: list[list[list[int]]] = []

    def rerank(
        self, corpus: Corpus, kb: KnowledgeBase, near: Neighbours, temperature: float, examples: Corpus | None
    ) -> Neighbours:
        self.given.append(near.items.tolist())
        return Neighbours(near.items[:, ::-1].copy(), near.affinities)


def test_words_have_their_say_before_a_re_ranker(
    linker: Linker, thermometer: Corpus, mercury: KnowledgeBase
) -> None:
    told: Any = Told()
    both = linker.with_reranker(told).with_shared_words(0.4)
    near = both.neighbourhood(thermometer, mercury, 2, 0).near
    assert told.given == [[[1, 0, 2]]]
    assert near.items.tolist() == [[2, 0]]
    assert both.name == "given+shared-words-0.4+reranker-told"
    linker.with_shared_words(0.4).with_reranker(told).neighbourhood(thermometer, mercury, 2, 0)
    linker.with_reranker(told).neighbourhood(thermometer, mercury, 2, 0)
    assert told.given[1:] == [[[1, 0, 2]], [[0, 1, 2]]]


def test_words_are_weighed_against_the_votes_of_examples(
    linker: Linker, thermometer: Corpus, mercury: KnowledgeBase
) -> None:
    text = "Mercury is no planet of ours: mercury is"
    labelled = Corpus([Document("x", text, (Mention("x", 30, 37, (), ("god",)),))])
    voted = linker.with_examples(labelled)
    both = voted.with_shared_words(0.3)
    # votes make it 1.0 for the god, 0.95 for the planet and 0.85 for the metal, whose evidence is about 0.4
    assert entities(voted, thermometer, mercury) == ["god"]
    assert entities(both, thermometer, mercury) == ["god"]
    assert entities(voted.with_shared_words(0.5), thermometer, mercury) == ["metal"]
    plain, words = (each.neighbourhood(thermometer, mercury, 3, 0).near for each in (voted, both))
    assert np.array_equal(plain.affinities, words.affinities)
    assert (plain.items.tolist(), words.items.tolist()) == ([[2, 0, 1]], [[2, 1, 0]])
    assert voted.name.startswith("given+")
    assert both.name == f"{voted.name}+shared-words-0.3"
    assert both.link(thermometer, mercury).settings["n_examples"] == 1


def test_a_calibration_is_for_the_share_that_it_was_learnt_with(
    linker: Linker, mercury: KnowledgeBase
) -> None:
    said = {"metal": "the glass thermometer and mercury", "planet": "the smallest orbit is that of mercury"}
    corpus = Corpus(
        Document(
            f"d{number}",
            said[label],
            (Mention(f"d{number}.0", len(said[label]) - 7, len(said[label]), (), (label,)),),
        )
        for number, label in enumerate(["metal", "planet", "planet"] * 10)
    )
    with_words = linker.with_shared_words(0.4)
    assert entities(linker, corpus, mercury) == ["planet"] * 30
    assert entities(with_words, corpus, mercury) == ["metal", "planet", "planet"] * 10
    with_words.calibration = calibrate(with_words, corpus, mercury).calibration
    for share, applied in ((0.4, True), (0.3, False), (0, False)):
        settings = with_words.with_shared_words(share).link(corpus, mercury).settings
        assert settings["calibration"]["applied"] is applied


def test_a_linker_levels_what_its_own_names_make_of_affinities(tiny_model: Path, tmp_path: Path) -> None:
    kb = KnowledgeBase(
        [
            Entity("A", "Mercury", description="A planet, the smallest."),
            Entity("B", "Freddie Mercury", description="Sang of Mercury, and of Bohemia before thousands."),
            Entity("C", "Venus"),
        ]
    )
    text = "thousands heard Mercury sing"
    corpus = Corpus([Document("d", text, (Mention("m", 16, 23),))])
    linker = Linker.load(save_named_model(tiny_model, tmp_path / "model", 0.6), device="cpu", cache=False)
    mentions, entities = linker.encoder.encode_mentions(corpus), linker.encoder.encode_entities(kb, corpus)
    named = name_part_of(linker.encoder, mentions, entities)
    assert named is not None
    assert isinstance(linker.encoder, BlendedEncoder)
    assert named.width == linker.encoder.names.encode_mentions(corpus).vectors.shape[1]
    everybody = np.arange(3)
    of_names = linker.encoder.names.encode_mentions(corpus), linker.encoder.names.encode_entities(kb, corpus)
    by_names = NamePart(*of_names, named.width).affinities(np.zeros(3, int), everybody)
    assert named.affinities(np.zeros(3, int), everybody) == pytest.approx(0.6 * by_names, abs=1e-5)
    plain = linker.neighbourhood(corpus, kb, 3, 0).near
    words = SharedWords(0.05, progress=False)
    found = linker.with_shared_words(0.05).neighbourhood(corpus, kb, 3, 0).near
    assert found.items.tolist() == words.rerank(corpus, kb, plain, named).items.tolist()
    # by affinities and evidence alone the planet would be the nearer one
    assert plain.items[0, 0] == words.rerank(corpus, kb, plain).items[0, 0] == 0
    assert found.items[0, 0] == 1


def test_names_alone_or_none_are_not_levelled(linker: Linker, thermometer: Corpus, tiny_model: Path) -> None:
    for encoder in (linker.encoder, Linker.load(tiny_model, device="cpu", cache=False).encoder):
        vectors = encoder.encode_mentions(thermometer)
        assert name_part_of(encoder, vectors, vectors) is None
