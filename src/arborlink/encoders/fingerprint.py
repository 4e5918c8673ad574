"""A short name for a model's exact weights and settings."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer


def model_fingerprint(model: SentenceTransformer, max_length: int) -> str:
    """Hash of all that decides a vector: weights, their precision, vocabulary, modules, length.

    The weights in memory are hashed, not the files: adapters merged, tokens added or a precision chosen after
    loading change the vectors too.
    """
    import torch

    digest = blake2b(digest_size=12)
    for name, tensor in sorted(model.state_dict().items()):
        digest.update(f"{name} {tensor.dtype} {tuple(tensor.shape)}".encode())
        digest.update(tensor.detach().cpu().contiguous().view(torch.uint8).numpy().data)
    # A module's own text names its settings (pooling mode, normalisation), whatever its kind.
    digest.update(f"{model!r} {max_length}".encode())
    backend = getattr(model.tokenizer, "backend_tokenizer", None)
    digest.update(backend.to_str().encode() if backend is not None else repr(model.tokenizer).encode())
    return digest.hexdigest()
