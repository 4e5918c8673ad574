"""Every distinct pair is scored once, whatever the batches."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from arborlink.encoders.sequences import Sequences
from arborlink.errors import ModelError
from arborlink.reranking import scoring
from arborlink.reranking.pairs import PairTexts, Rows


class Adding:
    """Instead of a network: the score of a pair is the sum of its ids, those of the second text counted tenfold."""

    def __init__(self, value: float = 0.0) -> None:
        self.device = torch.device("cpu")
        self.training = True
        self.n_pairs = 0
        self.value = value

    def eval(self) -> None:
        self.training = False

    def train(self, mode: bool) -> None:
        self.training = mode

    def __call__(
        self, input_ids: torch.Tensor, attention_mask: torch.Tensor, token_type_ids: torch.Tensor
    ) -> Any:
        assert not self.training
        self.n_pairs += len(input_ids)
        sums = (input_ids * attention_mask * (1 + 9 * token_type_ids)).sum(dim=1, keepdim=True)
        return SimpleNamespace(logits=sums.float() + self.value)


def sequences(*texts: list[int]) -> Sequences:
    offsets = np.concatenate([[0], np.cumsum([len(text) for text in texts])]).astype(np.int64)
    return Sequences(np.concatenate(texts).astype(np.int32), offsets, padding=77)


TEXTS = PairTexts(
    mentions=sequences([1, 2], [3], [4] * 20),
    openings=sequences([100] * 3),
    entities=sequences([5, 6], [7] * 9),
    passages=sequences([1000], [2000] * 12),
    has_types=True,
)
SUMS = np.array([[113, 633], [113, 633], [190, 710]])


def rows(*pairs: tuple[int, ...]) -> Rows:
    return np.array(pairs, dtype=np.int64)


@pytest.mark.parametrize("budget", [8, 40, 4096])
def test_each_distinct_pair_is_scored_once(budget: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scoring, "_CPU_TOKENS", budget)
    mentions, entities = np.array([0, 2, 0, 1, 2, 0, 1]), np.array([1, 0, 1, 0, 1, 0, 0])
    network = Adding()
    asked = np.stack([mentions, np.full(7, -1), entities], axis=1)
    found = scoring.score_distinct(network, TEXTS, asked, progress=False)
    assert found.tolist() == SUMS[mentions, entities].tolist()
    assert network.n_pairs == 5
    assert network.training


def test_the_opening_is_of_the_first_side_and_passages_are_of_the_second(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(scoring, "_CPU_TOKENS", 40)
    asked = rows((0, 0, 0, 0, -1), (0, -1, 0, 1, 0), (0, 0, 0, 0, -1), (0, -1, 0, -1, -1), (0, 0, 0, -1, 0))
    network = Adding()
    found = scoring.score_distinct(network, TEXTS, asked, progress=False)
    of_both, twice, none = 3 + 300 + 110 + 10_000, 3 + 110 + 240_000 + 10_000, 3 + 110
    assert found.tolist() == [of_both, twice, of_both, none, of_both]
    assert network.n_pairs == 4


@pytest.mark.parametrize("width", [3, 5])
def test_no_pairs_no_scores(width: int) -> None:
    none = np.empty((0, width), dtype=np.int64)
    assert scoring.score_distinct(Adding(), TEXTS, none, progress=False).shape == (0,)


def test_scores_that_are_no_numbers_are_told() -> None:
    with pytest.raises(ModelError, match="not finite"):
        scoring.score_distinct(Adding(np.nan), TEXTS, rows((0, -1, 0)), progress=False)
