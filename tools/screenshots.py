"""Make the pictures of ``docs/pictures``: the report of the demo world, and the review page on a workspace of it.

Needs Chromium (``tools/install_chromium.py``) and the development dependencies. Run it from anywhere::

    python tools/screenshots.py
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from review_screenshots import review_pictures

if TYPE_CHECKING:
    from playwright.sync_api import Page

PICTURES = Path(__file__).resolve().parent.parent / "docs" / "pictures"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
SIZE = {"width": 1366, "height": 768}


def whole(page: Page) -> dict[str, Any]:
    """The page from top to bottom."""
    return {"full_page": True}


def tree_with_tip(page: Page) -> dict[str, Any]:
    """What fits a screen, with the pointer on the nickname at the end of a path."""
    page.locator(".node.mention", has_text="Old Peg-leg").first.hover()
    return {}


def text_with_tip(page: Page) -> dict[str, Any]:
    """What fits a screen, with the pointer on a discovered entity."""
    page.locator("mark.new").first.hover()
    return {}


# name of the picture, light or dark, what is searched for in the list, what is done before the picture is taken
PLAN: tuple[tuple[str, str, str, Callable[[Page], dict[str, Any]]], ...] = (
    ("report-overview", "light", "", whole),
    ("report-overview-dark", "dark", "", whole),
    ("report-cluster", "light", "entities/Cornelius Drake", tree_with_tip),
    ("report-cluster-dark", "dark", "entities/Cornelius Drake", tree_with_tip),
    ("report-document", "light", "documents/aground off", text_with_tip),
    ("report-document-dark", "dark", "documents/aground off", text_with_tip),
    ("report-entities", "light", "entities", lambda page: {}),
)


def main() -> int:
    """Write all pictures."""
    from playwright.sync_api import sync_playwright

    program = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        print("Chromium is missing: run `python tools/install_chromium.py`", file=sys.stderr)
        return 1
    PICTURES.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        report = write_demo_report(Path(folder))
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        for name, scheme, view, prepare in PLAN:
            page = browser.new_page(viewport=SIZE, color_scheme=scheme)  # type: ignore[arg-type]
            open_view(page, report, view)
            page.screenshot(path=PICTURES / f"{name}.png", **prepare(page))
            print(PICTURES / f"{name}.png")
            page.close()
        for picture in review_pictures(browser, Path(folder), PICTURES):
            print(picture)
        browser.close()
    return 0


def write_demo_report(folder: Path) -> Path:
    """Run ``arborlink demo`` into a folder; where its report is."""
    import subprocess

    command = [sys.executable, "-m", "arborlink", "demo", "--output", str(folder / "demo")]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return folder / "demo" / "report.html"


def open_view(page: Page, report: Path, view: str) -> None:
    """A list, or the first of what a search in it finds."""
    name, _, search = view.partition("/")
    page.goto(f"{report.as_uri()}#/{name}")
    page.wait_for_selector("main[data-ready]")
    if search:
        page.get_by_role("searchbox").fill(search)
        page.locator("tbody tr").nth(1).wait_for(state="detached")
        page.locator("tbody a").first.click()
        page.wait_for_selector("h1")
    page.wait_for_timeout(300)


if __name__ == "__main__":
    sys.exit(main())
