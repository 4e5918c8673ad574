"""The encoder for models nobody trained on this task: the mention's string against each name of an entity.

A general sentence encoder drowns a mention in its context, but knows well which strings mean the same. So a mention
is its own string, with the abbreviations its document defines spelt out, an entity is each of its names, and a
vector is two parts side by side: meaning (the model) and spelling (:mod:`arborlink.encoders.lexical`), whose inner
product is the weighted mean of the two similarities. Beside towers it can also say in particular which strings are
the same (:mod:`arborlink.encoders.sameness`), and take names from descriptions
(:mod:`arborlink.encoders.description_names`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from arborlink.corpus import Corpus
from arborlink.encoder import Embeddings, Texts
from arborlink.encoders.abbreviations import expand_abbreviations, find_abbreviations
from arborlink.encoders.description_names import DescriptionNames, parted_texts, weighted_text
from arborlink.encoders.lexical import DIMENSION as SPELLING_DIMENSION
from arborlink.encoders.lexical import folded_words, lexical_vectors
from arborlink.encoders.near_names import NearNames
from arborlink.encoders.sameness import DIMENSION as SAMENESS_DIMENSION
from arborlink.encoders.sameness import sameness_vectors
from arborlink.encoders.shortlist import shortlist
from arborlink.encoders.text_encoder import TextEncoder
from arborlink.knowledge_base import KnowledgeBase
from arborlink.labels import Labels

# Raised when the rules for abbreviations or spelling change: the same weights then make other vectors.
_RULES_VERSION = 2


class NameEncoder:
    """Compares strings.

    Args:
        text_encoder: the model that knows what strings mean.
        spelling: the share of spelling in an affinity, from 0 (meaning alone) to 1.
        shortlist: names to keep for each mention string, by spelling, when the documents are known while a
            knowledge base is encoded; 0 encodes every name.
        sameness: the share, in an affinity, of whether two strings are the same; spelling and meaning have the rest.
        description_names: a mention string that stands in an entity's description is a name of it as well, when the
            documents are known while a knowledge base is encoded.
    """

    def __init__(
        self,
        text_encoder: TextEncoder,
        spelling: float = 0.2,
        shortlist: int = 32,
        sameness: float = 0.0,
        description_names: bool = False,
    ) -> None:
        if not 0 <= spelling <= 1:
            raise ValueError(f"the share of spelling is {spelling}; it must lie between 0 and 1")
        if not 0 <= sameness < 1:
            raise ValueError(f"the share of sameness is {sameness}; it must lie between 0 and less than 1")
        self.text_encoder = text_encoder
        self.spelling = spelling
        self.sameness = sameness
        self.shortlist = shortlist
        self._near_names = NearNames(shortlist, text_encoder.device)
        self._description_names = DescriptionNames() if description_names else None
        # What a model that ignores case cannot tell apart is one string, not two of equal vectors.
        self._fold = str.lower if text_encoder.ignores_case else str

    @property
    def fingerprint(self) -> str:
        """Names the weights and settings that decide the vectors."""
        settings = f"names {_RULES_VERSION} {self.text_encoder.fingerprint} {self.spelling} {self.shortlist}"
        if self.sameness:
            settings += f" {self.sameness}"
        if self._description_names is not None:
            settings += " described 1"
        return blake2b(settings.encode(), digest_size=12).hexdigest()

    @property
    def dimension(self) -> int:
        """How many numbers a vector has."""
        return self.text_encoder.dimension + SPELLING_DIMENSION + (SAMENESS_DIMENSION if self.sameness else 0)

    def encode_mentions(self, corpus: Corpus) -> Embeddings:
        """One vector for each distinct mention string."""
        found = self.mention_texts(corpus)
        return found.encoded(self.encode_mention_texts(found.texts))

    def encode_entities(
        self, kb: KnowledgeBase, corpus: Corpus | None = None, labels: Labels | None = None
    ) -> Embeddings:
        """One vector for each distinct name; with ``corpus``, only for names that one of its mentions is near."""
        found = self.entity_texts(kb, corpus, labels)
        return found.encoded(self.encode_entity_texts(found.texts))

    @property
    def description_names(self) -> bool:
        """Whether descriptions give names too."""
        return self._description_names is not None

    @property
    def entity_texts_need_corpus(self) -> bool:
        """Whether names are encoded only if a mention is near to them by spelling, or says them."""
        return self.shortlist > 0 or self._description_names is not None

    def mention_texts(self, corpus: Corpus) -> Texts:
        """The string of each mention."""
        return Texts.one_each(*self._distinct(mention_strings(corpus)))

    def entity_texts(
        self, kb: KnowledgeBase, corpus: Corpus | None = None, labels: Labels | None = None
    ) -> Texts:
        """The names of each entity; with ``corpus``, only those that one of its mentions is near to or says."""
        names = [entity.names for entity in kb]
        texts, rows = self._distinct(name for entity_names in names for name in entity_names)
        offsets = np.zeros(len(names) + 1, dtype=np.int64)
        np.cumsum([len(entity_names) for entity_names in names], out=offsets[1:])
        own = Texts(texts, rows, offsets)
        if corpus is None:
            return own
        mentions = self.mention_texts(corpus)
        if self.shortlist:
            own = self._near(own, mentions, labels)
        if self._description_names is not None:
            own = _with_views(own, self._described(self._description_names, mentions, kb, labels))
        return own

    def _near(self, names: Texts, mentions: Texts, labels: Labels | None) -> Texts:
        """The names that a mention is near to by spelling."""
        if labels is None:
            kept = self._near_names.rows(mentions.texts, names.texts)
        else:
            kept = shortlist(
                mentions.encoded(lexical_vectors(mentions.texts)),
                names.encoded(lexical_vectors(names.texts)),
                self.shortlist,
                labels,
                self.text_encoder.device,
            )
        rows, offsets = _keep_rows(names.rows, names.offsets, kept)
        return Texts([names.texts[row] for row in kept], rows, offsets)

    def _described(
        self, finder: DescriptionNames, mentions: Texts, kb: KnowledgeBase, labels: Labels | None
    ) -> Iterator[tuple[int, str]]:
        """Entities and the names that their descriptions give them, but for those that they have anyway."""
        descriptions = [entity.description for entity in kb]
        everything: tuple[NDArray[np.int64], NDArray[np.int64] | None] = np.arange(len(mentions.rows)), None
        known: dict[int, set[str]] = {}
        for members, allowed in [everything] if labels is None else labels.meetings():
            strings = [mentions.texts[row] for row in np.unique(mentions.rows[members]).tolist()]
            for found in finder.of(strings, descriptions, allowed):
                entity, string = found.entity, strings[found.string]
                if entity not in known:
                    known[entity] = set(map(folded_words, kb.entities[entity].names))
                if folded_words(string) not in known[entity]:
                    yield entity, weighted_text(string, found.weight)

    def encode_mention_texts(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of mention strings."""
        return self._vectors(texts, "mention strings")

    def encode_entity_texts(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of names; of those that come with a weight, times that."""
        names, places, weights = parted_texts(texts)
        vectors = self._vectors(names, "names")
        if len(names) == len(texts) and (weights == 1).all():
            return vectors
        return vectors[places] * weights[:, None]

    def _distinct(self, texts: Iterable[str]) -> tuple[list[str], NDArray[np.int32]]:
        """Each text once, in order of first appearance; and the place of every text given among them."""
        places: dict[str, int] = {}
        rows = [places.setdefault(self._fold(" ".join(text.split())), len(places)) for text in texts]
        return list(places), np.array(rows, dtype=np.int32)

    def _vectors(self, texts: Sequence[str], what: str) -> NDArray[np.float32]:
        meaning = self.text_encoder.encode(texts, what)
        meaning /= np.maximum(np.linalg.norm(meaning, axis=1, keepdims=True), 1e-12)
        parts = [(meaning, (1 - self.sameness) * (1 - self.spelling))]
        parts.append((lexical_vectors(texts), (1 - self.sameness) * self.spelling))
        if self.sameness:
            parts.append((sameness_vectors(texts), self.sameness))
        joined = np.empty((len(texts), sum(part.shape[1] for part, _ in parts)), dtype=np.float32)
        start = 0
        for part, share in parts:
            np.multiply(part, np.sqrt(share), out=joined[:, start : start + part.shape[1]])
            start += part.shape[1]
        return joined


def mention_strings(corpus: Corpus) -> list[str]:
    """What each mention says, in corpus order, with its document's own abbreviations spelt out."""
    strings = []
    for document in corpus:
        abbreviations = find_abbreviations(document.text)
        strings += [
            expand_abbreviations(document.text_of(mention), abbreviations) for mention in document.mentions
        ]
    return strings


def _with_views(texts: Texts, views: Iterable[tuple[int, str]]) -> Texts:
    """The same with one more text for each of these items; each text of an item once."""
    places = {text: row for row, text in enumerate(texts.texts)}
    more = sorted({(item, places.setdefault(text, len(places))) for item, text in views})
    items = np.repeat(np.arange(len(texts.offsets) - 1), np.diff(texts.offsets))
    items = np.concatenate([items, np.array([item for item, _ in more], dtype=np.int64)])
    rows = np.concatenate([texts.rows, np.array([row for _, row in more], dtype=np.int32)])
    order = np.argsort(items, kind="stable")  # what an item had comes first
    counts = np.bincount(items, minlength=len(texts.offsets) - 1)
    return Texts(list(places), rows[order], np.concatenate([[0], np.cumsum(counts)]).astype(np.int64))


def _keep_rows(
    rows: NDArray[np.int32], offsets: NDArray[np.int64], kept: NDArray[np.int64]
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Rows renumbered to the kept ones, views of the others dropped."""
    new_place = np.full(int(rows.max(initial=-1)) + 1, -1, dtype=np.int32)
    new_place[kept] = np.arange(len(kept), dtype=np.int32)
    places = new_place[rows]
    n_before = np.concatenate([[0], np.cumsum(places >= 0)])
    return places[places >= 0], n_before[offsets]
