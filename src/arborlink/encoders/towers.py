"""Two towers, as in the paper: one model reads mentions in their context, one reads entities.

Both may be the same model. The markers are special tokens of the towers' vocabularies; a tower that lacks them gets
them, at the mean of its embeddings until it is trained.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np

from arborlink.corpus import Corpus
from arborlink.encoder import Embeddings
from arborlink.encoders.text_encoder import TextEncoder
from arborlink.encoders.views import Markers, entity_view, mention_view
from arborlink.knowledge_base import KnowledgeBase

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
        n_tokens = tower.max_length - tower.tokenizer.num_special_tokens_to_add()
        views: dict[str, int] = {}
        rows = [
            views.setdefault(
                mention_view(document, mention, n_tokens, self._count_tokens, self.markers), len(views)
            )
            for document, mention in corpus.mentions
        ]
        return Embeddings.one_each(tower.encode(list(views), "mentions"), np.array(rows, dtype=np.int32))

    def encode_entities(self, kb: KnowledgeBase, corpus: Corpus | None = None) -> Embeddings:
        """One vector for each distinct entity text; all of them, whatever the documents."""
        views: dict[str, int] = {}
        rows = [views.setdefault(entity_view(entity, self.markers), len(views)) for entity in kb]
        vectors = self.entity_tower.encode(list(views), "entities")
        return Embeddings.one_each(vectors, np.array(rows, dtype=np.int32))

    def _count_tokens(self, words: list[str]) -> list[int]:
        """Tokens of each word. Word by word they are never fewer than in running text, so windows always fit."""
        if not words:
            return []
        ids = self.mention_tower.tokenizer(words, add_special_tokens=False)["input_ids"]
        return [max(1, len(word)) for word in ids]


def add_markers(model: SentenceTransformer, markers: Markers) -> None:
    """Give the model's vocabulary the markers it lacks, at the mean of its embeddings: the same on every load."""
    import torch

    tokenizer = model.tokenizer
    known = tokenizer.get_vocab()
    missing = [marker for marker in markers.all if marker not in known]
    if not missing:
        return
    tokenizer.add_special_tokens({"additional_special_tokens": missing})
    network = model[0].auto_model
    n_before = network.get_input_embeddings().weight.shape[0]
    network.resize_token_embeddings(max(n_before, len(tokenizer)), mean_resizing=False)
    with torch.no_grad():
        weight = network.get_input_embeddings().weight
        weight[tokenizer.convert_tokens_to_ids(missing)] = weight[:n_before].mean(dim=0)
