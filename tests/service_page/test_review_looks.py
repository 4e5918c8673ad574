"""The page on a laptop's screen: nothing overlaps, nothing is cut off, everything can be read."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect
from reviewing import OpenReview, Reviewing

CONTRASTS = """() => {
  const canvas = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
  const rgb = (colour) => {
    canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const light = (c) => c.slice(0, 3).map((v) => v / 255)
    .map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const ground = (e) => {
    for (; e; e = e.parentElement) {
      const c = rgb(getComputedStyle(e).backgroundColor);
      if (c[3] === 255) return c;
    }
    return rgb(getComputedStyle(document.documentElement).backgroundColor);
  };
  return [...document.querySelectorAll("body *")]
    .filter((e) => e.innerText?.trim() && !e.closest(":disabled") && e.getClientRects().length).map((e) => {
      const [a, b] = [light(rgb(getComputedStyle(e).color)), light(ground(e))];
      return [(Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), e.outerHTML.slice(0, 80)];
    });
}"""
OVERLAPS = """() => {
  const boxes = ["header.top", ".queue", ".middle", ".side", ".decide"]
    .map((name) => [name, document.querySelector(name).getBoundingClientRect()]);
  const found = [];
  for (const [a, p] of boxes) for (const [b, q] of boxes) {
    if (a < b && p.left < q.right - 1 && q.left < p.right - 1 && p.top < q.bottom - 1 && q.top < p.bottom - 1)
      found.push(`${a} ${b}`);
  }
  const buttons = [...document.querySelectorAll(".actions button, .states button, .top a, .top button")];
  for (const each of buttons) if (each.scrollWidth > each.clientWidth + 1) found.push(each.innerText);
  return found;
}"""


def fits(page: Page) -> None:
    wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert wide <= 0
    for place in page.locator(".middle, .side, .queue-scroll, .page").all():
        assert place.evaluate("e => e.scrollWidth - e.clientWidth") <= 0


@pytest.mark.parametrize("size", [(1366, 768), (1024, 700)])
def test_nothing_overlaps_or_scrolls_sideways(open_review: OpenReview, size: tuple[int, int]) -> None:
    page = open_review(viewport={"width": size[0], "height": size[1]})
    expect(page.locator(".actions")).to_be_in_viewport(ratio=0.99)
    assert page.evaluate(OVERLAPS) == []
    fits(page)
    for key in ("d", "h"):
        page.keyboard.press(key)
        expect(page.locator(".page h1")).to_be_visible()
        fits(page)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_words_stand_out_from_their_ground(
    open_review: OpenReview, reviewing: Reviewing, scheme: str
) -> None:
    page = open_review(color_scheme=scheme)
    page.keyboard.press("s")
    for view in ("review", "document/d0/d0.1"):
        if view != "review":
            page.goto(f"{reviewing.url}/#/{view}")
            expect(page.locator(".why .verdict")).to_be_visible()
        ratios = page.evaluate(CONTRASTS)
        assert len(ratios) > 30
        assert min(ratios)[0] >= 4.5, min(ratios)


def test_roles_and_focus(open_review: OpenReview) -> None:
    page = open_review()
    expect(page.get_by_role("listbox", name="Proposals")).to_be_visible()
    expect(page.get_by_role("toolbar", name="Decide")).to_be_visible()
    expect(page.get_by_role("main")).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid"
    page.keyboard.press("p")
    page.keyboard.press("Escape")
    page.keyboard.press("x")
    expect(page.get_by_role("status").filter(has_text="Rejected “Zork”")).to_be_visible()


def test_without_motion_nothing_moves(open_review: OpenReview) -> None:
    page = open_review(reduced_motion="reduce")
    page.keyboard.press("x")
    notice = page.locator(".notice")
    expect(notice).to_be_visible()
    assert notice.evaluate("e => getComputedStyle(e).animationName") == "none"
