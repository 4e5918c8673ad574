"""What the routes share: the workspace, its model, the queue, the marks, and threads to work in."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from arborlink.errors import ArborLinkError, ConflictError, InputError
from arborlink.knowledge_base import KnowledgeBase
from arborlink.service.entity_search import EntitySearch
from arborlink.service.linking import DocumentLinker, corpus_of
from arborlink.service.look import LastLook, Look
from arborlink.service.marks import Marks
from arborlink.service.model import ServiceModel
from arborlink.service.options import ServiceOptions
from arborlink.service.problems import RefusalError, not_found
from arborlink.service.queue import QueueKeeper
from arborlink.service.shapes.decisions import ChangesAnswer
from arborlink.service.shapes.documents import LinkAnswer
from arborlink.service.shapes.requests import DecideBody, LinkBody
from arborlink.service.shapes.review import QueueItem
from arborlink.service.views.changes import changes_answer, event_item, named_conflict
from arborlink.service.views.documents import near_of
from arborlink.service.views.proposals import queue_item
from arborlink.service.workers import Workers
from arborlink.workspace import Changes, Workspace, decision_from_dict
from arborlink.workspace.snapshot import Snapshot

T = TypeVar("T")
_log = logging.getLogger("arborlink.service")
_SECONDS_TO_CLOSE = 1.0


class Service:
    """The workspace as several clients see it at the same time.

    Args:
        workspace: open; it is closed with the service.
        options: how the service is run.
    """

    def __init__(self, workspace: Workspace, options: ServiceOptions) -> None:
        limits = options.limits
        self.workspace = workspace
        self.options = options
        self.model = ServiceModel(workspace)
        self.marks = Marks(workspace.folder)
        self.looking = Workers("look", limits.n_looking, limits.n_waiting)
        # decisions take turns anyway; those that wait must not keep readers waiting
        self.deciding = Workers("decide", 1, limits.n_waiting)
        self.linking = Workers("link", limits.n_linking, limits.n_waiting, limits.max_seconds)
        self.is_done = False
        self._background: list[threading.Thread] = []
        self._queue = QueueKeeper()
        self._last_look = LastLook()
        self._links = DocumentLinker()
        self._search: tuple[KnowledgeBase, EntitySearch] | None = None
        self._search_lock = threading.Lock()

    def start(self) -> None:
        """Load the model and work out the queue, in the background."""
        warming = threading.Thread(target=self._warm_up, name="arborlink-queue", daemon=True)
        warming.start()
        self._background = [self.model.start(), warming]

    def close(self) -> None:
        """Wait a moment for what is running, then let go of the folder; what takes longer keeps it."""
        done = [pool.close(_SECONDS_TO_CLOSE) for pool in (self.looking, self.deciding, self.linking)]
        for thread in self._background:
            thread.join(_SECONDS_TO_CLOSE)
        self.is_done = all(done) and not any(thread.is_alive() for thread in self._background)
        if self.is_done:
            self.marks.close()
            self.workspace.close()

    def look(self) -> Look:
        """The last version that any process committed."""
        return Look(current_snapshot(self.workspace), self._queue.at, self.marks.all(), self._last_look)

    async def seen(self, view: Callable[[Look], T]) -> T:
        """What a view makes of the workspace as it is now."""
        return await self.looking.run(lambda: view(self.look()))

    def entity_search(self, look: Look) -> EntitySearch:
        """The search for entities by name, made anew when the knowledge base has changed."""
        kb = look.snapshot.kb
        with self._search_lock:
            if self._search is None or self._search[0] is not kb:
                self._search = kb, EntitySearch(kb)
            return self._search[1]

    def decide(self, body: DecideBody) -> ChangesAnswer:
        """Make a decision."""
        decision = decision_from_dict(body.decision.model_dump())
        before = self.look()
        if body.decision.kind == "promote":
            self.model.check_ready()
        try:
            changes = self.workspace.decide(decision, author=body.author, if_version=body.if_version)
        except ConflictError as error:
            raise named_conflict(self.look(), error) from error
        except InputError as error:
            self._refuse_about_gone(decision.to_dict(), body.if_version, error)
            raise
        return self._told(before, changes)

    def undo(self, number: int, author: str | None) -> ChangesAnswer:
        """Undo a decision by its number."""
        before = self.look()
        known = {stored.id: stored for stored in before.snapshot.decisions}
        if number not in known:
            raise not_found(f"there is no decision {number}")
        if known[number].effects.entity is not None:
            self.model.check_ready()
        return self._told(before, self.workspace.undo(number, author=author))

    def mark(self, discovery: str, if_version: int | None, author: str | None) -> QueueItem:
        """Mark a discovery as unsure at a version; without a version take the mark back."""
        item = self.look().live(discovery, self.workspace.history)
        if if_version is None:
            self.marks.remove(discovery)
        elif if_version < item.version:
            raise RefusalError(
                409,
                "conflict",
                f"“{item.name}” has changed since version {if_version}; look again",
                details={"current_version": item.version, "changes": []},
            )
        else:
            self.marks.put(discovery, item.version, author)
        return queue_item(self.look(), item, None)

    def link(self, body: LinkBody) -> LinkAnswer:
        """Link documents that are not kept."""
        self.model.check_ready()
        corpus = corpus_of(body, self.options.limits)
        snapshot = current_snapshot(self.workspace)
        result = self._links.link(
            snapshot, self.model.linker(snapshot.settings), corpus, candidates=body.candidates
        )
        candidates = None
        if result.candidates is not None:
            candidates = {id_: [near_of(each) for each in kept] for id_, kept in result.candidates.items()}
        return LinkAnswer(
            version=snapshot.version,
            links=[link.to_dict() for link in result.links],
            clusters=[cluster.to_dict() for cluster in result.clusters],
            candidates=candidates,
            settings=result.settings,
        )

    def _refuse_about_gone(self, decision: Mapping[str, Any], if_version: int, error: InputError) -> None:
        """Tell a reviewer whose discovery was promoted or merged away meanwhile that this is why."""
        look = self.look()
        named = [id_ for id_ in (decision.get("discovery"), *decision.get("ids", ())) if id_ is not None]
        later = [
            event_item(look, event)
            for id_ in named
            if id_ not in look.snapshot.members
            for event in self.workspace.history(id_)
            if event.version > if_version
        ]
        if later:
            changes = tuple(event.told for event in later)
            told = f"this has changed since version {if_version}: {'; '.join(changes)}; look again and decide anew"
            raise ConflictError(told, look.version, changes) from error

    def _told(self, before: Look, changes: Changes) -> ChangesAnswer:
        after = self.look()
        # the queue is brought up to date here rather than by the next reader
        _ = before.queue if before.version == after.version else after.queue
        return changes_answer(before, after, changes)

    def _warm_up(self) -> None:
        try:
            look = self.look()
            _ = look.queue
            self.entity_search(look)
        except ArborLinkError as error:
            # whoever asks is told
            _log.warning("the queue cannot be worked out yet: %s", error)


def current_snapshot(workspace: Workspace) -> Snapshot:
    """The last committed version, whole and unchanging, whatever is decided meanwhile."""
    return workspace._session.current()
