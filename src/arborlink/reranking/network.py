"""The transformer with one output behind a re-ranker."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import torch

from arborlink.encoders.embedded import embedded_folder
from arborlink.encoders.fused_attention import fuse_attention
from arborlink.encoders.model_folder import is_model_folder, read_towers
from arborlink.encoders.network import listening, load_network
from arborlink.encoders.towers import add_markers
from arborlink.encoders.views import Markers
from arborlink.errors import ModelError


def new_network(base: str, markers: Markers, device: str, seed: int = 0) -> tuple[Any, Any]:
    """A network to be trained, and its tokenizer: a base model with a new output.

    Args:
        base: empty for the embedded model, a folder, a Hugging Face name, or the folder of a model that ArborLink
            saved: its mention tower.
        markers: special tokens that the vocabulary gets if it lacks them.
        device: where it runs.
        seed: decides the weights of the output.

    Raises:
        ModelError: the base cannot be loaded, joins several models, or is no transformer that reads text.
    """
    from transformers import AutoModelForSequenceClassification

    name = base or "all-MiniLM-L6-v2 (embedded)"
    source: str | Path = base or embedded_folder()
    if base and is_model_folder(Path(base)):
        source = Path(base) / read_towers(Path(base)).mention_tower
    loaded = load_network(source, name, device, torch.float32)
    plain = getattr(loaded[0], "auto_model", None)
    if plain is None or not callable(getattr(loaded, "tokenizer", None)):
        raise ModelError(f"model {name!r} does not read text with a transformer; choose one that does")
    add_markers(loaded, markers)
    config = copy.deepcopy(plain.config)
    config.num_labels = 1
    with listening(show_bars=False), torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(seed)
        try:
            network: Any = AutoModelForSequenceClassification.from_config(config)  # type: ignore[no-untyped-call]
        except ValueError as error:
            raise ModelError(
                f"model {name!r} is a {config.model_type}, which cannot score pairs; choose another base"
            ) from error
    missing = network.base_model.load_state_dict(plain.state_dict(), strict=False).missing_keys
    if lost := [key for key in missing if "pooler" not in key]:
        raise ModelError(f"model {name!r} has no weights for {lost[0]} and {len(lost) - 1} more of its parts")
    fuse_attention(network)
    return with_exact_output(network.to(device)), loaded.tokenizer


def load_saved(folder: Path, device: str) -> tuple[Any, Any]:
    """A network that was saved, in float32, and its tokenizer.

    Raises:
        ModelError: it cannot be loaded, or some of its weights are missing.
    """
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    with listening(show_bars=False):
        try:
            tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
            network, told = AutoModelForSequenceClassification.from_pretrained(
                folder, local_files_only=True, dtype=torch.float32, output_loading_info=True
            )
        except Exception as error:  # a damaged folder raises whatever it likes
            reason = (str(error) or repr(error)).strip().splitlines()[0]
            raise ModelError(f"{folder}: the re-ranker cannot be loaded: {reason}; copy it again") from error
    if told["missing_keys"] or told["mismatched_keys"] or network.config.num_labels != 1:
        raise ModelError(f"{folder}: weights and config.json are not of one re-ranker; copy the model again")
    fuse_attention(network)
    return with_exact_output(network.to(device).eval()), tokenizer


def has_token_types(network: Any, tokenizer: Any) -> bool:
    """Whether the network tells the texts of a pair apart by token types."""
    n_types = int(getattr(network.config, "type_vocab_size", 0) or 0)
    return n_types > 1 and "token_type_ids" in tokenizer.model_input_names


def longest_pair(network: Any) -> int | None:
    """Tokens that a pair may have; ``None`` if the network has no limit.

    Some families keep two positions to themselves and say 514 where they read 512; pairs are padded to multiples
    of 8.
    """
    n_positions = getattr(network.config, "max_position_embeddings", None)
    return None if n_positions is None or n_positions < 8 else int(n_positions) // 8 * 8


def with_exact_output(network: Any) -> Any:
    """The network, its last layer computed in float32: in half precision scores of like pairs would be equal."""
    last = [layer for layer in network.modules() if isinstance(layer, torch.nn.Linear)][-1]
    if last.out_features == 1:
        last.forward = _exactly(last)  # type: ignore[method-assign]
    return network


def _exactly(layer: torch.nn.Linear) -> Any:
    def forward(values: torch.Tensor) -> torch.Tensor:
        with torch.autocast(values.device.type, enabled=False):
            return torch.nn.functional.linear(values.float(), layer.weight, layer.bias)

    return forward
