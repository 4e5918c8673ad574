"""Sizes that are chosen where the settings leave them open."""

from __future__ import annotations

import doctest
from typing import Any

import pytest

from arborlink.training import memory
from arborlink.training.memory import default_batch_size, fitting_chunk, kept_tokens
from arborlink.training.objectives import Needs

NEEDS = Needs(entity_negatives=2, mention_negatives=3, targets=True, gold_entities=True)


@pytest.fixture(scope="module")
def tower(tiny_model: Any) -> Any:
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(str(tiny_model), device="cpu")


def test_the_example_runs() -> None:
    outcome = doctest.testmod(memory)
    assert (outcome.attempted, outcome.failed) == (3, 0)


def test_an_epoch_of_few_mentions_has_several_steps() -> None:
    assert [default_batch_size(n) for n in (1, 128, 129, 800, 2048, 10**6)] == [16, 16, 16, 100, 256, 256]


def test_a_step_that_fits_is_encoded_at_once(tower: Any) -> None:
    # 10 mentions with 3 + 2 + 3 texts each of 16 tokens, 80 bytes for each of 1 layer of 32 dimensions
    needed = 10 * 8 * 16 * 80 * 32
    assert fitting_chunk(NEEDS, 10, 16, tower, free=round(needed / 0.6) + 1) == 0
    assert fitting_chunk(NEEDS, 10, 16, tower, free=round(needed / 0.6) - 5000) > 0


def test_a_chunk_takes_a_quarter_of_the_room_and_at_least_one_text(tower: Any) -> None:
    assert fitting_chunk(NEEDS, 1000, 16, tower, free=80 * 32 * 1000) == 150  # 0.6 of 1000 tokens, a quarter
    assert fitting_chunk(NEEDS, 1000, 64, tower, free=1) == 64


def test_a_cpu_reads_no_more_than_its_caches_hold(tower: Any) -> None:
    assert fitting_chunk(NEEDS, 10**6, 16, tower, free=80 * 32 * 10**6) == 4096


def test_activations_are_kept_where_a_chunk_can_still_be_computed_again(tower: Any) -> None:
    config, device = tower[0].auto_model.config, tower.device
    # half of 0.6 of 1000 tokens, less a chunk
    assert kept_tokens(150, config, device, free=80 * 32 * 1000) == 150
    assert kept_tokens(64, config, device, free=1) == 0


def test_free_memory_is_asked_of_the_machine(tower: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    assert fitting_chunk(NEEDS, 2, 16, tower) == 0
    monkeypatch.setattr(memory, "_free_memory", lambda device: 80 * 32 * 1000)
    assert fitting_chunk(NEEDS, 1000, 16, tower) == 150
