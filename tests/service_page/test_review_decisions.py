"""What a curator decides, key by key, and what comes of it."""

from __future__ import annotations

from playwright.sync_api import Page, expect
from reviewing import OpenReview, Reviewing


def heading(page: Page, name: str) -> None:
    expect(page.locator(".proposal h1")).to_contain_text(name)


def notice(page: Page, *words: str) -> None:
    for each in words:
        expect(page.locator(".notice")).to_contain_text(each)


def test_promote_relink_and_undo(open_review: OpenReview, reviewing: Reviewing) -> None:
    page = open_review()
    heading(page, "Zork")
    expect(page.locator("#progress")).to_contain_text("0 of 24 reviewed")
    page.keyboard.press("p")
    form = page.get_by_role("dialog")
    expect(form.get_by_label("Name", exact=True)).to_have_value("Zork")
    expect(form.get_by_label("Other names")).to_have_value("old Zork")
    expect(form.get_by_label("Description")).not_to_have_value("")
    form.get_by_label("Name", exact=True).fill("Zork the Elder")
    form.get_by_label("Types").fill("Person")
    page.keyboard.press("Shift+Enter")
    page.keyboard.type("Sage")
    page.keyboard.press("Enter")
    notice(page, "Promoted “Zork the Elder”", "5 mentions relinked")
    heading(page, "Cinnamon")
    expect(page.locator("#progress")).to_contain_text("1 of 24 reviewed")
    promoted = reviewing.workspace.kb["new-000001"]
    assert (promoted.name, promoted.aliases, promoted.types) == (
        "Zork the Elder",
        ("old Zork",),
        ("Person", "Sage"),
    )

    page.keyboard.press("d")
    page.get_by_role("link", name="Ada Lovelace met old Zork").click()
    marks = page.locator("mark", has_text="Zork")
    expect(marks).to_have_count(2)
    expect(page.locator("mark.new")).to_have_count(0)
    marks.first.click()
    expect(page.locator(".why .verdict")).to_have_text("Linked to Zork the Elder")

    page.keyboard.press("g")
    heading(page, "Cinnamon")
    page.keyboard.press("z")
    notice(page, "Undone: Promote “Zork”", "5 mentions relinked")
    heading(page, "Zork")
    assert "new-000001" not in reviewing.workspace.kb
    page.goto(f"{reviewing.url}/#/document/d0")
    expect(page.locator("mark.new", has_text="Zork")).to_have_count(2)


def test_reject_and_look_at_what_was_rejected(open_review: OpenReview, reviewing: Reviewing) -> None:
    page = open_review()
    page.keyboard.press("x")
    notice(page, "Rejected “Zork”")
    heading(page, "Cinnamon")
    assert [each.id for each in reviewing.workspace.discoveries() if each.is_rejected] == ["new-000001"]
    page.get_by_role("button", name="Rejected").click()
    heading(page, "Zork")
    expect(page.locator("h1 .badge")).to_have_text("✗ rejected")
    expect(page.get_by_role("button", name="Reject X")).to_be_disabled()
    page.keyboard.press("z")
    notice(page, "Undid the decision about “Zork”")
    assert not any(each.is_rejected for each in reviewing.workspace.discoveries())


def test_merge_with_another_discovery(open_review: OpenReview, reviewing: Reviewing) -> None:
    page = open_review(at="review/new-000002")
    heading(page, "Cinnamon")
    page.keyboard.press("m")
    finder = page.get_by_role("dialog")
    expect(finder.get_by_role("option").first).to_be_visible()
    page.keyboard.type("duchess")
    expect(finder.get_by_role("option")).to_have_text(["Blue Duchess2 mentions in 1 document"])
    page.keyboard.press("Enter")
    notice(page, "Merged “Cinnamon” with “Blue Duchess”", "1 discovery merged into another")
    expect(page.locator(".facts")).to_contain_text("Mentions4")
    assert len(reviewing.workspace.proposal("new-000002").proposal.mentions) == 4
    page.locator(".story summary").click()
    expect(page.locator(".story")).to_contain_text("grown by 2 mentions")
    expect(page.locator(".proposal")).not_to_contain_text("new-00000")
    page.keyboard.press("z")
    expect(page.locator(".facts")).to_contain_text("Mentions2")


