"""What training is fed with, made in code: token ids, examples, a knowledge base, towers of a few weights."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from sentence_transformers import SentenceTransformer

from arborlink.encoders.building import build_tower
from arborlink.encoders.sequences import Sequences
from arborlink.encoders.views import Markers
from arborlink.training.examples import EntitySide, Examples

SequencesOf = Callable[[Sequence[Sequence[int]]], Sequences]
MakeSides = Callable[..., tuple[Examples, EntitySide]]
MakeTower = Callable[..., SentenceTransformer]

# Ids of [PAD], [CLS] and [SEP] in the vocabulary of the tiny model, and the first id of a letter.
PADDING, FIRST, LAST, LETTERS = 0, 2, 3, 5


def _sequences(ids: Sequence[Sequence[int]]) -> Sequences:
    offsets = np.concatenate([[0], np.cumsum([len(own) for own in ids])]).astype(np.int64)
    return Sequences(np.array([id_ for own in ids for id_ in own], dtype=np.int32), offsets, PADDING)


def _distinct_texts(n: int, draw: np.random.Generator) -> Sequences:
    """Texts of 4 to 30 tokens that the tiny model knows; two of them tell the number of the text."""
    return _sequences(
        [
            [
                FIRST,
                LETTERS + number // 64,
                LETTERS + number % 64,
                *draw.integers(LETTERS, LETTERS + 64, draw.integers(0, 27)).tolist(),
                LAST,
            ]
            for number in range(n)
        ]
    )


def _sides(
    groups: Sequence[int], n_views: Sequence[int], seed: int = 0, n_texts: int | None = None
) -> tuple[Examples, EntitySide]:
    draw = np.random.default_rng(seed)
    n, n_all_views = len(groups), sum(n_views)
    rows = np.arange(n) if n_texts is None else draw.integers(0, n_texts, n)
    examples = Examples(
        mentions=np.arange(n, dtype=np.int64),
        texts=_distinct_texts(n if n_texts is None else n_texts, draw),
        text_of_mention=rows.astype(np.int32),
        groups=np.array(groups, dtype=np.int64),
        n_entities=len(n_views),
        counts={},
    )
    # Views are numbered in another order than their texts, so that one cannot pass for the other.
    entities = EntitySide(
        texts=_distinct_texts(n_all_views, draw),
        text_of_view=draw.permutation(n_all_views).astype(np.int32),
        offsets=np.concatenate([[0], np.cumsum(n_views)]).astype(np.int64),
    )
    return examples, entities


@pytest.fixture(scope="session")
def sequences_of() -> SequencesOf:
    """``sequences_of([[2, 7, 3], [2, 3]])``: token ids as :class:`Sequences`."""
    return _sequences


@pytest.fixture(scope="session")
def make_sides() -> MakeSides:
    """``make_sides(groups, n_views)``: examples of these groups, and entities with so many views each.

    ``seed`` decides the texts; with ``n_texts`` mentions share so many of them, else each has its own.
    """
    return _sides


@pytest.fixture(scope="session")
def make_tower(tiny_model: Path) -> MakeTower:
    """``make_tower(dropout=0.0)``: the tiny model, newly loaded, with markers and mean pooling."""

    def make(dropout: float | None = None, **options: object) -> SentenceTransformer:
        settings: dict[str, object] = {"pooling": "mean", "normalise": True, "role": "both", **options}
        return build_tower(tiny_model, markers=Markers(), device="cpu", dropout=dropout, **settings)  # type: ignore[arg-type]

    return make
