"""Chromium for the tests: ``new_page()`` opens a page that must not complain and must not ask the network."""

from __future__ import annotations

import os
import shutil
import subprocess
import threading
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Dialog, Page, Playwright, Request

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
# Chromium refuses to run as root inside its own sandbox, and containers give it little shared memory.
OPTIONS = ("--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu")
# seconds that a test may have the browser: the longest takes a tenth of it
PATIENCE = 120.0
NewPage = Callable[..., "Page"]


def chromium_path() -> Path:
    """The program of ``$CHROMIUM``, else the first that is installed."""
    found = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    assert found, (
        "these tests need Chromium: run `python tools/install_chromium.py`, or say where with $CHROMIUM"
    )
    return Path(found)


class Chromium:
    """One browser for all tests of a process, started anew if it was lost."""

    def __init__(self, playwright: Playwright) -> None:
        self._playwright = playwright
        self._name = f"--tests={uuid.uuid4()}"
        self._browser: Browser | None = None

    def browser(self) -> Browser:
        """The browser, running."""
        if self._browser is None or not self._browser.is_connected():
            self._browser = self._playwright.chromium.launch(
                executable_path=chromium_path(), args=[*OPTIONS, self._name]
            )
        return self._browser

    def kill(self) -> None:
        """End it from outside: a call that waits for it is told so, and fails."""
        subprocess.run(["pkill", "-KILL", "-f", "--", self._name], check=False)

    def close(self) -> None:
        if self._browser is not None and self._browser.is_connected():
            self._browser.close()


@pytest.fixture(scope="session")
def running_chromium() -> Iterator[Chromium]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = Chromium(playwright)
        yield chromium
        chromium.close()


@pytest.fixture
def chromium(running_chromium: Chromium) -> Iterator[Browser]:
    """A browser that is ended if a test stands still.

    Once in some thousand tests Chromium never says that it has done what it was told, and playwright waits for that
    without end. Then the test fails with the error that pyproject.toml allows it to be run once more for.
    """
    browser = running_chromium.browser()
    standing_still = threading.Timer(PATIENCE, running_chromium.kill)
    standing_still.start()
    yield browser
    standing_still.cancel()


def close(context: BrowserContext) -> None:
    """Close it, if its browser is still there."""
    if context.browser is not None and context.browser.is_connected():
        context.close()


@pytest.fixture
def new_page(chromium: Browser) -> Iterator[NewPage]:
    """``new_page(color_scheme="dark")``: a page of its own, of a laptop's size; options are those of a context.

    When the test ends, no page may have complained on its console, nor asked for more than files of this machine and
    what stands under ``allowed``, such as ``http://127.0.0.1:8000/``.
    """
    contexts: list[BrowserContext] = []
    complaints: list[str] = []

    def open_page(allowed: str = "file:", **options: Any) -> Page:
        context = chromium.new_context(**{"viewport": {"width": 1366, "height": 768}} | options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(15_000)
        _watch(page, complaints, ("file:", "about:", "blob:", "data:", allowed))
        return page

    yield open_page
    for context in contexts:
        close(context)
    assert complaints == []


def _watch(page: Page, complaints: list[str], allowed: tuple[str, ...]) -> None:
    def heard(said: ConsoleMessage) -> None:
        if said.type in ("error", "warning"):
            complaints.append(said.text)

    def interrupted(dialog: Dialog) -> None:
        complaints.append(f"a dialog: {dialog.message}")
        dialog.dismiss()

    def asked(request: Request) -> None:
        if not request.url.startswith(allowed):
            complaints.append(f"asked for {request.url}")

    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", heard)
    page.on("dialog", interrupted)
    page.on("request", asked)