def test_link_to_the_nearest_by_its_number(open_review: OpenReview, reviewing: Reviewing) -> None:
    page = open_review(at="review/new-000004")
    heading(page, "Charley")
    nearest = page.locator(".nearest-list li")
    names = [each.replace("\n", "") for each in page.locator(".near-name span").all_inner_texts()]
    number = names.index("Charles Babbage") + 1
    expect(nearest.nth(number - 1)).to_contain_text("Builder of engines.")
    page.keyboard.press(str(number))
    notice(page, "Linked “Charley” to “Charles Babbage”", "2 mentions relinked")
    assert {reviewing.entity_of("d4.1"), reviewing.entity_of("d4.2")} == {"Q3"}
    page.get_by_role("button", name="Linked").click()
    heading(page, "Charles Babbage")
    expect(page.locator(".proposal")).to_contain_text("Charley")
    page.keyboard.press("z")
    heading(page, "Charley")
    assert reviewing.entity_of("d4.1") is None


def test_link_to_an_entity_found_by_name(open_review: OpenReview, reviewing: Reviewing) -> None:
    page = open_review(at="review/new-000004")
    page.keyboard.press("l")
    page.keyboard.type("countess")
    option = page.get_by_role("dialog").get_by_role("option")
    expect(option).to_have_count(1)
    expect(option).to_contain_text("also “Countess of Lovelace”")
    page.keyboard.press("Enter")
    notice(page, "Linked “Charley” to “Ada Lovelace”")
    assert reviewing.entity_of("d4.1") == "Q1"


def test_split_with_the_keyboard(open_review: OpenReview, reviewing: Reviewing) -> None:
    page = open_review()
    page.keyboard.press("s")
    rows = page.locator(".splitting [role=option]")
    expect(rows).to_have_count(5)
    expect(rows.first).to_be_focused()
    page.keyboard.press("Enter")
    notice(page, "No mention is chosen yet")
    page.keyboard.press("Space")
    expect(page.locator(".split-help")).to_contain_text("1 of 5 chosen")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Space")
    page.keyboard.press("Space")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("t")
    page.keyboard.press("t")
    expect(page.locator(".splitting [aria-selected=true]")).to_have_count(0)
    page.keyboard.press("t")
    expect(page.locator(".splitting [aria-selected=true]")).to_have_count(2)
    page.keyboard.press("Enter")
    notice(page, "Split 2 of 5 mentions off “Zork”")
    heading(page, "Zork")
    expect(page.locator(".facts")).to_contain_text("Mentions3")
    sizes = {each.name: len(each.mentions) for each in reviewing.workspace.discoveries()}
    assert (sizes["Zork"], sizes["old Zork"]) == (3, 2)


def test_what_hangs_below_the_bottleneck_is_chosen_by_a_key(open_review: OpenReview) -> None:
    page = open_review()
    page.keyboard.press("s")
    page.keyboard.press("b")
    chosen = page.locator(".splitting [aria-selected=true] .said")
    expect(chosen.first).to_be_visible()
    assert set(chosen.all_inner_texts()) in ({"old Zork"}, {"Zork"})
    page.keyboard.press("Escape")
    expect(page.locator(".splitting")).to_have_count(0)


def test_unsure_waits_and_comes_back(open_review: OpenReview) -> None:
    page = open_review()
    page.keyboard.press("u")
    notice(page, "“Zork” waits among the unsure")
    heading(page, "Cinnamon")
    page.get_by_role("button", name="Unsure 1").click()
    heading(page, "Zork")
    page.keyboard.press("u")
    notice(page, "“Zork” is to be reviewed again")
    expect(page.locator(".nothing h1")).to_have_text("Nothing is marked as unsure")
    page.get_by_role("button", name="To review").click()
    heading(page, "Zork")
    page.keyboard.press("u")
    notice(page, "waits among the unsure")
    page.keyboard.press("z")
    notice(page, "Took back the mark")
    heading(page, "Zork")


def test_a_single_mention_cannot_be_split(open_review: OpenReview) -> None:
    page = open_review(at="review/new-000016")
    expect(page.get_by_role("button", name="Split S")).to_be_disabled()
    page.keyboard.press("s")
    notice(page, "There is one mention only")


def test_decisions_are_listed_and_undone_there(open_review: OpenReview, reviewing: Reviewing) -> None:
    page = open_review()
    page.locator("#author").fill("ada")
    page.keyboard.press("Enter")
    page.keyboard.press("x")
    notice(page, "Rejected “Zork”")
    page.keyboard.press("h")
    row = page.locator("tbody tr")
    expect(row).to_contain_text("Reject “Zork”")
    expect(row).to_contain_text("ada")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    expect(row).to_contain_text("undone by ada")
    assert not any(each.is_in_force for each in reviewing.workspace.decisions())
