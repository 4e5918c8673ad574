"""Whatever documents, entities and discoveries are called, the page shows it and does nothing else."""

from __future__ import annotations

import re
from pathlib import Path

from page_world import marked_document
from playwright.sync_api import Page, expect
from reviewing import OpenReview, StartService

import arborlink.service
from arborlink.document import Document
from arborlink.entity import Entity

SCRIPT = "</script><script>alert(1)</script>"
IMAGE = "<img src=x onerror=alert(2)>"
MARKUP = "<b>bold</b> &lt; {{data}} ${x} \u2028 <!-- </style>"
PAGE = Path(arborlink.service.__file__).parent / "page"


def hostile_documents() -> list[Document]:
    bracketed = f"[{IMAGE}] and [{SCRIPT}] say {MARKUP}. [{IMAGE}] once more."
    return [marked_document(SCRIPT, bracketed, IMAGE), marked_document("a/b?c#d%2F", f"{MARKUP} [{SCRIPT}]")]


def hostile_entities() -> list[Entity]:
    return [
        Entity("<i>Q1</i>", "<svg/onload=alert(3)>", ("<b>alias</b>",), MARKUP, (IMAGE,)),
        Entity("Q/2", f"a known thing called {SCRIPT}", description=IMAGE),
    ]


def harmless(page: Page) -> None:
    inside = ":is(#view, dialog, #tip, #notices, #connection) :is(img, script, style, b, i, iframe)"
    assert page.locator(inside).count() == 0


def test_hostile_names_are_only_shown(start_service: StartService, open_review: OpenReview) -> None:
    reviewing = start_service(documents=hostile_documents(), entities=hostile_entities())
    page = open_review(service=reviewing, complains=True)
    names = page.locator(".queue-name").all_inner_texts()
    assert any(IMAGE in name for name in names)
    for _ in names:
        harmless(page)
        for node in page.locator(".node").all():
            node.focus()
        harmless(page)
        page.keyboard.press("j")
    for key in ("p", "m", "l", "?"):
        page.keyboard.press(key)
        expect(page.get_by_role("dialog")).to_be_visible()
        page.wait_for_timeout(200)
        harmless(page)
        page.keyboard.press("Escape")
    page.keyboard.press("1")
    expect(page.locator(".notice")).to_contain_text("Linked “")
    harmless(page)
    page.keyboard.press("d")
    expect(page.locator("tbody")).to_contain_text("<b>bold</b> &lt;")
    for number in range(2):
        page.goto(f"{reviewing.url}/#/documents")
        page.locator("tbody a").nth(number).click()
        page.locator("mark").first.click()
        expect(page.locator(".why .verdict")).to_be_visible()
        harmless(page)
    page.keyboard.press("h")
    expect(page.locator("tbody")).to_contain_text("Merge “")
    harmless(page)


def test_no_script_parses_markup_or_runs_text() -> None:
    words = re.compile(r"innerHTML|outerHTML|insertAdjacent|document\.write|eval\(|new Function|https?:")
    scripts = sorted(PAGE.glob("*.js"))
    assert len(scripts) > 20
    assert [path.name for path in scripts if words.search(path.read_text(encoding="utf-8"))] == []


def test_the_page_itself_has_nothing_inline() -> None:
    page = (PAGE / "index.html").read_text(encoding="utf-8")
    assert re.findall(r"<style|\sstyle=|\son\w+=|javascript:|https?:", page) == []
    assert re.findall(r"<script[^>]*>(.*?)</script>", page, re.DOTALL) == [""]
