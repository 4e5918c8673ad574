"""Two towers, as in the paper: one model reads mentions in their context, one reads entities.

Both may be the same model. The markers are special tokens of the towers' vocabularies; a tower that lacks them gets
them, at the mean of its embeddings until it is trained.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import numpy as np

from arborlink.corpus import Corpus
from arborlink.encoder import Embeddings
from arborlink.encoders.text_encoder import TextEncoder, as_unicode
from arborlink.encoders.views import Markers, Windows, entity_view
from arborlink.knowledge_base import KnowledgeBase
from arborlink.labels import Labels

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer


class TowerEncoder:
    """Mentions in context through one tower, entities through the other.

    Args:
        mention_tower: reads ``left [START] mention [END] right``.
        entity_tower: reads ``name [TITLE] aliases ; types ; description``; may be the same object.
        markers: the special tokens, the same as in training.
    """

    def __init__(
        self, mention_tower: TextEncoder, entity_tower: TextEncoder, markers: Markers | None = None
    ) -> None:
        self.mention_tower = mention_tower
        self.entity_tower = entity_tower
        self.markers = markers or Markers()

    @property
    def fingerprint(self) -> str:
        """Names the weights and settings that decide the vectors."""
        settings = f"towers 1 {self.mention_tower.fingerprint} {self.entity_tower.fingerprint} {self.markers}"
        return blake2b(settings.encode(), digest_size=12).hexdigest()

    def encode_mentions(self, corpus: Corpus) -> Embeddings:
        """One vector for each distinct window."""
        tower = self.mention_tower
        counter = TokenCounter(tower.tokenizer)
        n_tokens = tower.max_length - tower.tokenizer.num_special_tokens_to_add()
        n_tokens -= counter.blanks_at(self.markers)
        views: dict[str, int] = {}
        rows: list[int] = []
        for document in corpus:
            if document.mentions:
                windows = Windows(document, n_tokens, counter, self.markers)
                rows += [views.setdefault(windows.of(mention), len(views)) for mention in document.mentions]
        return Embeddings.one_each(tower.encode(list(views), "mentions"), np.array(rows, dtype=np.int32))

    def encode_entities(
        self, kb: KnowledgeBase, corpus: Corpus | None = None, labels: Labels | None = None
    ) -> Embeddings:
        """One vector for each distinct entity text; all of them, whatever the documents."""
        views: dict[str, int] = {}
        rows = [views.setdefault(entity_view(entity, self.markers), len(views)) for entity in kb]
        vectors = self.entity_tower.encode(list(views), "entities")
        return Embeddings.one_each(vectors, np.array(rows, dtype=np.int32))


class TokenCounter:
    """How many tokens words have, each word counted once.

    A word is counted as the first of a text and as one after a blank, which differ where the blank is part of the
    token, and the larger number holds: for tokenizers that never join words, a window of counted words fits.

    Args:
        tokenizer: the tower's.
    """

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer
        self._known: dict[str, int] = {}

    def __call__(self, words: Sequence[str]) -> list[int]:
        """Tokens of each word, at least one."""
        unknown = list({word for word in words if word not in self._known})
        if unknown:
            first, later = self._lengths(unknown), self._lengths([f" {word}" for word in unknown])
            self._known.update(zip(unknown, map(max, first, later), strict=True))
        return [self._known[word] for word in words]

    def blanks_at(self, markers: Markers) -> int:
        """Tokens that the two markers of a window cost besides themselves: some tokenizers keep the blank before."""
        whole, first, later = self._lengths([f"a {markers.start} a {markers.end} a", "a", " a"])
        return max(0, whole - 2 - first - 2 * later)

    def _lengths(self, texts: list[str]) -> list[int]:
        # Not verbose: a word longer than the model's limit is no reason to warn, it will not be kept.
        readable = [as_unicode(text) for text in texts]
        ids = self._tokenizer(readable, add_special_tokens=False, verbose=False)["input_ids"]
        return [max(1, len(own)) for own in ids]


def add_markers(model: SentenceTransformer, markers: Markers) -> None:
    """Give the model's vocabulary the markers it lacks, at the mean of its embeddings: the same on every load."""
    import torch

    tokenizer = model.tokenizer
    known = tokenizer.get_vocab()
    missing = [marker for marker in markers.all if marker not in known]
    if not missing:
        return
    tokenizer.add_special_tokens({"extra_special_tokens": missing}, replace_extra_special_tokens=False)
    network: Any = model[0].auto_model
    n_before = network.get_input_embeddings().weight.shape[0]
    network.resize_token_embeddings(max(n_before, len(tokenizer)), mean_resizing=False)
    with torch.no_grad():
        weight = network.get_input_embeddings().weight
        mean = weight[:n_before].mean(dim=0, dtype=torch.float32)  # half precision cannot add up a vocabulary
        weight[tokenizer.convert_tokens_to_ids(missing)] = mean.to(weight.dtype)
