"""A folder that grows: the one door to it."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Literal

from arborlink.document import Document
from arborlink.entity import Entity
from arborlink.knowledge_base import KnowledgeBase
from arborlink.linker import Linker
from arborlink.partition import Mode
from arborlink.workspace import commands
from arborlink.workspace.changes import Changes
from arborlink.workspace.decisions import Decision
from arborlink.workspace.folder import prepare_folder
from arborlink.workspace.session import LoadLinker, Session, opened
from arborlink.workspace.settings import ModelChoice, WorkspaceSettings
from arborlink.workspace.view import WorkspaceView


class Workspace(WorkspaceView):
    """Documents, a knowledge base, what was discovered, and what was decided about it, in a folder.

    Every method sees the last version that any process committed. Commands that write take turns; those that read
    wait for nobody. Threads may share a workspace.

    Example::

        workspace = Workspace.init("review", KnowledgeBase.read("kb.jsonl"), threshold=0.6)
        print(workspace.add(Corpus.read("monday.jsonl")))
        first = workspace.proposals()[0]
        workspace.decide(Promote(first.id), if_version=first.version)
        print(workspace.add(Corpus.read("tuesday.jsonl")))
    """

    @classmethod
    def init(
        cls,
        folder: str | Path,
        kb: KnowledgeBase,
        *,
        model: str | Path | None = None,
        entity_model: str | Path | None = None,
        view: Literal["names", "context"] | None = None,
        shortlist: int = 32,
        inference: Mode | None = None,
        neighbours: int | None = None,
        threshold: float | Literal["model"] | None = "model",
        by_type: bool | None = None,
        candidates: int = 8,
        device: str = "auto",
        cache: str | Path | bool = True,
        progress: bool | None = None,
        wait: float = 30.0,
        linker: Linker | None = None,
    ) -> Workspace:
        """Make a workspace with a knowledge base and no documents yet.

        Args:
            folder: new or empty.
            kb: the knowledge base.
            model: this and the next three as in :meth:`arborlink.Linker.load`.
            entity_model: see there.
            view: see there.
            shortlist: see there.
            inference: this and the next three as in :meth:`arborlink.Linker.link`.
            neighbours: see there.
            threshold: see there; without one nothing is ever discovered.
            by_type: see there.
            candidates: nearest entities to keep for each mention, at least 2.
            device: where to encode and search.
            cache: also keep embeddings where ``arborlink link`` does; the workspace itself does not need it.
            progress: show bars; ``None`` shows them on a terminal only.
            wait: seconds to wait for another process that writes.
            linker: to be used instead of loading a model.

        Raises:
            InputError: the folder holds something else, or an option is out of range.
            WorkspaceError: there is a workspace already.
            ModelError: the model cannot be loaded.
        """
        folder = Path(folder)
        prepare_folder(folder)
        choice = ModelChoice(_text(model), _text(entity_model), view, shortlist).settled()
        session = Session(folder, wait, _loader(device, cache, progress, linker))
        loaded = session.linker(choice)
        settings = WorkspaceSettings(
            fingerprint=loaded.encoder.fingerprint,
            model=loaded.model or loaded.encoder.fingerprint,
            choice=choice,
            inference=loaded.defaults.replaced(inference, neighbours, threshold, by_type),
            is_by_type_asked=by_type is not None,
            candidates=candidates,
            detour=loaded.detour,
        )
        session.make(settings, lambda write: commands.add(session, write, (), kb, "init"))
        return cls(session)

    @classmethod
    def open(
        cls,
        folder: str | Path,
        *,
        device: str = "auto",
        cache: str | Path | bool = True,
        progress: bool | None = None,
        wait: float = 30.0,
        linker: Linker | None = None,
    ) -> Workspace:
        """Open a workspace; its model is loaded when something has to be encoded, not before.

        Args:
            folder: of a workspace.
            device: where to encode and search.
            cache: also keep embeddings where ``arborlink link`` does.
            progress: show bars; ``None`` shows them on a terminal only.
            wait: seconds to wait for another process that writes.
            linker: to be used instead of loading a model.

        Raises:
            WorkspaceError: there is none, or it is damaged or of another format.
        """
        return cls(opened(Path(folder), wait, _loader(device, cache, progress, linker)))

    def add(self, documents: Iterable[Document] | None = None, kb: Iterable[Entity] | None = None) -> Changes:
        """Add documents and entities; what was there already, just so, is passed over.

        Links and discoveries are then those of linking all documents to the whole knowledge base at once.

        Raises:
            InputError: an id that is known, of something else; types that nobody shares.
            ModelError: the model cannot be loaded or is another by now.
            WorkspaceError: another process has been writing for too long.
        """
        with self._session.writing() as write:
            return commands.add(self._session, write, documents or (), kb or (), "add")

    def reencode(
        self,
        *,
        model: str | Path | None = "same",
        entity_model: str | Path | None = None,
        view: Literal["names", "context"] | None = None,
        shortlist: int = 32,
        inference: Mode | None = None,
        neighbours: int | None = None,
        threshold: float | Literal["model"] | None = "model",
        by_type: bool | None = None,
    ) -> Changes:
        """Encode everything anew with another model, or link in another way; discoveries keep their ids by overlap.

        Args:
            model: ``"same"`` keeps the model and its options; others as in :meth:`init`, ``None`` the default one.
            entity_model: see :meth:`init`.
            view: see :meth:`init`.
            shortlist: see :meth:`init`.
            inference: what is not given is the new model's own, or stays as it is where the model is the same.
            neighbours: see there.
            threshold: see there; ``"model"`` is "not given".
            by_type: see there.
        """
        with self._session.writing() as write:
            before = write.before.settings
            choice = ModelChoice(_text(model), _text(entity_model), view, shortlist).settled()
            choice = before.choice if model == "same" else choice
            linker = self._session.linker(choice)
            settings = before.with_linker(linker, choice)
            base = before.inference if model == "same" else linker.defaults
            settings = settings.with_inference(
                base.replaced(inference, neighbours, threshold, by_type), by_type is not None
            )
            return commands.reencode(self._session, write, settings)

    def decide(
        self, decision: Decision, *, author: str | None = None, if_version: int | None = None
    ) -> Changes:
        """Make a decision; every later partition honours it until it is undone.

        Args:
            decision: what to decide.
            author: who does.
            if_version: the version the author saw, of the discovery or of the workspace.

        Raises:
            ConflictError: what it is about has changed since ``if_version``.
            InputError: it names what is not there, or contradicts a decision in force.
        """
        with self._session.writing() as write:
            return commands.decide(self._session, write, decision, author, if_version)

    def undo(self, decision: int | None = None, *, author: str | None = None) -> Changes:
        """Undo a decision by its number; the last one in force if none is named."""
        with self._session.writing() as write:
            return commands.undo(self._session, write, decision, author)


def _text(path: str | Path | None) -> str | None:
    return None if path is None else str(path)


def _loader(
    device: str, cache: str | Path | bool, progress: bool | None, linker: Linker | None
) -> LoadLinker:
    if linker is not None:
        return lambda choice: linker
    return partial(ModelChoice.load, device=device, cache=cache, progress=progress)
