"""Small worlds for a workspace, and an encoder without weights whose vectors depend on the text alone."""

from __future__ import annotations

import random
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arborlink.corpus import Corpus
from arborlink.document import Document, Mention
from arborlink.encoder import Embeddings, Texts, TextualEncoder
from arborlink.encoders.joined import JoinedTowers
from arborlink.encoders.model_folder import Inference
from arborlink.encoders.names import NameEncoder
from arborlink.entity import Entity
from arborlink.knowledge_base import KnowledgeBase
from arborlink.labels import Labels
from arborlink.linker import Linker
from arborlink.workspace import Workspace

STEMS = ("ada", "bob", "cyd", "dan", "eve", "fay", "gus", "hal")
TYPES = ("Person", "Place")


class HashEncoder:
    """A vector by the letters of a text, with a little of its hash: near strings have near vectors.

    Args:
        near_names: leave out names that share no first letter with a mention, as an encoder with a shortlist does.
        salt: another one makes other vectors.
    """

    def __init__(self, near_names: bool = False, salt: str = "") -> None:
        self.near_names = near_names
        self.salt = salt
        self.encoded: list[str] = []

    @property
    def fingerprint(self) -> str:
        return f"hash {self.near_names} {self.salt}"

    @property
    def entity_texts_need_corpus(self) -> bool:
        return self.near_names

    def mention_texts(self, corpus: Corpus) -> Texts:
        texts = [document.text_of(mention).lower() for document, mention in corpus.mentions]
        return Texts.one_each(*_distinct(texts))

    def entity_texts(
        self, kb: KnowledgeBase, corpus: Corpus | None = None, labels: Labels | None = None
    ) -> Texts:
        names = [[name.lower() for name in entity.names] for entity in kb]
        if self.near_names and corpus is not None:
            n_names = dict.fromkeys("abcdefghijklmnopqrstuvwxyz", 0)
            wanted = {text[:1] for text in self.mention_texts(corpus).texts}
            # the first three names of a letter that a mention begins with: a name that comes may drive another out
            kept = []
            for own in reversed(names):
                chosen = [name for name in own if name[:1] in wanted and n_names[name[:1]] < 3]
                for name in chosen:
                    n_names[name[:1]] += 1
                kept.append(chosen)
            names = kept[::-1]
        texts, rows = _distinct([name for own in names for name in own])
        return Texts(texts, rows, np.cumsum([0, *map(len, names)], dtype=np.int64))

    def encode_mention_texts(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self._vectors(texts)

    def encode_entity_texts(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self._vectors(texts)

    def encode_mentions(self, corpus: Corpus) -> Embeddings:
        found = self.mention_texts(corpus)
        return found.encoded(self._vectors(found.texts))

    def encode_entities(
        self, kb: KnowledgeBase, corpus: Corpus | None = None, labels: Labels | None = None
    ) -> Embeddings:
        found = self.entity_texts(kb, corpus, labels)
        return found.encoded(self._vectors(found.texts))

    def _vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.encoded += texts
        vectors = np.zeros((len(texts), 34), dtype=np.float32)
        for row, text in enumerate(texts):
            for letter in text:
                vectors[row, ord(letter) % 26] += 1.0
            digest = blake2b((self.salt + text).encode(), digest_size=8).digest()
            vectors[row, 26:] = np.frombuffer(digest, dtype=np.uint8) / 700
        vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
        return vectors


def _distinct(texts: Sequence[str]) -> tuple[list[str], NDArray[np.int32]]:
    places: dict[str, int] = {}
    rows = [places.setdefault(text, len(places)) for text in texts]
    return list(places), np.array(rows, dtype=np.int32)


class HashTexts:
    """The same vectors where a sentence encoder is asked for."""

    fingerprint, device, ignores_case = "hash of texts", "cpu", True

    def encode(self, texts: Sequence[str], what: str) -> NDArray[np.float32]:
        return HashEncoder().encode_entity_texts(texts)


def described_encoder(shortlist: int = 2) -> NameEncoder:
    """Compares names, and takes some from descriptions."""
    text_encoder: Any = HashTexts()
    return NameEncoder(text_encoder, shortlist=shortlist, sameness=0.2, description_names=True)


def joined_towers() -> JoinedTowers:
    """Two fake encoders side by side; an entity has a view for each pair of its names."""
    parts: list[Any] = [HashEncoder(), HashEncoder(salt="other")]
    return JoinedTowers(parts, (0.6, 0.4))


def hash_linker(encoder: TextualEncoder | None = None, **inference: Any) -> Linker:
    return Linker(encoder or HashEncoder(), progress=False, defaults=Inference(**inference))


def word(rng: random.Random) -> str:
    return rng.choice(STEMS) + rng.choice(("", "", "s", "a", "ina")) + rng.choice(("", "", " jr", " sr"))


def document(rng: random.Random, id_: str, n_mentions: int, typed: bool = False) -> Document:
    text, mentions = "", []
    for number in range(n_mentions):
        name = word(rng)
        types = (rng.choice(TYPES),) if typed else ()
        mentions.append(Mention(f"{id_}.{number}", len(text), len(text) + len(name), types))
        text += f"{name} met "
    return Document(id_, text + "nobody.", tuple(mentions))


def entity(rng: random.Random, id_: str, typed: bool = False, described: bool = False) -> Entity:
    types = rng.choice(((), (TYPES[0],), (TYPES[1],))) if typed else ()
    name, aliases = word(rng), tuple(word(rng) for _ in range(rng.choice((0, 0, 1, 2))))
    description = ", ".join(word(rng) for _ in range(rng.choice((0, 4, 12)))) if described else ""
    return Entity(id_, name, aliases, description, types)


def documents(seed: int, n: int, prefix: str = "d", typed: bool = False) -> list[Document]:
    rng = random.Random(seed)
    return [document(rng, f"{prefix}{number}", rng.randint(0, 4), typed) for number in range(n)]


def entities(
    seed: int, n: int, prefix: str = "Q", typed: bool = False, described: bool = False
) -> list[Entity]:
    rng = random.Random(seed)
    return [entity(rng, f"{prefix}{number}", typed, described) for number in range(n)]


def made(folder: Path, linker: Linker | None = None, n_entities: int = 4, **options: Any) -> Workspace:
    """A workspace of the fake encoder, with a few entities and a threshold."""
    chosen = {"threshold": 0.85, **options}
    return Workspace.init(
        folder, KnowledgeBase(entities(1, n_entities)), linker=linker or hash_linker(), **chosen
    )
