"""The model of the workspace: loaded once in the background, used by one thread at a time."""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from arborlink.corpus import Corpus
from arborlink.encoder import Embeddings, Texts, TextualEncoder
from arborlink.errors import ArborLinkError
from arborlink.knowledge_base import KnowledgeBase
from arborlink.labels import Labels
from arborlink.linker import Linker
from arborlink.service.problems import RefusalError, try_later
from arborlink.workspace import Workspace, WorkspaceSettings
from arborlink.workspace.encoding import textual

ModelState = Literal["loading", "ready", "failed"]
_SECONDS_TO_LOAD = 5
_log = logging.getLogger("arborlink.service")


class ServiceModel:
    """Loads the linker of a workspace and says how far it is.

    Args:
        workspace: whose model it is.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._lock = threading.Lock()
        self._ready = threading.Event()
        self._failure: str | None = None

    @property
    def state(self) -> ModelState:
        """Whether requests that need the model can be answered."""
        return "ready" if self._ready.is_set() else "failed" if self._failure is not None else "loading"

    @property
    def failure(self) -> str | None:
        """Why the model cannot be loaded."""
        return None if self._ready.is_set() else self._failure

    def start(self) -> threading.Thread:
        """Load the model in the background, in a thread of its own."""
        thread = threading.Thread(target=self._load, name="arborlink-model", daemon=True)
        thread.start()
        return thread

    def check_ready(self) -> None:
        """Refuse what needs a model that is not there.

        Raises:
            RefusalError: it is still being loaded, or cannot be (503).
        """
        if self.state == "loading":
            raise try_later(
                "model_loading", "the model is still being loaded; try again soon", _SECONDS_TO_LOAD
            )
        if self.state == "failed":
            raise RefusalError(503, "model_failed", f"the model cannot be loaded: {self._failure}")

    def linker(self, settings: WorkspaceSettings) -> Linker:
        """The linker of a version of the workspace, loaded if it is not yet; its encoder takes turns.

        Raises:
            ModelError: it cannot be loaded, or is another than the workspace was encoded with.
        """
        with self._lock:
            linker = linker_of(self._workspace, settings)
            if not isinstance(linker.encoder, TurnTakingEncoder):
                linker.encoder = TurnTakingEncoder(textual(linker))
            return linker

    def _load(self) -> None:
        try:
            self.linker(self._workspace.settings)
            self._ready.set()
        except ArborLinkError as error:
            self._failure = str(error)
            _log.error("the model cannot be loaded: %s", error)
        except Exception as error:
            self._failure = f"{type(error).__name__}: {error}"
            _log.exception("the model cannot be loaded")


def linker_of(workspace: Workspace, settings: WorkspaceSettings) -> Linker:
    """The linker that a workspace encodes with; it is the workspace's own, so that weights are in memory once."""
    return workspace._session.same_linker(settings)


class TurnTakingEncoder:
    """An encoder that threads may share: tokenizers keep settings of a call in themselves.

    Args:
        encoder: what encodes.
    """

    def __init__(self, encoder: TextualEncoder) -> None:
        self.encoder = encoder
        self._turn = threading.RLock()

    @property
    def fingerprint(self) -> str:
        """Names the weights and settings that decide the vectors."""
        return self.encoder.fingerprint

    @property
    def entity_texts_need_corpus(self) -> bool:
        """Whether ``entity_texts`` leaves out texts that no mention of the corpus is near to."""
        return self.encoder.entity_texts_need_corpus

    def mention_texts(self, corpus: Corpus) -> Texts:
        """One text for each mention."""
        with self._turn:
            return self.encoder.mention_texts(corpus)

    def entity_texts(
        self, kb: KnowledgeBase, corpus: Corpus | None = None, labels: Labels | None = None
    ) -> Texts:
        """The texts of the entities."""
        with self._turn:
            return self.encoder.entity_texts(kb, corpus, labels)

    def encode_mention_texts(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of texts of mentions."""
        with self._turn:
            return self.encoder.encode_mention_texts(texts)

    def encode_entity_texts(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of texts of entities."""
        with self._turn:
            return self.encoder.encode_entity_texts(texts)

    def encode_mentions(self, corpus: Corpus) -> Embeddings:
        """Vectors of mentions."""
        found = self.mention_texts(corpus)
        return found.encoded(self.encode_mention_texts(found.texts))

    def encode_entities(
        self, kb: KnowledgeBase, corpus: Corpus | None = None, labels: Labels | None = None
    ) -> Embeddings:
        """Vectors of entities."""
        found = self.entity_texts(kb, corpus, labels)
        return found.encoded(self.encode_entity_texts(found.texts))
