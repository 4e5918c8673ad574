"""A small workspace behind the service: names that look alike are near, nothing has to be loaded."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arborlink.corpus import Corpus
from arborlink.document import Document, Mention
from arborlink.encoder import Embeddings, Texts
from arborlink.encoders.model_folder import Inference
from arborlink.entity import Entity
from arborlink.knowledge_base import KnowledgeBase
from arborlink.labels import Labels
from arborlink.linker import Linker
from arborlink.service import Server, ServiceOptions, create_app
from arborlink.workspace import Workspace

THRESHOLD = 0.8
HOSTILE = '<script>alert("x")</script>'


class LetterEncoder:
    """Unit vectors of letter pairs: strings that share most of them are near.

    Args:
        seconds: to take for each call that encodes mentions, as a slow model would.
    """

    fingerprint = "letters"
    entity_texts_need_corpus = False

    def __init__(self, seconds: float = 0.0) -> None:
        self.seconds = seconds

    def mention_texts(self, corpus: Corpus) -> Texts:
        return Texts.one_each(
            *_distinct([document.text_of(mention).lower() for document, mention in corpus.mentions])
        )

    def entity_texts(
        self, kb: KnowledgeBase, corpus: Corpus | None = None, labels: Labels | None = None
    ) -> Texts:
        names = [[name.lower() for name in entity.names] for entity in kb]
        texts, rows = _distinct([name for own in names for name in own])
        return Texts(texts, rows, np.cumsum([0, *map(len, names)], dtype=np.int64))

    def encode_mention_texts(self, texts: Sequence[str]) -> NDArray[np.float32]:
        time.sleep(self.seconds)
        return _vectors(texts)

    def encode_entity_texts(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return _vectors(texts)

    def encode_mentions(self, corpus: Corpus) -> Embeddings:
        found = self.mention_texts(corpus)
        return found.encoded(self.encode_mention_texts(found.texts))

    def encode_entities(
        self, kb: KnowledgeBase, corpus: Corpus | None = None, labels: Labels | None = None
    ) -> Embeddings:
        found = self.entity_texts(kb, corpus, labels)
        return found.encoded(self.encode_entity_texts(found.texts))


def _distinct(texts: Sequence[str]) -> tuple[list[str], NDArray[np.int32]]:
    places: dict[str, int] = {}
    rows = [places.setdefault(text, len(places)) for text in texts]
    return list(places), np.array(rows, dtype=np.int32)


def _vectors(texts: Sequence[str]) -> NDArray[np.float32]:
    vectors = np.zeros((len(texts), 512), dtype=np.float32)
    for row, text in enumerate(texts):
        padded = f" {text} "
        for one, other in pairwise(padded):
            vectors[row, (ord(one) * 31 + ord(other)) % 512] += 1.0
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
    return vectors


def letter_linker(seconds: float = 0.0) -> Linker:
    return Linker(LetterEncoder(seconds), progress=False, defaults=Inference(threshold=THRESHOLD))


def document(id_: str, text: str) -> Document:
    """A document whose mentions stand in square brackets, ``[name]`` or ``[name|Type]``."""
    plain = ""
    mentions: list[Mention] = []
    for part in text.split("["):
        marked, closing, rest = part.partition("]")
        if not closing:
            plain += part
            continue
        name, _, type_ = marked.partition("|")
        types = (type_,) if type_ else ()
        mentions.append(Mention(f"{id_}.{len(mentions)}", len(plain), len(plain) + len(name), types))
        plain += name + rest
    return Document(id_, plain, tuple(mentions))


def entities() -> list[Entity]:
    return [
        Entity("Q1", "Ada Lovelace", ("Countess of Lovelace",), "Wrote the first program.", ("Person",)),
        Entity("Q2", "Charles Babbage", (), "Designed engines.", ("Person",)),
        Entity("Q3", "London", ("Londinium",), "A city on the Thames.", ("Place",)),
        Entity("Q4", "Turin", (), "A city on the Po.", ("Place",)),
        Entity("Q5/a b?#%", HOSTILE, (), f"{HOSTILE} & <img src=x onerror=alert(1)>", ("<b>",)),
    ]


def documents() -> list[Document]:
    return [
        document("d1", "A letter\n[Ada Lovelace|Person] wrote to [Luigi Menabrea|Person] in [Turin|Place]."),
        document("d2", "[Luigi Menabrea|Person] heard [Charles Babbage|Person] speak in [Turin|Place]."),
        document(
            "d3", "𝔘nicode 😀 [Luigi Menabrea|Person] and [Giovanni Plana|Person] met in [London|Place]."
        ),
        document("d4/x y?#%", f"[Giovanni Plana|Person] read {HOSTILE}, says [{HOSTILE}|Person]."),
        document("d5", "The [Analytical Engine] and the [Analytic Engine] and the [Difference Engine]."),
        document(
            "d6", "[Mary Somerville|Person] taught [Ada Lovelace|Person]; [Mary Summerville|Person] knew."
        ),
        document("empty", ""),
    ]


def made(folder: Path, linker: Linker | None = None, **options: Any) -> Workspace:
    """A workspace with all of it."""
    workspace = Workspace.init(
        folder, KnowledgeBase(entities()), linker=linker or letter_linker(), threshold=THRESHOLD, **options
    )
    workspace.add(documents())
    return workspace


@contextmanager
def served(workspace: Workspace, options: ServiceOptions | None = None) -> Iterator[str]:
    """The service in a thread of this process, on a free port of this machine; gives its address."""
    options = options or ServiceOptions(port=0)
    server = Server(create_app(workspace, options), options)
    address = server.listen()
    thread = threading.Thread(target=server.serve_until_told)
    thread.start()
    try:
        while not server.started:
            time.sleep(0.01)
        yield address.rstrip("/")
    finally:
        server.should_exit = True
        thread.join(30)
        assert not thread.is_alive()
