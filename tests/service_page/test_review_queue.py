"""The queue: order, filters, search, and twenty proposals without a mouse."""

from __future__ import annotations

from page_world import marked_document, small_documents
from playwright.sync_api import expect
from reviewing import OpenReview, Reviewing


def test_the_queue_is_searched_filtered_and_ordered(open_review: OpenReview) -> None:
    page = open_review()
    names = page.locator(".queue-name")
    expect(names).to_have_count(24)
    assert names.all_inner_texts()[:2] == ["Zork", "Cinnamon"]
    page.get_by_label("Least number of mentions").fill("2")
    page.keyboard.press("Tab")
    expect(names).to_have_count(4)
    page.get_by_label("Order").select_option("name")
    expect(names).to_have_text(["Blue Duchess", "Charley", "Cinnamon", "Zork"])
    page.get_by_label("Least number of mentions").fill("1")
    page.keyboard.press("Tab")
    page.locator("#content").focus()
    page.keyboard.press("/")
    page.keyboard.type("old zork")
    expect(names).to_have_text(["Zork"])
    expect(page.locator(".proposal h1")).to_contain_text("Zork")
    page.get_by_label("Search proposals").fill("nobody at all")
    expect(page.locator(".queue-list .empty")).to_contain_text("No proposal matches")
    page.get_by_label("Search proposals").fill("")
    expect(names).to_have_count(24)


def test_types_are_a_filter(open_review: OpenReview, reviewing: Reviewing) -> None:
    reviewing.workspace.add([marked_document("typed", "A [Gull] on the mast and the [Gull] again.", "Bird")])
    page = open_review()
    page.get_by_label("Type").select_option("Bird")
    expect(page.locator(".queue-name")).to_have_text(["Gull"])
    expect(page.locator(".facts .chip")).to_contain_text("Bird")


def test_going_through_the_queue_and_the_tree(open_review: OpenReview) -> None:
    page = open_review()
    heading = page.locator(".proposal h1")
    page.keyboard.press("j")
    expect(heading).to_contain_text("Cinnamon")
    expect(page.locator(".queue-list [aria-selected=true]")).to_contain_text("Cinnamon")
    page.keyboard.press("k")
    expect(heading).to_contain_text("Zork")
    page.keyboard.press("k")
    expect(page.locator(".notice")).to_contain_text("the first one of the list")
    page.keyboard.press("t")
    expect(page.locator(".node.root")).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#tip .tip-context")).to_contain_text("Zork")
    expect(page.locator("text.edge.bottleneck")).to_have_count(1)
    page.locator(".queue-list").focus()
    page.keyboard.press("ArrowDown")
    expect(heading).to_contain_text("Cinnamon")
    expect(page.locator(".queue-list")).to_be_focused()


def test_keys_that_come_faster_than_answers(open_review: OpenReview, reviewing: Reviewing) -> None:
    page = open_review()
    for key in ("j", "j", "x"):
        page.keyboard.press(key)
    expect(page.locator(".notice")).to_contain_text("Rejected “Blue Duchess”")
    assert [each.name for each in reviewing.workspace.discoveries() if each.is_rejected] == ["Blue Duchess"]


def test_the_help_names_the_keys_and_closes(open_review: OpenReview) -> None:
    page = open_review()
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog")
    for words in ("Promote to the knowledge base", "Link to the known entity of this number", "Undo"):
        expect(dialog).to_contain_text(words)
    page.keyboard.press("x")
    expect(page.locator(".notice")).to_have_count(0)
    page.keyboard.press("?")
    expect(dialog).to_have_count(0)
    page.keyboard.press("l")
    page.keyboard.type("ada")
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    page.keyboard.press("m")
    page.goto(f"{page.url.split('#')[0]}#/documents")
    expect(page.locator("h1")).to_have_text("Documents")
    expect(dialog).to_have_count(0)


def test_twenty_proposals_without_a_mouse(open_review: OpenReview, reviewing: Reviewing) -> None:
    page = open_review()
    for number in range(20):
        before = page.locator("#view").get_attribute("data-open")
        key = "pxu1"[number % 4]
        page.keyboard.press(key)
        if key == "p":
            expect(page.get_by_role("dialog")).to_be_visible()
            page.keyboard.press("Enter")
        page.wait_for_function(
            "before => document.getElementById('view').dataset.open !== before "
            "&& !document.querySelector('[aria-busy], dialog')",
            arg=before,
        )
    expect(page.locator("#progress")).to_contain_text("15 of 24 reviewed")
    expect(page.get_by_role("button", name="Unsure 5")).to_be_visible()
    kinds = [each.decision.kind for each in reviewing.workspace.decisions()]
    assert sorted(kinds) == ["merge"] * 5 + ["promote"] * 5 + ["reject"] * 5


def test_a_long_queue_is_shown_in_parts(open_review: OpenReview, reviewing: Reviewing) -> None:
    reviewing.workspace.add([marked_document(f"m{i}", f"Here is [stranger{i}x].") for i in range(70)])
    page = open_review()
    expect(page.locator(".queue-count")).to_have_text("94 proposals, 60 shown")
    for name in page.locator(".queue-list [role=option]").all()[-1:]:
        name.click()
    last = page.locator("#view").get_attribute("data-open")
    page.keyboard.press("j")
    expect(page.locator(".queue-count")).to_have_text("94 proposals")
    expect(page.locator("#view")).not_to_have_attribute("data-open", last or "")


def test_empty_states(open_review: OpenReview, reviewing: Reviewing) -> None:
    page = open_review(complains=True)
    page.keyboard.press("f")
    expect(page.locator(".nothing h1")).to_have_text("Nothing is marked as unsure")
    page.keyboard.press("h")
    expect(page.locator(".page .empty")).to_have_text("Nothing has been decided yet.")
    page.goto(f"{reviewing.url}/#/document/none")
    expect(page.locator("h1")).to_have_text("No such document")
    page.goto(f"{reviewing.url}/#/review/new-999999")
    expect(page.locator(".settled")).to_contain_text("It is no discovery")


def test_documents_are_searched_and_tell_why(open_review: OpenReview) -> None:
    page = open_review(at="documents")
    rows = page.locator("tbody tr")
    expect(rows).to_have_count(len(small_documents()))
    page.keyboard.press("/")
    page.keyboard.type("waved")
    expect(rows).to_have_count(1)
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    marks = page.locator("mark")
    expect(marks).to_have_text(["Cinnamon", "Charley", "Charley", "Ada Lovelace"])
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    why = page.locator(".why")
    expect(why).to_contain_text("Discovered: Charley")
    expect(why).to_contain_text("Nearest known entity, not near enough")
    page.keyboard.press("k")
    page.keyboard.press("Enter")
    expect(why).to_contain_text("Discovered: Cinnamon")
    why.get_by_role("link", name="Review this discovery").click()
    expect(page.locator(".proposal h1")).to_contain_text("Cinnamon")
