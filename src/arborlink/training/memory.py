"""How much of a step fits into memory at a time, and how large a step should be."""

from __future__ import annotations

from typing import Any

import torch
from sentence_transformers import SentenceTransformer

from arborlink.training.objectives import Needs

# Bytes that the backward pass needs of each token, for each layer and hidden dimension: measured on MiniLM in mixed
# precision, 21 GB for 115,000 tokens in 6 layers of 384.
_BYTES = 80
# Share of the free memory that a step may take: weights, optimiser and vectors come on top.
_SHARE = 0.6
# Largest batch that is chosen unasked, the smallest, and the steps an epoch should have at least.
_MOST, _FEWEST, _STEPS = 256, 16, 8


def default_batch_size(n_queries: int) -> int:
    """Mentions of a step where nobody says: many, but not so many that the weights hardly move in an epoch.

    Example:
        >>> default_batch_size(110_000), default_batch_size(400), default_batch_size(20)
        (256, 50, 16)
    """
    return min(_MOST, max(_FEWEST, n_queries // _STEPS))


def fitting_chunk(
    needs: Needs, batch_size: int, max_length: int, tower: SentenceTransformer, free: int | None = None
) -> int:
    """Tokens to encode at a time so that a step fits into memory; 0 if all of it does.

    Args:
        needs: what the objective compares each mention with.
        batch_size: mentions of a step.
        max_length: tokens of a text at most.
        tower: one of the towers, on its device.
        free: bytes that are free; asked of the device if not given.
    """
    network: Any = tower[0].auto_model
    n_texts = batch_size * (3 + needs.entity_negatives + needs.mention_negatives)  # at most: many are shared
    return chunk_that_fits(n_texts, max_length, network.config, tower.device, free)


def chunk_that_fits(
    n_texts: int, max_length: int, config: Any, device: torch.device, free: int | None = None
) -> int:
    """Tokens to read at a time so that a step of so many texts fits into memory; 0 if all of it does.

    Args:
        n_texts: texts of a step.
        max_length: tokens of a text at most.
        config: the network's own, as transformers has it.
        device: where it is.
        free: bytes that are free; asked of the device if not given.
    """
    per_token = (
        _BYTES * int(config.num_hidden_layers) * int(config.hidden_size)
    )  # every config has these names
    room = int(_SHARE * (_free_memory(device) if free is None else free)) // per_token
    return 0 if n_texts * max_length <= room else max(max_length, room // 4)


def _free_memory(device: torch.device) -> int:
    if device.type == "cuda":
        return int(torch.cuda.mem_get_info(device)[0])
    import psutil

    return int(psutil.virtual_memory().available)
