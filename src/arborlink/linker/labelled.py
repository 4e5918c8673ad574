"""Labelled documents of a linker: their name, their vectors, and who of them votes about which documents."""

from __future__ import annotations

from hashlib import blake2b

from arborlink.corpus import Corpus
from arborlink.encoder import Embeddings, Encoder
from arborlink.knowledge_base import KnowledgeBase
from arborlink.voting import Examples, OwnDocuments


class Labelled:
    """Labelled documents, encoded when they are first needed.

    Args:
        corpus: the documents.
        encoder: the linker's.
    """

    def __init__(self, corpus: Corpus, encoder: Encoder) -> None:
        self.corpus = corpus
        self._encoder = encoder
        self._vectors: Embeddings | None = None

    @property
    def digest(self) -> str:
        """Names the documents and their labels."""
        digest = blake2b(digest_size=6)
        for document, mention in self.corpus.mentions:
            digest.update(
                repr((document.id, mention.start, mention.end, mention.entities)).encode(
                    "utf-8", "surrogatepass"
                )
            )
        return digest.hexdigest()

    def examples(self, linked: Corpus, kb: KnowledgeBase, temperature: float) -> Examples:
        """The voters about the mentions of documents to be linked.

        Raises:
            InputError: no label is an entity of the knowledge base.
        """
        if self._vectors is None:
            self._vectors = self._encoder.encode_mentions(self.corpus)
        own = OwnDocuments.of(linked, self.corpus)
        return Examples.of(self.corpus, kb, self._vectors, temperature, own)


def about_examples(labelled: Labelled | None, linked: Corpus) -> dict[str, int]:
    """What the settings of a result say: how many examples there are, how many linked documents are among them."""
    if labelled is None:
        return {"n_examples": 0}
    n_shared = OwnDocuments.of(linked, labelled.corpus).n_documents
    return {"n_examples": labelled.corpus.n_mentions, "n_documents_in_examples": n_shared}
