"""A workspace that is served while tests look at its page, stopped and started at will."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from page_world import ENTITIES, made_workspace, word_linker

from arborlink.document import Document
from arborlink.entity import Entity
from arborlink.service import Server, ServiceOptions, create_app
from arborlink.workspace import Workspace

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ConsoleMessage, Dialog, Page, Request

OpenReview = Callable[..., "Page"]
StartService = Callable[..., "Reviewing"]


class Reviewing:
    """A workspace and the server on it; ``workspace`` is a second door to the same folder, as of another reviewer."""

    def __init__(
        self,
        folder: Path,
        documents: Iterable[Document] | None = None,
        entities: Iterable[Entity] = ENTITIES,
        token: str | None = None,
    ) -> None:
        self.workspace = made_workspace(folder, documents, entities)
        self.token = token
        self._port = 0
        self._server: Server | None = None
        self._thread: threading.Thread | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    def start(self) -> None:
        options = ServiceOptions(port=self._port, token=self.token)
        app = create_app(Workspace.open(self.workspace.folder, linker=word_linker()), options)
        self._server = Server(app, options)
        self._port = int(self._server.listen().rstrip("/").rpartition(":")[2])
        self._thread = threading.Thread(target=self._server.serve_until_told, daemon=True)
        self._thread.start()
        end = time.monotonic() + 20
        while not self._server.started:
            assert time.monotonic() < end, "the server does not start"
            time.sleep(0.01)

    def stop(self) -> None:
        if self._server is None or self._thread is None:
            return
        self._server.should_exit = True
        self._thread.join(20)
        assert not self._thread.is_alive()
        self._server = None

    def entity_of(self, mention: str) -> str | None:
        """The entity a mention is linked to now."""
        return next(link.entity for link in self.workspace.result().links if link.mention == mention)


class Watched:
    """A page that may note refused requests on its console, and nothing else."""

    def __init__(self, browser: Browser, allowed: str, **options: Any) -> None:
        self.allowed = allowed
        self.complaints: list[str] = []
        self.context = browser.new_context(**{"viewport": {"width": 1366, "height": 768}} | options)
        self.page = self.context.new_page()
        self.page.set_default_timeout(15_000)
        self.page.on("console", self._heard)
        self.page.on("request", self._asked)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("dialog", self._interrupted)

    def _heard(self, said: ConsoleMessage) -> None:
        if said.type in ("error", "warning") and not said.text.startswith("Failed to load resource"):
            self.complaints.append(said.text)

    def _asked(self, request: Request) -> None:
        if not request.url.startswith((self.allowed, "data:", "about:")):
            self.complaints.append(f"asked for {request.url}")

    def _interrupted(self, dialog: Dialog) -> None:
        self.complaints.append(f"a dialog: {dialog.message}")
        dialog.dismiss()
