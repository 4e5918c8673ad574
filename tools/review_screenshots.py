"""The pictures of the review page: a workspace of the demo world is served, and looked at in Chromium.

``tools/screenshots.py`` takes them together with those of the report.
"""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.error import URLError
from urllib.request import urlopen

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

SIZE = {"width": 1366, "height": 768}
THRESHOLD = "0.7"
LONGEST_WAIT = 60.0


def review_pictures(browser: Browser, folder: Path, pictures: Path) -> Iterator[Path]:
    """Take the pictures, one after the other; decisions made for one are seen in the next.

    Args:
        browser: that is running.
        folder: where a workspace can be made.
        pictures: where the pictures go.
    """
    workspace = demo_workspace(folder)
    with served(workspace) as address:
        for name, scheme, view, prepare in PLAN:
            page = browser.new_page(viewport=SIZE, color_scheme=scheme)  # type: ignore[arg-type]
            page.goto(f"{address}/#/{view}")
            page.wait_for_selector("#view[data-ready]")
            prepare(page)
            page.wait_for_timeout(300)
            page.screenshot(path=pictures / f"{name}.png")
            page.close()
            yield pictures / f"{name}.png"


def demo_workspace(folder: Path) -> Path:
    """A workspace with the documents of the demo world."""
    run("demo", "--files", folder / "world")
    run(
        "workspace",
        "init",
        folder / "review",
        "--kb",
        folder / "world" / "kb.jsonl",
        "--threshold",
        THRESHOLD,
    )
    for part in ("train", "test"):
        run("workspace", "add", folder / "review", "--documents", folder / "world" / f"{part}.jsonl")
    return folder / "review"


def run(*arguments: object) -> None:
    """Run a verb of ``arborlink``."""
    command = [sys.executable, "-m", "arborlink", *map(str, arguments)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


@contextmanager
def served(workspace: Path) -> Iterator[str]:
    """Serve a workspace on a free port of this machine; its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "arborlink", "serve", "--workspace", str(workspace), "--port", str(port)]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        address = f"http://127.0.0.1:{port}"
        wait_for(f"{address}/api/status", server)
        yield address
    finally:
        server.terminate()
        server.wait(timeout=LONGEST_WAIT)


def wait_for(address: str, server: subprocess.Popen[bytes]) -> None:
    """Until something answers there."""
    end = time.monotonic() + LONGEST_WAIT
    while time.monotonic() < end and server.poll() is None:
        try:
            urlopen(address, timeout=5).close()
        except (URLError, OSError):
            time.sleep(0.2)
        else:
            return
    raise RuntimeError(f"`arborlink serve` does not answer at {address}")


def open_by_name(page: Page, name: str) -> None:
    """Find a proposal in the queue and open it."""
    page.keyboard.press("/")
    page.keyboard.type(name)
    page.wait_for_function(
        "name => document.querySelector('.proposal h1')?.textContent.startsWith(name)", arg=name
    )
    page.keyboard.press("Enter")


def at_the_tree(page: Page) -> None:
    """The drawing of a discovery with several forms, the keyboard on a mention."""
    open_by_name(page, "Madame Kask")
    page.keyboard.press("t")
    page.keyboard.press("End")


def in_the_form(page: Page) -> None:
    """The form of a promotion."""
    open_by_name(page, "Madame Kask")
    page.keyboard.press("p")


def choosing(page: Page) -> None:
    """Mentions chosen for a split."""
    open_by_name(page, "Madame Kask")
    page.keyboard.press("s")
    page.keyboard.press("b")


def after_a_decision(page: Page) -> None:
    """The notice after a promotion, the next proposal open."""
    open_by_name(page, "Madame Kask")
    page.keyboard.press("p")
    page.keyboard.press("Enter")
    page.wait_for_selector(".notice")
    page.get_by_label("Search proposals").fill("")
    page.wait_for_function("() => document.querySelectorAll('.queue-name').length > 3")


def asking_why(page: Page) -> None:
    """Why a mention of a document is where it is."""
    page.locator("mark.new").first.click()
    page.wait_for_selector(".why .verdict")


def nothing(page: Page) -> None:
    """The page as it opens."""


# name of the picture, light or dark, the view, what is done before the picture is taken
PLAN: tuple[tuple[str, str, str, Callable[[Page], None]], ...] = (
    ("review", "light", "review", nothing),
    ("review-dark", "dark", "review", nothing),
    ("review-tree", "light", "review", at_the_tree),
    ("review-promote", "light", "review", in_the_form),
    ("review-split-dark", "dark", "review", choosing),
    ("review-decided", "light", "review", after_a_decision),
    ("review-document", "light", "document/lantern-06", asking_why),
    ("review-document-dark", "dark", "document/lantern-06", asking_why),
    ("review-decisions", "light", "decisions", nothing),
)
