"""Nothing in a text or a name can act, and nothing can be fetched."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from report_worlds import Row, World, small_world, world_of

from arborlink.entity import Entity
from arborlink.report import joined_modules, report_page, write_report

OpenReport = Callable[..., Page]
SCRIPT = "</script><script>alert(1)</script>"
IMAGE = "<img src=x onerror=alert(2)>"
MARKUP = "<b>bold</b> &lt; {{data}} ${x} \u2028 ]]> <!-- </style></title>"


@pytest.fixture
def hostile() -> World:
    entities = [
        Entity("<i>Q1</i>", SCRIPT, aliases=(IMAGE,), description=MARKUP, types=(IMAGE,)),
        Entity(IMAGE, IMAGE),
    ]
    texts = {SCRIPT: f"{IMAGE} and {SCRIPT} and {MARKUP}", IMAGE: f"{SCRIPT} {IMAGE}"}
    rows = [
        Row(SCRIPT, IMAGE, (IMAGE,), "<i>Q1</i>", 0, 0.9, "<i>Q1</i>", IMAGE),
        Row(SCRIPT, SCRIPT, None, None, 1, None, None, "<i>Q1</i>"),
        Row(SCRIPT, MARKUP, None, None, 1, 0.7, f"{SCRIPT}.1", IMAGE),
        Row(IMAGE, IMAGE, ("<u>",), "<i>Q1</i>", 0, 0.8, f"{SCRIPT}.0", IMAGE),
    ]
    return world_of(texts, rows, entities)


def test_hostile_texts_and_names_are_shown_as_they_are(open_report: OpenReport, hostile: World) -> None:
    page = open_report(*hostile, title=f"{SCRIPT}{IMAGE}")
    expect(page.locator("h1")).to_have_text(f"{SCRIPT}{IMAGE}")
    shown = {
        "": IMAGE,
        "entities": SCRIPT,
        "entity/0": SCRIPT,
        "entity/1": SCRIPT,
        "documents": SCRIPT,
        "document/0": "<b>bold</b> &lt; {{data}}",
        "document/1": f"{SCRIPT} {IMAGE}",
    }
    for view, words in shown.items():
        page.goto(f"{page.url.split('#')[0]}#/{view}")
        page.wait_for_selector(f'main[data-ready="#/{view}"]')
        expect(page.locator("main")).to_contain_text(words)
        for target in page.locator("mark, .node, .bar").all():
            target.focus()
            assert page.locator("#tip").is_visible()
        inside = "main :is(img, script, b, i, u, style), #tip :is(img, script, b, i, u)"
        assert page.locator(inside).count() == 0


def test_the_policy_stops_scripts_styles_and_requests(chromium: Browser, tmp_path: Path) -> None:
    write_report(tmp_path / "report.html", *small_world())
    page = chromium.new_page()
    page.goto((tmp_path / "report.html").as_uri())
    page.wait_for_selector("main[data-ready]")
    blocked = page.evaluate(
        """async () => {
          const found = [];
          document.addEventListener("securitypolicyviolation", (event) => {
            event.stopImmediatePropagation();
            found.push(event.effectiveDirective);
          });
          const script = document.createElement("script");
          script.textContent = "window.acted = true";
          document.body.append(script);
          const image = document.createElement("img");
          image.src = "https://example.org/x.png";
          document.body.append(image);
          const holder = document.createElement("p");
          holder.innerHTML = "<span style='color: red' onclick='window.acted = true'>x</span>";
          document.body.append(holder);
          holder.firstChild.click();
          await fetch("https://example.org/").catch(() => {});
          await new Promise((done) => setTimeout(done, 100));
          return [window.acted === undefined, [...new Set(found)].sort()];
        }"""
    )
    assert blocked == [
        True,
        ["connect-src", "img-src", "script-src-attr", "script-src-elem", "style-src-attr"],
    ]
    page.close()


def test_the_script_cannot_end_itself_and_uses_no_parser_of_markup() -> None:
    script = joined_modules("report.js")
    assert "</script" not in script.lower()
    for word in ("innerHTML", "outerHTML", "insertAdjacent", "document.write", "eval(", "http:", "https:"):
        assert word not in script.replace('"http://www.w3.org/2000/svg"', ""), word


def test_a_page_has_one_script_that_acts_one_style_and_no_address() -> None:
    page = report_page(*small_world())
    assert page.count("<script") == 2
    assert page.count("<style") == 1
    assert "default-src &#x27;none&#x27;; script-src &#x27;sha256-" in page
    assert "src=" not in page
    assert "unsafe" not in page
