"""A short name for a model's exact weights and settings."""

from __future__ import annotations

import json
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

# Where the network came from and who saved it; the precision shows in the weights.
_NOT_SETTINGS = ("_name_or_path", "architectures", "dtype", "transformers_version")
# What the last call of a tokenizer left behind; every call of ours says anew how to cut, and pads by itself.
_NOT_VOCABULARY = ("truncation", "padding")


def model_fingerprint(model: SentenceTransformer, max_length: int) -> str:
    """Hash of all that decides a vector: weights, their precision, settings, vocabulary, modules, length.

    The weights in memory are hashed, not the files: adapters merged, tokens added or a precision chosen after
    loading change the vectors too. Folder, device and earlier use do not.
    """
    import torch

    digest = blake2b(digest_size=12)
    for name, tensor in sorted(model.state_dict().items()):
        digest.update(f"{name} {tensor.dtype} {tuple(tensor.shape)}".encode())
        content = tensor.detach().cpu().contiguous().reshape(-1)  # a scalar cannot be viewed as bytes
        digest.update(content.view(torch.uint8).numpy().data)
    # A module's own text names its settings (pooling mode, normalisation), whatever its kind.
    digest.update(f"{model!r} {max_length}".encode())
    digest.update(network_settings(model).encode())
    digest.update(vocabulary(model.tokenizer).encode())
    return digest.hexdigest()


def network_settings(model: SentenceTransformer, training: bool = True) -> str:
    """What the weights do not tell: the number of attention heads, the activation; in training also dropout."""
    config = getattr(getattr(model[0], "auto_model", None), "config", None)
    settings = {} if config is None else config.to_dict()
    kept = {key: value for key, value in settings.items() if key not in _NOT_SETTINGS}
    if not training:
        kept = {key: value for key, value in kept.items() if "dropout" not in key}
    return json.dumps(kept, sort_keys=True, default=str)


def vocabulary(tokenizer: Any) -> str:
    """The tokens and the rules by which texts become tokens."""
    backend = getattr(tokenizer, "backend_tokenizer", None)
    if backend is None:
        return repr(tokenizer)
    content = json.loads(backend.to_str())
    return json.dumps({key: value for key, value in content.items() if key not in _NOT_VOCABULARY})
