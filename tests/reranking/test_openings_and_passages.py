"""A re-ranker that reads openings and passages: trained, cut off and gone on with, written, read, linked with."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from shutil import copytree

import numpy as np
import pytest
import torch
from reranking_world import LETTERS, letter_documents, letter_kb, quick_config

from arborlink.corpus import Corpus
from arborlink.document import Document, Mention
from arborlink.entity import Entity
from arborlink.errors import InputError
from arborlink.evaluation import evaluate
from arborlink.knowledge_base import KnowledgeBase
from arborlink.linker import Linker
from arborlink.reranking import read_reranker, write_reranker
from arborlink.reranking.pairs import ENTITY, OPENING, PASSAGES
from arborlink.reranking.passages import Passages
from arborlink.reranking.reading import Read, Reader
from arborlink.training.reranker import RerankerConfig, TrainedReranker, train_reranker
from arborlink.training.reranker import run as run_module
from arborlink.training.reranker.trainer import RerankerTrainer

TRAIN, DEV, TEST = letter_documents("t", 60, 1), letter_documents("d", 20, 2), letter_documents("x", 20, 5)
ALL = np.tile(np.arange(len(LETTERS), dtype=np.int32), (20, 1))


def config(base: Path, epochs: int = 3) -> RerankerConfig:
    reads = {"opening_tokens": 8, "passages": 2, "passage_tokens": 20}
    return quick_config(base, reranker=reads, trainer={"epochs": epochs})


@pytest.fixture(scope="module")
def linker(towers_folder: Path) -> Linker:
    """Towers of random weights, whose examples are what is trained on."""
    return Linker.load(towers_folder, device="cpu", cache=False, progress=False).with_examples(TRAIN)


@pytest.fixture(scope="module")
def reading(linker: Linker, tiny_model: Path) -> TrainedReranker:
    """A re-ranker that reads openings and passages."""
    return train_reranker(linker, letter_kb(), TRAIN, DEV, config(tiny_model), progress=False)


def test_what_is_written_links_as_what_was_trained(
    reading: TrainedReranker, linker: Linker, towers_folder: Path, tmp_path: Path
) -> None:
    assert reading.report.best.dev["accuracy"] == 1.0
    copytree(towers_folder, tmp_path / "model")
    write_reranker(tmp_path / "model", reading.reranker)
    read = read_reranker(tmp_path / "model")
    assert read.settings == reading.reranker.settings
    assert (read.settings.opening_tokens, read.settings.passages, read.settings.passage_tokens) == (8, 2, 20)
    scores = reading.reranker.scores(TEST, letter_kb(), ALL, TRAIN)
    assert np.array_equal(read.scores(TEST, letter_kb(), ALL, TRAIN), scores)
    assert not np.allclose(read.scores(TEST, letter_kb(), ALL), scores)
    saved = Linker.load(tmp_path / "model", device="cpu", cache=False, progress=False).with_examples(TRAIN)
    linked = saved.link(TEST, letter_kb(), threshold=None)
    assert evaluate(linked, TEST, letter_kb())["accuracy"] == 1.0
    plain = linker.neighbourhood(TEST, letter_kb(), 4, 0).near
    asked = reading.reranker.rerank(TEST, letter_kb(), plain, linker.temperature, TRAIN)
    assert np.array_equal(saved.neighbourhood(TEST, letter_kb(), 4, 0).near.items, asked.items)


def test_labels_of_the_own_document_say_nothing(reading: TrainedReranker) -> None:
    corpus = Corpus(list(TEST)[:1])
    copy = Corpus(Document("other", f" {each.text}", _moved(each, 1)) for each in corpus)
    for own in (corpus, copy):
        with_it, without = (
            reading.reranker.scores(corpus, letter_kb(), ALL[:1], examples) for examples in (own, None)
        )
        assert np.array_equal(with_it, without)


def _moved(document: Document, by: int) -> tuple[Mention, ...]:
    return tuple(
        Mention(f"other.{each.id}", each.start + by, each.end + by, each.types, each.entities)
        for each in document.mentions
    )


def test_a_run_that_was_killed_ends_where_the_others_end(
    linker: Linker, tiny_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def train(folder: Path, looking: Linker = linker) -> TrainedReranker:
        some = Corpus(list(TRAIN)[:16])
        return train_reranker(
            looking, letter_kb(), some, DEV, config(tiny_model, 2), folder=folder, progress=False
        )

    class Killed(BaseException):
        pass

    whole = train(tmp_path / "whole")
    original: Callable[..., dict[str, float]] = RerankerTrainer.evaluate
    calls = iter(range(10))

    def evaluate(self: RerankerTrainer, *arguments: object, **options: object) -> dict[str, float]:
        if next(calls) == 1:
            raise Killed
        return original(self, *arguments, **options)

    with monkeypatch.context() as patch:
        patch.setattr(RerankerTrainer, "evaluate", evaluate)
        with pytest.raises(Killed):
            train(tmp_path / "cut")
    monkeypatch.setattr(run_module, "mine", None)  # the candidates are kept
    resumed = train(tmp_path / "cut")
    before, after = whole.reranker.network.state_dict(), resumed.reranker.network.state_dict()
    assert all(torch.equal(before[name], after[name]) for name in before)
    # other texts with the same labels are other examples
    others = Corpus(Document(each.id, f"{each.text}!", each.mentions) for each in TRAIN)
    for examples in (None, others):
        with pytest.raises(InputError, match="began with other settings"):
            train(tmp_path / "cut", linker.with_examples(examples))


KB = KnowledgeBase(
    [
        Entity(
            "E0", "red", description="Nothing here. Some more of it. A green sea far away. The end of it."
        ),
        Entity("E1", "blue", description=f"{'word ' * 12}word. [START] a green [TITLE] hill [END]."),
        Entity("E2", "grey"),
    ]
)
LINKED = Corpus(
    [
        Document("d0", "[TITLE] green  things\nall of them, a sea.", (Mention("d0.0", 37, 40),)),
        Document("d1", "far away, the end", (Mention("d1.0", 0, 3), Mention("d1.1", 14, 17))),
    ]
)


def texts_of(read: Read, reader: Reader, column: int) -> list[list[str]]:
    """What a column of the rows says, special tokens left out; one list for each mention."""
    kinds = {OPENING: read.texts.openings, ENTITY: read.texts.entities}
    own = kinds.get(column, read.texts.passages)
    return [
        [
            reader.tokenizer.decode(own.tokens[own.offsets[row] : own.offsets[row + 1]], True)
            if row >= 0
            else ""
            for row in rows
        ]
        for rows in read.rows[:, :, column].tolist()
    ]


def test_a_reader_puts_every_text_where_it_belongs(reading: TrainedReranker) -> None:
    reader = reading.reranker.reader
    items = np.array([[0, 1], [0, -1], [2, 1]], dtype=np.int32)
    read = reader.read(LINKED, KB, items)
    assert read.rows.shape == (3, 2, PASSAGES + 2)
    assert read.is_there.tolist() == [[True, True], [True, False], [True, True]]
    assert len(read.pairs()) == 5
    assert np.array_equal(read.pairs(np.array([2, 0])), read.rows[[2, 2, 0, 0], [0, 1, 0, 1]])
    # both mentions of a document have its opening, and an entity is the same text for all
    assert len(read.texts.openings) == 2
    assert len(set(read.rows[1:, :, OPENING].ravel().tolist())) == 1
    assert read.rows[0, 1, ENTITY] == read.rows[2, 1, ENTITY]
    assert read.rows[1, 1, ENTITY] == -1
    # nobody describes the last entity
    assert (read.rows[2, 0, PASSAGES:] == -1).all()
    assert (read.rows[:2, 0, PASSAGES] >= 0).all()


def test_a_marker_in_a_text_is_none(reading: TrainedReranker) -> None:
    reader = reading.reranker.reader
    read = reader.read(LINKED, KB, np.array([[1], [1], [1]], dtype=np.int32))
    markers = reader.tokenizer.convert_tokens_to_ids(list(reader.settings.markers.all))
    assert not np.isin(read.texts.openings.tokens, markers).any()
    assert not np.isin(read.texts.passages.tokens, markers).any()
    assert np.isin(read.texts.entities.tokens, markers).sum() == 1  # behind the name
    n_shown = 2 * reader.settings.entity_tokens // 3
    (said,) = {text for text in Passages.of(KB, np.array([1]), 13, n_shown).texts if "green" in text}
    assert said == "[START] a green [TITLE] hill [END]."
    assert len(read.texts.passages) == 2


def test_mentions_can_be_read_in_any_order(reading: TrainedReranker) -> None:
    reader = reading.reranker.reader
    items = np.array([[0, 1], [1, 0], [2, 0]], dtype=np.int32)
    order = np.array([2, 0])
    whole, some = reader.read(LINKED, KB, items), reader.read(LINKED, KB, items[order], order)
    for column in (OPENING, ENTITY, PASSAGES, PASSAGES + 1):
        expected = texts_of(whole, reader, column)
        assert texts_of(some, reader, column) == [expected[number] for number in order]
