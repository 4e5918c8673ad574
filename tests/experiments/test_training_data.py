"""Several data sets in one training: every mention only ever meets the entities of its own."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from arborlink.experiments.data_sets import open_data_set
from arborlink.experiments.reading import Reading
from arborlink.experiments.training_data import TrainingData
from arborlink.labels import Labels
from arborlink.training.config import DevConfig, EncoderConfig
from arborlink.training.mining import Mining
from arborlink.training.objectives import Needs
from arborlink.training.scores import negative_mask
from arborlink.training.steps import Steps

NAMES = ("medmentions", "wikis", "bc5cdr")


def gathered(folder: Path, *names: str) -> TrainingData:
    return TrainingData.of([(open_data_set(name, folder), ("train",)) for name in names])


def meeting(labels: Labels | None, n_mentions: int, n_entities: int) -> NDArray[np.bool_]:
    """Who may meet whom, as a table."""
    found = np.zeros((n_mentions, n_entities), dtype=bool)
    if labels is None:
        return ~found
    for asking, allowed in labels.meetings():
        found[np.ix_(asking, np.arange(n_entities) if allowed is None else allowed)] = True
    return found


def test_together_each_meets_whom_it_meets_alone(data_folder: Path) -> None:
    together = gathered(data_folder, *NAMES)
    alone = [gathered(data_folder, name) for name in NAMES]
    assert len(together.kb) == sum(len(own.kb) for own in alone)
    for split in ("train", "dev"):
        expected = np.zeros((getattr(together, split).n_mentions, len(together.kb)), dtype=bool)
        row = column = 0
        for own in alone:
            n = getattr(own, split).n_mentions
            table = meeting(getattr(own, f"{split}_labels"), n, len(own.kb))
            expected[row : row + n, column : column + len(own.kb)] = table
            row, column = row + n, column + len(own.kb)
        labels = getattr(together, f"{split}_labels")
        assert np.array_equal(meeting(labels, *expected.shape), expected)


def test_texts_and_types_are_not_touched(data_folder: Path) -> None:
    together, alone = gathered(data_folder, *NAMES), [gathered(data_folder, name) for name in NAMES]
    before = [(entity.name, entity.types) for own in alone for entity in own.kb]
    assert [(entity.name, entity.types) for entity in together.kb] == before
    assert [document.text for document in together.train] == [
        document.text for own in alone for document in own.train
    ]


def test_a_single_data_set_is_as_it_is(data_folder: Path) -> None:
    own = gathered(data_folder, "medmentions")
    assert (own.train_labels, own.dev_labels, own.scopes) == (None, None, None)
    assert own.kb.entities[0].id == "C0"


def test_what_is_of_another_data_set_is_no_negative_of_a_step(data_folder: Path, tiny_model: Path) -> None:
    reading = Reading(EncoderConfig(base=str(tiny_model), mention_tokens=32, entity_tokens=32))
    data = gathered(data_folder, *NAMES)
    material = reading.material(data, DevConfig(neighbours=[1], recall_at=4), "cpu")
    examples, entities = material.examples, material.entities
    assert material.scopes is not None
    steps = Steps(examples, entities, Needs(0, 0, False, True), 16, scopes=material.scopes)
    steps.start(0, Mining(examples, entities, steps.needs, "arborescence", 0).draw(0))
    n_mixed = 0
    for step in range(len(steps)):
        item = steps[step]
        wrong = negative_mask(
            item["query_groups"],
            item["candidate_groups"],
            scopes=(item["query_scopes"], item["candidate_scopes"]),
        ).numpy()
        shared = negative_mask(item["query_groups"], item["candidate_groups"]).numpy()
        same = item["query_scopes"].numpy()[:, None] == item["candidate_scopes"].numpy()
        assert np.array_equal(wrong, shared & same)
        n_mixed += int((~same).sum())
    assert n_mixed > 0


def test_scopes_follow_the_data_set_of_mentions_and_entities(data_folder: Path) -> None:
    data = gathered(data_folder, *NAMES)
    assert data.scopes is not None
    of_mentions, of_entities = data.scopes
    assert [NAMES[scope] for scope in of_entities] == [entity.id.partition(":")[0] for entity in data.kb]
    assert [NAMES[scope] for scope in of_mentions] == [
        document.id.partition(":")[0] for document, _ in data.train.mentions
    ]
