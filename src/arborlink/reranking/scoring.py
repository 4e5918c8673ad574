"""Pairs in, scores out: batches of like length, each distinct pair once."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from arborlink.encoders.sequences import padded_length
from arborlink.errors import ModelError
from arborlink.progress import progress_bar
from arborlink.reranking.pairs import PairTexts, Rows

# Tokens scored at a time: the activations of a CPU should stay in its cache, an accelerator wants to be filled.
_CPU_TOKENS, _ACCELERATOR_TOKENS = 2048, 131072


def score_distinct(
    network: Any,
    texts: PairTexts,
    rows: Rows,
    precision: torch.dtype | None = None,
    progress: bool | None = None,
) -> NDArray[np.float32]:
    """The score of every pair; pairs of the same two texts are scored once.

    Args:
        network: a transformer with one output.
        texts: what the rows are numbers of.
        rows: the texts of each pair, shape (n_pairs, 3 + passages).
        precision: of the matrix products; ``None`` is that of the weights, float32.
        progress: show a bar; ``None`` shows it on a terminal only.

    Raises:
        ModelError: a score is not a finite number.
    """
    distinct, inverse = np.unique(rows, axis=0, return_inverse=True)
    scores = _score(network, texts, distinct, precision, progress)
    if not np.isfinite(scores).all():
        raise ModelError("the re-ranker gave scores that are not finite numbers; its weights may be damaged")
    return scores[inverse.reshape(-1)]


@torch.inference_mode()
def _score(
    network: Any,
    texts: PairTexts,
    rows: Rows,
    precision: torch.dtype | None,
    progress: bool | None,
) -> NDArray[np.float32]:
    device = network.device
    budget = _CPU_TOKENS if device.type == "cpu" else _ACCELERATOR_TOKENS
    lengths = texts.lengths(rows)
    order = np.argsort(-lengths, kind="stable")
    found: list[torch.Tensor] = []
    was_training = network.training
    network.eval()
    autocast = torch.autocast(device.type, dtype=precision, enabled=precision not in (None, torch.float32))
    with progress_bar("Re-ranking", len(order), progress) as advance, autocast:
        start = 0
        while start < len(order):
            width = padded_length(lengths[order[start : start + 1]])
            places = order[start : start + max(1, budget // width)]
            chunk = texts.padded(rows, places)
            arrays = (chunk.ids, chunk.n_first, chunk.n_all)
            tensors = [torch.from_numpy(array).to(device) for array in arrays]
            found.append(scores_of(network, *tensors, has_types=texts.has_types))
            start += len(places)
            advance(len(places))
    network.train(was_training)
    scores = np.empty(len(order), dtype=np.float32)
    if found:
        scores[order] = torch.cat(found).cpu().numpy()
    return scores


def scores_of(
    network: Any, ids: torch.Tensor, n_first: torch.Tensor, n_all: torch.Tensor, *, has_types: bool
) -> torch.Tensor:
    """Scores of padded pairs: float32, shape (n,).

    Args:
        network: a transformer with one output.
        ids: token ids, shape (n, length).
        n_first: tokens of the first text of each pair, shape (n,).
        n_all: tokens of each pair, shape (n,).
        has_types: the network tells the texts of a pair apart by token types.
    """
    columns = torch.arange(ids.shape[1], device=ids.device)
    is_there = columns < n_all[:, None]
    inputs = {"input_ids": ids.long(), "attention_mask": is_there.long()}
    if has_types:
        inputs["token_type_ids"] = (is_there & (columns >= n_first[:, None])).long()
    scores: torch.Tensor = network(**inputs).logits[:, 0].float()
    return scores
