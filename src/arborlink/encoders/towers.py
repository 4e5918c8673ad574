"""Two towers, as in the paper: one model reads mentions in their context, one reads entities.

Both may be the same model. The markers are special tokens of the towers' vocabularies; a tower that lacks them gets
them, at the mean of its embeddings until it is trained.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from arborlink.corpus import Corpus
from arborlink.document import Document
from arborlink.encoder import Embeddings, Texts
from arborlink.encoders.model_folder import towers_fingerprint
from arborlink.encoders.text_encoder import TextEncoder, as_unicode
from arborlink.encoders.views import EntityViews, Markers, Windows, entity_view, name_views
from arborlink.knowledge_base import KnowledgeBase
from arborlink.labels import Labels

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

# Documents whose words are counted together.
_DOCUMENTS = 1024
# Longer ones are sentences of a language without blanks, and are counted sign by sign later.
_LONGEST_WORD = 32


class TowerEncoder:
    """Mentions in context through one tower, entities through the other.

    Args:
        mention_tower: reads ``left [START] mention [END] right``.
        entity_tower: reads ``name [TITLE] aliases ; types ; description``; may be the same object.
        markers: the special tokens, the same as in training.
        entity_views: ``text``: one vector for each entity; ``names``: one for each of its names, read as
            ``name [TITLE] types ; description``.
    """

    def __init__(
        self,
        mention_tower: TextEncoder,
        entity_tower: TextEncoder,
        markers: Markers | None = None,
        entity_views: EntityViews = "text",
    ) -> None:
        self.mention_tower = mention_tower
        self.entity_tower = entity_tower
        self.markers = markers or Markers()
        self.entity_views: EntityViews = entity_views

    @property
    def fingerprint(self) -> str:
        """Names the weights and settings that decide the vectors."""
        towers = self.mention_tower.fingerprint, self.entity_tower.fingerprint
        return towers_fingerprint(*towers, self.markers, self.entity_views)

    def encode_mentions(self, corpus: Corpus) -> Embeddings:
        """One vector for each distinct window."""
        found = self.mention_texts(corpus)
        return found.encoded(self.encode_mention_texts(found.texts))

    def encode_entities(
        self, kb: KnowledgeBase, corpus: Corpus | None = None, labels: Labels | None = None
    ) -> Embeddings:
        """One vector for each distinct entity text; all of them, whatever the documents."""
        found = self.entity_texts(kb)
        return found.encoded(self.encode_entity_texts(found.texts))

    @property
    def entity_texts_need_corpus(self) -> bool:
        """An entity is read whatever the documents."""
        return False

    def mention_texts(self, corpus: Corpus) -> Texts:
        """The window of each mention."""
        tower = self.mention_tower
        return Texts.one_each(*mention_views(corpus, tower.tokenizer, tower.max_length, self.markers))

    def entity_texts(
        self, kb: KnowledgeBase, corpus: Corpus | None = None, labels: Labels | None = None
    ) -> Texts:
        """The text of each entity, or one for each of its names; all of them, whatever the documents."""
        return Texts(*entity_texts(kb, self.entity_views, self.markers))

    def encode_mention_texts(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of windows."""
        return self.mention_tower.encode(texts, "mentions")

    def encode_entity_texts(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of texts of entities."""
        return self.entity_tower.encode(texts, "entities")


def mention_views(
    corpus: Corpus, tokenizer: Any, n_tokens: int, markers: Markers
) -> tuple[list[str], NDArray[np.int32]]:
    """What a tower reads of the mentions of a corpus, in training and in linking.

    Args:
        corpus: the documents.
        tokenizer: the tower's.
        n_tokens: tokens that a text may have, the markers and the tokenizer's own included.
        markers: the special tokens.

    Returns:
        The distinct texts, and for each of ``corpus.mentions`` the number of its text; int32, shape (n_mentions,).
    """
    counter = TokenCounter(tokenizer)
    room = n_tokens - tokenizer.num_special_tokens_to_add() - counter.blanks_at(markers)
    texts: dict[str, int] = {}
    rows: list[int] = []
    for number, document in enumerate(corpus):
        if number % _DOCUMENTS == 0:
            counter.prepare(corpus.documents[number : number + _DOCUMENTS])
        if document.mentions:
            windows = Windows(document, room, counter, markers)
            rows += [texts.setdefault(windows.of(mention), len(texts)) for mention in document.mentions]
    return list(texts), np.array(rows, dtype=np.int32)


def entity_texts(
    kb: KnowledgeBase, entity_views: EntityViews, markers: Markers
) -> tuple[list[str], NDArray[np.int32], NDArray[np.int64]]:
    """What a tower reads of the entities of a knowledge base, in training and in linking.

    Args:
        kb: the knowledge base.
        entity_views: ``text``: one text for each entity; ``names``: one for each of its names.
        markers: the special tokens.

    Returns:
        The distinct texts; the numbers of each entity's texts, one entity after the other, int32, shape (n_views,);
        where each entity's begin and end among those, int64, shape (n_entities + 1,), as in
        :class:`~arborlink.encoder.Embeddings`.
    """
    texts: dict[str, int] = {}
    rows: list[int] = []
    offsets = np.zeros(len(kb) + 1, dtype=np.int64)
    for number, entity in enumerate(kb, start=1):
        own = [entity_view(entity, markers)] if entity_views == "text" else name_views(entity, markers)
        rows += [texts.setdefault(text, len(texts)) for text in own]
        offsets[number] = len(rows)
    return list(texts), np.array(rows, dtype=np.int32), offsets


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

    def prepare(self, documents: Sequence[Document]) -> None:
        """Count the words of these documents: of many at once it is several times quicker than one by one."""
        texts = (document.text for document in documents if document.mentions)
        self(list({word for text in texts for word in text.split() if len(word) <= _LONGEST_WORD}))

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
