"""What can be seen of a workspace; nothing here writes."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import Self

from arborlink.corpus import Corpus
from arborlink.knowledge_base import KnowledgeBase
from arborlink.result import Explanation, Result
from arborlink.workspace.changes import HistoryEvent
from arborlink.workspace.discoveries import (
    Discovery,
    DiscoveryProposal,
    discoveries_of,
    proposal_of,
    proposals_of,
)
from arborlink.workspace.effects import StoredDecision
from arborlink.workspace.exporting import export
from arborlink.workspace.integrity import problems_of
from arborlink.workspace.links import result_of
from arborlink.workspace.loading import history_of, log_of, read_meta
from arborlink.workspace.session import Session
from arborlink.workspace.settings import WorkspaceSettings
from arborlink.workspace.status import LogEntry, Status


class WorkspaceView:
    """The last version that any process committed; every method looks anew."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._result: tuple[int, Result] | None = None

    @property
    def folder(self) -> Path:
        """Where it is."""
        return self._session.folder

    @property
    def version(self) -> int:
        """Grows by one with every command that changes something."""
        return self._session.current().version

    @property
    def settings(self) -> WorkspaceSettings:
        """Model and inference."""
        return self._session.current().settings

    @property
    def corpus(self) -> Corpus:
        """All documents, in the order they came."""
        return self._session.current().corpus

    @property
    def kb(self) -> KnowledgeBase:
        """The knowledge base, promoted entities among it."""
        return self._session.current().kb

    def refresh(self) -> bool:
        """Take over what other processes committed; whether there was anything. Every method does this by itself."""
        before = self._session.last_version
        return self._session.current().version != before

    def status(self) -> Status:
        """Counts, without reading documents."""
        with self._session.store.reading() as connection:
            return Status.of(read_meta(connection))

    def result(self) -> Result:
        """Links, clusters and candidates; an edge that a decision made has a parent and no affinity."""
        snapshot = self._session.current()
        known = self._result
        if known is None or known[0] != snapshot.version:
            known = self._result = snapshot.version, result_of(snapshot)
        return known[1]

    def discovery_of(self, mention: str) -> str | None:
        """Id of the discovery a mention is in; ``None`` where it is linked."""
        snapshot = self._session.current()
        kind, id_ = snapshot.place_of(snapshot.number_of(mention))
        return id_ if kind == "discovery" else None

    def discoveries(self) -> tuple[Discovery, ...]:
        """Everything that is discovered now, the largest first."""
        return tuple(discoveries_of(self._session.current()))

    def proposals(
        self, *, min_mentions: int = 1, top: int = 5, context: int = 80, rejected: bool = False
    ) -> tuple[DiscoveryProposal, ...]:
        """What was discovered as proposals, the most valuable first.

        Args:
            min_mentions: leave out smaller ones.
            top: evidence mentions and nearest entities of each, at most.
            context: characters on each side of an evidence mention, at most.
            rejected: those that were rejected, instead of those that were not.
        """
        snapshot = self._session.current()
        found = proposals_of(snapshot, result_of(snapshot, snapshot.unlinked()), top, context)
        return tuple(
            each
            for each in found
            if each.is_rejected == rejected and each.proposal.n_mentions >= min_mentions
        )

    def proposal(self, discovery: str, *, top: int = 5, context: int = 80) -> DiscoveryProposal:
        """The proposal for one discovery."""
        return proposal_of(self._session.current(), discovery, top, context)

    def decisions(self) -> tuple[StoredDecision, ...]:
        """All decisions, the oldest first, undone ones among them."""
        return self._session.current().decisions

    def history(self, discovery: str) -> tuple[HistoryEvent, ...]:
        """What happened to a discovery, the oldest first; nothing if there never was one of this id."""
        with self._session.store.reading() as connection:
            return tuple(history_of(connection, discovery))

    def log(self) -> tuple[LogEntry, ...]:
        """What made each version, the oldest first."""
        with self._session.store.reading() as connection:
            return tuple(log_of(connection))

    def explain(self, mention: str) -> Explanation:
        """Why a mention is where it is; a step that a decision made has no affinity."""
        return self.result().explain(mention)

    def export(self, folder: str | Path) -> None:
        """Write links, clusters, proposals, the grown knowledge base, decisions, and training data made of them."""
        export(self._session.current(), Path(folder))

    def check(self) -> tuple[str, ...]:
        """What is wrong with the folder, everything in it read and compared; nothing where all is well."""
        with self._session.store.reading() as connection:
            return tuple(problems_of(connection, self._session.files))

    def close(self) -> None:
        """Let go of the folder."""
        self._session.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Workspace({str(self.folder)!r})"
