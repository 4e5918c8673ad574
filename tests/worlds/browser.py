"""Chromium for the tests: ``new_page()`` opens a page that must not complain and must not ask the network."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Dialog, Page, Request

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
NewPage = Callable[..., "Page"]


def chromium_path() -> Path:
    """The program of ``$CHROMIUM``, else the first that is installed."""
    found = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    assert found, (
        "these tests need Chromium: run `python tools/install_chromium.py`, or say where with $CHROMIUM"
    )
    return Path(found)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """One browser for all tests of a process."""
    from playwright.sync_api import sync_playwright

    # Chromium refuses to run as root inside its own sandbox, and containers give it little shared memory.
    options = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=options)
        yield browser
        browser.close()


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
        context.close()
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
