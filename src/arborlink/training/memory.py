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
# Tokens that a CPU reads at a time at most: activations of more leave its caches, and a step takes twice as long.
_CPU_TOKENS = 4096
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


def tokens_at_a_time(chunk_tokens: int, device: torch.device) -> int:
    """Tokens to read at a time, 0 for no limit, where ``chunk_tokens`` is what memory and settings allow.

    Example:
        >>> cpu, gpu = torch.device("cpu"), torch.device("cuda")
        >>> [tokens_at_a_time(n, device) for device in (cpu, gpu) for n in (0, 1000, 10_000)]
        [4096, 1000, 4096, 0, 1000, 10000]
    """
    if device.type != "cpu":
        return chunk_tokens
    return min(chunk_tokens or _CPU_TOKENS, _CPU_TOKENS)


def kept_tokens(chunk_tokens: int, config: Any, device: torch.device, free: int | None = None) -> int:
    """Tokens of a step whose activations may stay, so that there is room to compute those of a chunk again.

    Half of the room stays free: mining and vectors grow beside the activations, and an allocator does not give back
    all that is freed. A training on BC5CDR that filled the room held 24.5 GB in the end; 23.4 had been free at first.

    Args:
        chunk_tokens: tokens of a chunk.
        config: the network's own, as transformers has it.
        device: where it is.
        free: bytes that are free; asked of the device if not given.
    """
    return max(0, _room(config, device, free) // 2 - chunk_tokens)


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
    room = _room(config, device, free)
    return 0 if n_texts * max_length <= room else max(max_length, tokens_at_a_time(max(1, room // 4), device))


def _room(config: Any, device: torch.device, free: int | None) -> int:
    """Tokens whose activations fit into memory."""
    layers, dimension = int(config.num_hidden_layers), int(config.hidden_size)  # every config has these names
    return int(_SHARE * (_free_memory(device) if free is None else free)) // (_BYTES * layers * dimension)


def _free_memory(device: torch.device) -> int:
    if device.type == "cuda":
        return int(torch.cuda.mem_get_info(device)[0])
    import psutil

    return int(psutil.virtual_memory().available)
