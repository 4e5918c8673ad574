"""Others who decide at the same time, a server that goes and comes back, a token."""

from __future__ import annotations

import time

from page_world import marked_document
from playwright.sync_api import Page, Route, expect
from reviewing import OpenReview, Reviewing, StartService

from arborlink.workspace import Merge, Reject

TOKEN = "a-token-for-the-tests"


def release(page: Page, held: list[Route]) -> None:
    """Let a request go on that was held back; it may still be on its way to that."""
    end = time.monotonic() + 15
    while not held:
        assert time.monotonic() < end, "the request was never made"
        page.wait_for_timeout(20)
    held[0].continue_()


def test_a_conflict_is_told_and_nothing_is_lost(open_review: OpenReview, reviewing: Reviewing) -> None:
    page = open_review(complains=True)
    page.keyboard.press("p")
    form = page.get_by_role("dialog")
    form.get_by_label("Name", exact=True).fill("Zork of Perth")
    reviewing.workspace.add([marked_document("late", "Late news of [Zork] and of [Zork].")])
    page.keyboard.press("Enter")
    problem = form.locator(".problem")
    expect(problem).to_contain_text("Somebody else changed this while you looked at it; nothing was decided.")
    expect(problem).to_contain_text("grown by 2 mentions")
    expect(problem).not_to_contain_text("new-000001")
    expect(form.get_by_label("Name", exact=True)).to_have_value("Zork of Perth")
    expect(page.locator(".facts")).to_contain_text("Mentions7")
    assert reviewing.workspace.decisions() == ()
    page.keyboard.press("Enter")
    expect(page.locator(".notice")).to_contain_text("Promoted “Zork of Perth”. 7 mentions relinked.")


def test_a_conflict_without_a_form_shows_what_changed(open_review: OpenReview, reviewing: Reviewing) -> None:
    page = open_review(complains=True)
    reviewing.workspace.add([marked_document("late", "Late news of [Zork].")])
    page.keyboard.press("x")
    warning = page.locator(".warning")
    expect(warning).to_contain_text("nothing was decided")
    expect(warning).to_contain_text("grown by 1 mention")
    expect(page.locator(".facts")).to_contain_text("Mentions6")
    page.keyboard.press("x")
    expect(page.locator(".notice")).to_contain_text("Rejected “Zork”")


def test_what_another_reviewer_took_away_is_told(open_review: OpenReview, reviewing: Reviewing) -> None:
    page = open_review(complains=True)
    page.keyboard.press("j")
    expect(page.locator(".proposal h1")).to_contain_text("Cinnamon")
    reviewing.workspace.decide(Merge(("new-000002", "Q2")), author="bob")
    page.keyboard.press("x")
    expect(page.locator(".warning")).to_contain_text("Somebody else changed this")
    expect(page.locator(".proposal h1")).to_contain_text("London")
    assert [each.author for each in reviewing.workspace.decisions()] == ["bob"]


def test_others_changes_are_noticed_while_one_reads(open_review: OpenReview, reviewing: Reviewing) -> None:
    page = open_review()
    reviewing.workspace.decide(Reject("new-000004"), author="bob")
    expect(page.locator(".queue-name", has_text="Charley")).to_have_count(0, timeout=12_000)
    expect(page.locator("#progress")).to_contain_text("1 of 24 reviewed")
    expect(page.locator(".proposal h1")).to_contain_text("Zork")
    reviewing.workspace.add([marked_document("late", "Late news of [Zork].")])
    expect(page.locator(".warning")).to_contain_text("Somebody has just changed this", timeout=12_000)
    page.keyboard.press("r")
    expect(page.locator(".facts")).to_contain_text("Mentions6")


def test_a_contradiction_is_told(open_review: OpenReview, reviewing: Reviewing) -> None:
    page = open_review(complains=True)
    page.keyboard.press("s")
    page.keyboard.press("t")
    page.keyboard.press("Enter")
    expect(page.locator(".notice")).to_contain_text("Split 2 of 5")
    page.keyboard.press("m")
    page.keyboard.type("old zork")
    expect(page.get_by_role("dialog").get_by_role("option")).to_have_count(1)
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog").locator(".problem")).to_contain_text("contradicts what was decided")


