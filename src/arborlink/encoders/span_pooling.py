"""Pooling over the tokens of a mention, or of an entity's name, and not over their surroundings.

A module of a sentence-transformers model. That library loads classes that are not its own only where it is told to
(``SentenceTransformer(folder, trust_remote_code=True)``); ArborLink itself trusts nothing but this one class, and
puts such a model together with :func:`load_span_pooled`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from sentence_transformers import SentenceTransformer
from sentence_transformers.base.modules import Module, Normalize, Transformer


class SpanPooling(Module):
    """The mean of the token embeddings strictly between two tokens.

    Several pairs of tokens may be given; the first pair that has anything between it in a text counts, so that one
    model can read mentions and entities alike. The span starts at the first occurrence of the first token and ends at
    the next occurrence of the second. A text in which no pair has anything between it is the mean of all its tokens.

    Args:
        embedding_dimension: length of the token embeddings.
        spans: pairs of token ids; ``None`` in the first place is the very beginning of the text.

    Inputs:
        ``token_embeddings``, float, shape (n_texts, n_tokens, embedding_dimension); ``input_ids`` and
        ``attention_mask``, shape (n_texts, n_tokens), padded on any side. Sequences in one row without padding, as
        flash attention takes them, are taken too.

    Outputs:
        ``sentence_embedding``, shape (n_texts, embedding_dimension), in the precision of the tokens; sums are float32
        at least.

    References:
        Lee, He, Lewis and Zettlemoyer, End-to-end Neural Coreference Resolution, 2017, represents a mention by its
        own tokens, there with learned weights.

    Example:
        >>> pooling = SpanPooling(2, [(7, 8)])
        >>> tokens = torch.tensor([[[9.0, 9.0], [1.0, 0.0], [3.0, 2.0], [9.0, 9.0]]])
        >>> features = {"token_embeddings": tokens, "input_ids": torch.tensor([[7, 4, 5, 8]])}
        >>> pooling({**features, "attention_mask": torch.ones(1, 4)})["sentence_embedding"]
        tensor([[2., 1.]])
    """

    config_keys = ["embedding_dimension", "spans"]  # noqa: RUF012  the library's own way to say it

    def __init__(self, embedding_dimension: int, spans: Sequence[Sequence[int | None]]) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.embedding_dimension = embedding_dimension
        self.spans = [[start, end] for start, end in spans]

    def forward(self, features: dict[str, Any], **_: Any) -> dict[str, Any]:
        """Add ``sentence_embedding`` to the features."""
        if "cu_seq_lens_q" in features:
            tokens, ids, mask = _padded(features)
        else:
            tokens, ids = features["token_embeddings"], features["input_ids"]
            mask = features["attention_mask"].bool()
        counted = self._counted(ids, mask).unsqueeze(-1)
        exact = torch.promote_types(tokens.dtype, torch.float32)
        total = (tokens * counted.to(tokens.dtype)).sum(dim=1, dtype=exact)
        mean = total / counted.sum(dim=1).clamp(min=1).to(exact)
        features["sentence_embedding"] = mean.to(tokens.dtype)
        return features

    def _counted(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """Which tokens are averaged; bool, shape (n_texts, n_tokens)."""
        counted = torch.zeros_like(mask)
        for start, end in self.spans:
            counted = _first_choice(counted, _between(ids, mask, start, end))
        return _first_choice(counted, mask)

    def get_embedding_dimension(self) -> int:
        """Length of the vectors."""
        return self.embedding_dimension

    def save(self, output_path: str, *args: Any, safe_serialization: bool = True, **kwargs: Any) -> None:
        """Write ``config.json``; there are no weights."""
        self.save_config(output_path)


def load_span_pooled(folder: Path, device: str, dtype: torch.dtype) -> SentenceTransformer:
    """Load a folder with a transformer, a span pooling and perhaps a normalisation; nothing else is trusted.

    Args:
        folder: as ``SentenceTransformer.save`` left it.
        device: where it runs.
        dtype: precision of the weights.

    Raises:
        ValueError: there is any other module in the folder.
    """
    classes: dict[str, type[Module]] = {each.__name__: each for each in (Transformer, SpanPooling, Normalize)}
    modules: list[torch.nn.Module] = []
    for listed in json.loads((folder / "modules.json").read_text(encoding="utf-8")):
        kind = str(listed["type"]).rpartition(".")[2]
        if kind not in classes:
            raise ValueError(f"a model with span pooling cannot have a module {listed['type']!r}")
        options: dict[str, Any] = {"model_kwargs": {"dtype": dtype}} if kind == "Transformer" else {}
        modules.append(
            classes[kind].load(str(folder), subfolder=listed["path"], local_files_only=True, **options)
        )
    return SentenceTransformer(modules=modules, device=device, similarity_fn_name="dot")


def _between(ids: torch.Tensor, mask: torch.Tensor, start: int | None, end: int | None) -> torch.Tensor:
    """The tokens strictly between the first ``start`` and the next ``end``; none where there is no such pair."""
    n_tokens = ids.shape[1]
    places = torch.arange(n_tokens, device=ids.device).expand_as(ids)
    opened: torch.Tensor | int = -1
    if start is not None:
        opened = places.masked_fill(~(mask & (ids == start)), n_tokens).amin(dim=1, keepdim=True)
    is_end = mask & (ids == end) & (places > opened)
    closed = places.masked_fill(~is_end, n_tokens).amin(dim=1, keepdim=True)
    return mask & (places > opened) & (places < closed) & (closed < n_tokens)


def _first_choice(first: torch.Tensor, second: torch.Tensor) -> torch.Tensor:
    """The first row where it has anything, else the second."""
    return torch.where(first.any(dim=1, keepdim=True), first, second)


def _padded(features: dict[str, Any]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Tokens, ids and mask of sequences that stand in one row, back in rows of their own."""
    sizes = features["cu_seq_lens_q"].diff().tolist()

    def rows(flat: torch.Tensor) -> torch.Tensor:
        return torch.nn.utils.rnn.pad_sequence(list(torch.split(flat, sizes)), batch_first=True)

    ids = features["input_ids"][0]
    return rows(features["token_embeddings"][0]), rows(ids), rows(torch.ones_like(ids, dtype=torch.bool))
