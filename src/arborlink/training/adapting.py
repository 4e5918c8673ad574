"""The towers as a training starts with them: base weights, markers, and what of it may change."""

from __future__ import annotations

from typing import Any

import torch
from sentence_transformers import SentenceTransformer

from arborlink.encoders.building import build_tower
from arborlink.encoders.views import Markers
from arborlink.training.config import EncoderConfig

# Embeddings of places, not of words: nothing in them is about the data.
_PLACES = ("position_embeddings", "token_type_embeddings")


def make_towers(
    config: EncoderConfig, markers: Markers, device: str
) -> tuple[SentenceTransformer, SentenceTransformer]:
    """The mention tower and the entity tower, the same object if there is one for both."""
    base = config.base or None
    options: dict[str, Any] = {
        "pooling": config.pooling,
        "normalise": config.normalise,
        "markers": markers,
        "device": device,
        "dropout": config.dropout,
    }
    if config.towers == "one":
        towers = [build_tower(base, role="both", **options)]
    else:
        towers = [build_tower(base, role="mention", **options), build_tower(base, role="entity", **options)]
    for tower in towers:
        marker_ids = tower.tokenizer.convert_tokens_to_ids(list(markers.all))
        if config.lora_rank:
            _add_adapters(tower, config, marker_ids)
        elif config.freeze_embeddings:
            _freeze_embeddings(tower, marker_ids)
    return towers[0], towers[-1]


def merge_adapters(tower: SentenceTransformer) -> None:
    """Add what adapters learned to the weights, and take the adapters out; a tower without any stays as it is."""
    adapters = tower.__dict__.pop("_adapters", None)
    if adapters is not None:
        adapters[0].merge_and_unload()


def frozen_rows(tower: SentenceTransformer) -> list[str]:
    """Names of parameters most rows of which are frozen: weight decay must not touch them."""
    return [name for name, parameter in tower.named_parameters() if hasattr(parameter, "rows_in_training")]


def _add_adapters(tower: SentenceTransformer, config: EncoderConfig, marker_ids: list[int]) -> None:
    """Low-rank adapters on every linear layer; of the embeddings, the markers alone are trained."""
    from peft import LoraConfig, get_peft_model

    settings = LoraConfig(
        r=config.lora_rank,
        lora_alpha=config.lora_alpha,
        target_modules="all-linear",
        trainable_token_indices=marker_ids,
    )
    # The layers are replaced inside the network itself. In a list, so that it is not registered as a module.
    tower.__dict__["_adapters"] = [get_peft_model(_network(tower), settings)]
    for name, parameter in tower.named_parameters():
        if "pooler" in name:
            parameter.requires_grad_(False)


def _freeze_embeddings(tower: SentenceTransformer, marker_ids: list[int]) -> None:
    """Hold the embeddings of words and places; the markers' own rows are trained."""
    network = _network(tower)
    for name, parameter in network.named_parameters():
        if any(place in name for place in _PLACES):
            parameter.requires_grad_(False)
    weight = network.get_input_embeddings().weight
    rows = torch.zeros((len(weight), 1), device=weight.device)
    rows[marker_ids] = 1
    weight.rows_in_training = marker_ids
    weight.register_hook(lambda gradient: gradient * rows.to(gradient.device))


def _network(tower: SentenceTransformer) -> Any:
    return tower[0].auto_model