def test_a_server_that_goes_and_comes_back(open_review: OpenReview, reviewing: Reviewing) -> None:
    page = open_review(complains=True)
    page.keyboard.press("p")
    form = page.get_by_role("dialog")
    form.get_by_label("Name", exact=True).fill("Zork of Perth")
    reviewing.stop()
    page.keyboard.press("Enter")
    banner = page.locator("#connection")
    expect(banner).to_contain_text("The server does not answer.")
    expect(banner).to_contain_text("“Promote “Zork”” is kept and will be sent.")
    expect(page.locator("#saving")).to_have_text("saving 1 decision …")
    reviewing.start()
    expect(page.locator(".notice")).to_contain_text("Promoted “Zork of Perth”", timeout=20_000)
    expect(banner).to_be_hidden()
    assert len(reviewing.workspace.decisions()) == 1


def test_one_reads_on_while_decisions_are_saved(open_review: OpenReview, reviewing: Reviewing) -> None:
    page = open_review()
    held: list[Route] = []
    page.route("**/api/decisions", lambda route: route.continue_() if held else held.append(route))
    for name in ("Cinnamon", "Blue Duchess"):
        page.keyboard.press("x")
        expect(page.locator(".proposal h1")).to_contain_text(name)
    expect(page.locator("#saving")).to_have_text("saving 2 decisions …")
    expect(page.locator(".queue-name")).to_have_count(22)
    release(page, held)
    expect(page.locator(".notice")).to_contain_text("Rejected “Cinnamon”")
    expect(page.locator("#saving")).to_have_text("")
    expect(page.locator("#progress")).to_contain_text("2 of 24 reviewed")
    expect(page.locator(".proposal h1")).to_contain_text("Blue Duchess")
    assert [each.decision.kind for each in reviewing.workspace.decisions()] == ["reject", "reject"]


def test_a_late_conflict_does_not_tear_one_away(open_review: OpenReview, reviewing: Reviewing) -> None:
    page = open_review(complains=True)
    held: list[Route] = []
    page.route("**/api/decisions", lambda route: held.append(route))
    page.keyboard.press("x")
    expect(page.locator(".proposal h1")).to_contain_text("Cinnamon")
    page.keyboard.press("p")
    page.keyboard.type("Cinnamon Duchess")
    reviewing.workspace.add([marked_document("late", "Late news of [Zork].")])
    release(page, held)
    expect(page.locator(".notice")).to_contain_text("“Reject “Zork”” was not done.")
    expect(page.get_by_role("dialog").get_by_label("Name", exact=True)).to_have_value("Cinnamon Duchess")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Back to it").click()
    expect(page.locator(".proposal h1")).to_contain_text("Zork")
    expect(page.locator(".warning")).to_contain_text("grown by 1 mention")
    page.goto(f"{reviewing.url}/#/review/new-000002")
    page.keyboard.press("p")
    expect(page.get_by_role("dialog").get_by_label("Name", exact=True)).to_have_value("Cinnamon Duchess")


def test_a_token_is_asked_for_once(start_service: StartService, open_review: OpenReview) -> None:
    reviewing = start_service(token=TOKEN)
    page = open_review(service=reviewing, complains=True, wait=False)
    form = page.get_by_role("dialog")
    expect(form.get_by_role("heading")).to_have_text("Log in")
    page.keyboard.press("Escape")
    expect(form).to_be_visible()
    form.get_by_label("Token").fill("not the token at all")
    page.keyboard.press("Enter")
    expect(form.get_by_role("alert")).to_have_text("This is not the token.")
    form.get_by_label("Token").fill(TOKEN)
    page.keyboard.press("Enter")
    expect(page.locator(".proposal h1")).to_contain_text("Zork")
    page.reload()
    expect(page.locator(".proposal h1")).to_contain_text("Zork")


def test_a_token_in_the_address_is_taken_out_of_it(
    start_service: StartService, open_review: OpenReview
) -> None:
    reviewing = start_service(token=TOKEN)
    page = open_review(service=reviewing, wait=False, fragment=f"token={TOKEN}")
    expect(page.locator(".proposal h1")).to_contain_text("Zork")
    assert TOKEN not in page.url
    page.keyboard.press("x")
    expect(page.locator(".notice")).to_contain_text("Rejected “Zork”")
