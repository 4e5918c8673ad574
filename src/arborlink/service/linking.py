"""Linking documents to the knowledge base of the workspace, without keeping them."""

from __future__ import annotations

import threading

from arborlink.corpus import Corpus
from arborlink.document import Document, Mention, mention_id
from arborlink.encoder import Embeddings, Encoder
from arborlink.knowledge_base import KnowledgeBase
from arborlink.labels import Labels
from arborlink.linker import Linker
from arborlink.result import Result
from arborlink.service.entity_vectors import AllVectors, EntityVectors, NearVectors, Remembered
from arborlink.service.options import Limits
from arborlink.service.problems import RefusalError
from arborlink.service.shapes.requests import LinkBody, LinkDocument
from arborlink.workspace.encoding import textual
from arborlink.workspace.snapshot import Snapshot


class DocumentLinker:
    """Links as ``arborlink link`` would to the knowledge base of a version, whose vectors it does not make again."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._remembered = Remembered()
        self._fingerprint: str | None = None
        self._held: tuple[tuple[object, ...], EntityVectors] | None = None

    def link(self, snapshot: Snapshot, linker: Linker, corpus: Corpus, candidates: int = 0) -> Result:
        """The result of linking documents.

        Args:
            snapshot: the version.
            linker: its model.
            corpus: the documents.
            candidates: nearest entities to keep for each mention.

        Raises:
            InputError: no mention is marked, or linking is by type and nobody shares one.
        """
        vectors = self._vectors(snapshot, linker)
        settings = snapshot.settings
        # without a re-ranker and examples, like the links of the workspace itself
        ours = Linker(
            _Prepared(linker.encoder, vectors),
            device=linker.device,
            progress=False,
            defaults=settings.inference,
            model=settings.model,
            calibration=linker.calibration,
            detour=settings.detour,
        )
        by_type = settings.inference.by_type if settings.is_by_type_asked else None
        return ours.link(corpus, snapshot.kb, by_type=by_type, candidates=candidates)

    def _vectors(self, snapshot: Snapshot, linker: Linker) -> EntityVectors:
        # a decision that brings no entity leaves all of these as they are
        key = (snapshot.kb, snapshot.entity_vectors, snapshot.entity_rows)
        with self._lock:
            if self._fingerprint != linker.encoder.fingerprint:
                self._fingerprint, self._remembered = linker.encoder.fingerprint, Remembered()
            if self._held is None or any(
                one is not other for one, other in zip(self._held[0], key, strict=True)
            ):
                self._held = None  # there may not be room for both
                self._held = key, _entity_vectors(snapshot, linker, self._remembered)
            return self._held[1]


class _Prepared:
    """An encoder whose entities are encoded already."""

    def __init__(self, encoder: Encoder, vectors: EntityVectors) -> None:
        self._encoder = encoder
        self._vectors = vectors
        self.fingerprint = encoder.fingerprint

    def encode_mentions(self, corpus: Corpus) -> Embeddings:
        """Vectors of the mentions."""
        return self._encoder.encode_mentions(corpus)

    def encode_entities(
        self, kb: KnowledgeBase, corpus: Corpus | None = None, labels: Labels | None = None
    ) -> Embeddings:
        """Vectors of the knowledge base that they were prepared for."""
        assert corpus is not None
        return self._vectors.of(corpus, labels)


def _entity_vectors(snapshot: Snapshot, linker: Linker, remembered: Remembered) -> EntityVectors:
    encoder = textual(linker)
    if encoder.entity_texts_need_corpus:
        return NearVectors(snapshot, encoder, remembered)
    return AllVectors(snapshot)


def corpus_of(body: LinkBody, limits: Limits) -> Corpus:
    """The documents of a request.

    Raises:
        RefusalError: there are too many of them, of their mentions or characters (413).
        InputError: a mention lies outside its text, or an id stands twice.
    """
    counts: dict[str, tuple[int, int]] = {
        "documents": (len(body.documents), limits.max_documents),
        "mentions": (sum(len(each.mentions) for each in body.documents), limits.max_mentions),
        "characters": (sum(len(each.text) for each in body.documents), limits.max_characters),
    }
    for what, (found, most) in counts.items():
        if found > most:
            raise RefusalError(
                413, "too_large", f"the request has {found:,} {what}; {most:,} are allowed at most"
            )
    return Corpus(_document(each, number) for number, each in enumerate(body.documents, start=1))


def _document(body: LinkDocument, number: int) -> Document:
    id_ = body.id or f"document-{number}"
    mentions = tuple(
        Mention(
            each.id or mention_id(id_, place),
            each.start,
            each.end,
            (each.type,) if isinstance(each.type, str) else tuple(each.type or ()),
        )
        for place, each in enumerate(body.mentions)
    )
    return Document(id_, body.text, mentions)
