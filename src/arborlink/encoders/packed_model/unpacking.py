"""From a packed tower to a network in memory; nothing is written to disk."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from arborlink.encoders import embedded
from arborlink.encoders.packed_model.differences import Arrays, restored
from arborlink.encoders.packed_model.tower_file import DELTA_FILE, PackedTower
from arborlink.errors import ModelError

if TYPE_CHECKING:
    import torch
    from sentence_transformers import SentenceTransformer
    from torch.nn import Module


def load_packed(tower: Path, device: str, dtype: torch.dtype) -> SentenceTransformer:
    """Put a packed tower together: the embedded base model, its vocabulary and the markers, and the differences.

    Args:
        tower: the folder with ``delta.safetensors``.
        device: where it runs.
        dtype: precision of the weights; they are put together in float32 in any case.

    Raises:
        ModelError: the base model is not installed or another one, or the file is damaged.
    """
    path = tower / DELTA_FILE
    packed = PackedTower.read(path)
    if packed.base != embedded.WEIGHTS_SHA256:
        raise ModelError(
            f"{path}: was packed for another base model (SHA-256 of its weights {packed.base[:12]}…, the embedded "
            f"one has {embedded.WEIGHTS_SHA256[:12]}…); install the ArborLink that it belongs to"
        )
    try:
        return _assembled(packed, base_network(), device, dtype)
    except (ValueError, TypeError, KeyError, RuntimeError) as error:
        raise ModelError(f"{path}: the packed tower is damaged: {error}; copy the model again") from error


def base_network() -> SentenceTransformer:
    """The embedded base model in float32 on the CPU, its weights checked."""
    import torch

    from arborlink.encoders.network import load_network

    return load_network(
        embedded.embedded_folder(), "all-MiniLM-L6-v2 (embedded)", device="cpu", dtype=torch.float32
    )


def arrays_of(network: SentenceTransformer) -> Arrays:
    """The weights of a network's transformer, by name; they share its memory."""
    transformer: Any = network[0]
    return {name: tensor.detach().numpy() for name, tensor in transformer.auto_model.state_dict().items()}


def _assembled(
    packed: PackedTower, base: SentenceTransformer, device: str, dtype: torch.dtype
) -> SentenceTransformer:
    import torch
    from sentence_transformers import SentenceTransformer

    from arborlink.encoders.towers import add_markers

    changed = restored(arrays_of(base), packed.tensors)
    add_markers(base, packed.markers)  # makes room for their rows, which are among what changed
    transformer: Any = base[0]
    weights = transformer.auto_model.state_dict()
    with torch.no_grad():
        for name, values in changed.items():
            if weights[name].shape != values.shape:
                raise ValueError(
                    f"{name} has the shape {values.shape}, expected {tuple(weights[name].shape)}"
                )
            weights[name].copy_(torch.from_numpy(values))
    transformer.auto_model.to(dtype)
    modules = [transformer, *(_module(kind, settings) for kind, settings in packed.modules)]
    network = SentenceTransformer(modules=modules, device=device, similarity_fn_name="dot")
    network.max_seq_length = packed.max_length
    return network


def module_classes() -> dict[str, type[Module]]:
    """The modules that may stand behind the transformer, by the names of their classes; none of them has weights."""
    from sentence_transformers.sentence_transformer.modules import Normalize, Pooling

    from arborlink.encoders.span_pooling import SpanPooling

    return {each.__name__: each for each in (Pooling, SpanPooling, Normalize)}


def _module(kind: str, settings: Any) -> Module:
    classes = module_classes()
    if kind not in classes:
        raise ValueError(f"it has a module {kind!r}; expected one of {', '.join(classes)}")
    return classes[kind](**settings)
