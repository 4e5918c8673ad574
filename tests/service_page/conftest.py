"""The service on a small workspace, and its page in a browser."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from browser import close
from reviewing import OpenReview, Reviewing, StartService, Watched

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


@pytest.fixture
def start_service(tmp_path: Path) -> Iterator[StartService]:
    """``start_service(token=…, documents=…, entities=…)``: a workspace of its own, served on a free port."""
    started: list[Reviewing] = []

    def start(**options: Any) -> Reviewing:
        started.append(Reviewing(tmp_path / f"workspace-{len(started)}", **options))
        started[-1].start()
        return started[-1]

    yield start
    for each in started:
        each.stop()


@pytest.fixture
def reviewing(start_service: StartService) -> Reviewing:
    """The service on the small world."""
    return start_service()


@pytest.fixture
def open_review(
    request: pytest.FixtureRequest,
    start_service: StartService,
    chromium: Browser,
    new_page: Callable[..., Page],
) -> Iterator[OpenReview]:
    """``open_review(at="documents", color_scheme="dark")``: the page, drawn.

    Asks for ``start_service`` first, so that pages are closed before servers stop. ``complains`` allows the browser
    to note requests that were refused; ``service`` is another than ``reviewing``.
    """
    watched: list[Watched] = []

    def open_(
        at: str = "review",
        *,
        service: Reviewing | None = None,
        complains: bool = False,
        wait: bool = True,
        fragment: str | None = None,
        **options: Any,
    ) -> Page:
        url = (service or request.getfixturevalue("reviewing")).url
        if complains:
            watched.append(Watched(chromium, f"{url}/", **options))
            page = watched[-1].page
        else:
            page = new_page(allowed=f"{url}/", **options)
        page.goto(f"{url}/#{fragment or f'/{at}'}")
        if wait:
            page.wait_for_selector("#view[data-ready]")
        return page

    yield open_
    for each in watched:
        close(each.context)
    assert [complaint for each in watched for complaint in each.complaints] == []
