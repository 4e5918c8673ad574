"""Reports written and opened in a browser."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from arborlink.report import write_report

if TYPE_CHECKING:
    from playwright.sync_api import Page

OpenReport = Callable[..., "Page"]


@pytest.fixture
def open_report(new_page: Callable[..., Page], tmp_path: Path) -> OpenReport:
    """``open_report(result, corpus, kb, at="entities", page={"color_scheme": "dark"})``: written, opened, drawn."""

    def open_(*given: Any, at: str = "", page: dict[str, Any] | None = None, **options: Any) -> Page:
        path = tmp_path / "report.html"
        write_report(path, *given, **options)
        opened = new_page(**page or {})
        opened.goto(f"{path.as_uri()}#/{at}")
        opened.wait_for_selector(f'main[data-ready="#/{at}"]')
        return opened

    return open_
