"""The report as people use it: open, search, page, look at a document and at a cluster, by mouse and by keyboard."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from report_worlds import Row, World, result_of, small_world, world_of

from arborlink.entity import Entity

OpenReport = Callable[..., Page]


@pytest.fixture
def world() -> World:
    return small_world()


def test_the_overview_counts_and_measures(open_report: OpenReport, world: World) -> None:
    page = open_report(*world, title="A small world")
    expect(page.locator("h1")).to_have_text("A small world")
    cards = dict(
        zip(
            page.locator(".cards:not(.figures) dt").all_inner_texts(),
            page.locator(".cards:not(.figures) .value").all_inner_texts(),
            strict=True,
        )
    )
    assert cards == {"Documents": "3", "Mentions": "7", "Linked": "5", "Discovered": "1"}
    expect(page.locator(".figures .card", has_text="Accuracy")).to_contain_text("80.0 %")
    expect(page.locator("table:not(.plain)")).to_contain_text("old Zork")
    page.get_by_text("All figures").click()
    expect(page.locator("table.plain")).to_contain_text("4 right of 5 linkable mentions")
    assert page.locator("svg.chart").count() == 2


def test_bars_add_up_and_are_told(open_report: OpenReport, world: World) -> None:
    page = open_report(*world)
    sizes, affinities = page.locator("svg.chart").all()
    labels = [each.get_attribute("aria-label") for each in sizes.locator(".bar").all()]
    assert labels == [
        "2 mentions: 1 discovered, 1 in the knowledge base",
        "3 mentions: 1 in the knowledge base",
    ]
    told = " ".join(each.get_attribute("aria-label") or "" for each in affinities.locator(".bar").all())
    numbers = [int(n) for n in re.findall(r"(\d+) hanging", told)]
    assert sum(numbers) == 6
    affinities.locator(".bar").first.focus()
    expect(page.locator("#tip")).to_contain_text("hanging from a mention")


def test_entities_are_searched_filtered_and_sorted(open_report: OpenReport, world: World) -> None:
    page = open_report(*world, at="entities")
    names = page.locator("tbody td:first-child a")
    assert names.all_inner_texts() == ["old Zork", "Ada Lovelace", "London"]
    page.get_by_role("button", name="Known").click()
    assert names.all_inner_texts() == ["Ada Lovelace", "London"]
    page.get_by_role("button", name="With errors").click()
    assert names.all_inner_texts() == ["London"]
    page.get_by_role("button", name="All").click()
    page.get_by_role("button", name="Mentions").click()
    assert names.all_inner_texts()[0] == "Ada Lovelace"
    page.keyboard.press("/")
    page.keyboard.type("countess")
    expect(names).to_have_text(["Ada Lovelace"])
    page.get_by_role("searchbox").fill("nobody at all")
    expect(page.locator(".empty")).to_have_text("No entity matches.")


def test_a_cluster_is_drawn_with_its_bottleneck(open_report: OpenReport, world: World) -> None:
    page = open_report(*world, at="entities")
    page.get_by_role("link", name="Ada Lovelace").click()
    expect(page.locator("h1")).to_have_text("Ada Lovelace")
    expect(page.locator(".node.root")).to_have_text("Ada Lovelace")
    assert page.locator(".node.mention").all_text_contents() == ["Ada Lovelace", "Ada", "Ada"]
    expect(page.locator("text.edge.bottleneck")).to_have_text("bottleneck 0.600")
    widths = [float(edge.get_attribute("stroke-width") or 0) for edge in page.locator("path.edge").all()]
    assert widths == sorted(widths, reverse=True)
    assert len(set(widths)) == 3
    expect(page.locator("main")).to_contain_text("Wrote the first program.")
    page.locator(".node.mention").nth(2).hover()
    tip = page.locator("#tip")
    expect(tip).to_contain_text("and Ada wrote.")
    expect(tip.locator(".path li")).to_have_text(
        ["Ada Lovelace", "0.950 Ada Lovelace", "0.800 Ada", "0.600 Ada ← bottleneck"]
    )
    expect(tip).to_contain_text("Runner-up: Ada, 0.400")


def test_the_tree_is_walked_by_keyboard(open_report: OpenReport, world: World) -> None:
    page = open_report(*world, at="entity/1")
    page.locator('.node[tabindex="0"]').focus()
    for key, focused in (("ArrowRight", "Ada Lovelace, affinity"), ("ArrowDown", "Ada, affinity 0.800")):
        page.keyboard.press(key)
        assert (page.evaluate("document.activeElement.ariaLabel") or "").startswith(focused)
    expect(page.locator("#tip")).to_contain_text("Ada knew")
    page.keyboard.press("Escape")
    expect(page.locator("#tip")).to_be_hidden()
    page.keyboard.press("Enter")
    expect(page.locator("mark.asked")).to_have_text("Ada")
    assert page.evaluate("document.activeElement.tagName") == "MARK"
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text("Ada Lovelace")
    page.keyboard.press("p")
    expect(page.locator("h1")).to_contain_text("old Zork")


def test_a_discovered_cluster_hangs_from_a_new_entity(open_report: OpenReport, world: World) -> None:
    page = open_report(*world, at="entity/0")
    expect(page.locator("h1 .badge")).to_have_text("new")
    expect(page.locator(".node.root.new")).to_have_text("old Zork")
    assert page.locator("path.edge.unmeasured").count() == 1
    assert page.locator("text.edge").all_text_contents() == ["0.700"]


def test_like_leaves_are_one_node_until_opened(open_report: OpenReport) -> None:
    rows = [Row("d", "cat", None, "E", 0, 0.5 + number / 10, "E") for number in range(5)]
    page = open_report(*world_of({"d": "cat " * 5}, rows, [Entity("E", "the cat")]), at="entity/0")
    assert page.locator(".node.mention").all_text_contents() == ["cat × 4", "cat"]
    expect(page.locator("text.edge").first).to_have_text("0.600 to 0.900")
    page.locator(".node.group").click()
    expect(page.locator(".node.mention")).to_have_count(5)


def test_documents_are_searched_and_their_mentions_marked(open_report: OpenReport, world: World) -> None:
    page = open_report(*world, at="documents")
    page.get_by_role("searchbox").fill("knew ada lovelace")
    expect(page.locator("tbody tr")).to_have_count(1)
    page.locator("tbody a").click()
    text = page.locator("article.text")
    assert text.inner_text() == "Ada knew 😀 old Zork 😀, and Ada wrote."
    assert page.locator("mark").all_inner_texts() == ["Ada", "old Zork", "Ada"]
    assert page.locator("mark.new").all_inner_texts() == ["old Zork"]
    style = "e => [getComputedStyle(e).borderTopStyle, getComputedStyle(e).backgroundColor]"
    plain, new, again = [mark.evaluate(style) for mark in page.locator("mark").all()]
    assert new[0] == "dashed"
    assert plain[0] == "none"
    assert plain[1] == again[1] != new[1]
    assert page.locator("aside li a").all_inner_texts() == ["old Zork", "Ada Lovelace"]
    page.locator("mark").nth(1).focus()
    expect(page.locator("#tip")).to_contain_text("Nearest known entity: London, 0.400")
    page.get_by_role("link", name="Next document").click()
    expect(page.locator("mark.wrong-mark")).to_have_text("London")
    page.locator("mark").hover()
    expect(page.locator("#tip")).to_contain_text("✗ labelled Ada")


def test_nested_and_crossing_mentions_are_all_marked(open_report: OpenReport) -> None:
    from arborlink.corpus import Corpus
    from arborlink.document import Document, Mention

    spans = {"outer": (0, 13), "inner": (0, 5), "crossing": (6, 24)}
    text = "liver failure of kidneys here"
    world = small_world()
    links = [
        world.result.links[0].__class__.from_dict(
            world.result.links[0].to_dict()
            | {"document": "d", "mention": id_, "start": start, "end": end, "text": text[start:end]}
            | {"cluster": number}
        )
        for number, (id_, (start, end)) in enumerate(spans.items())
    ]
    corpus = Corpus([Document("d", text, tuple(Mention(id_, *span) for id_, span in spans.items()))])
    page = open_report(result_of(links), corpus, at="document/0")
    assert page.locator("article.text").inner_text() == text
    parts: dict[str, str] = {}
    for mark in page.locator("mark").all():
        number = mark.get_attribute("data-mention") or ""
        parts[number] = parts.get(number, "") + mark.inner_text()
    assert list(parts.values()) == ["liver failure", "liver", "failure of kidneys"]


def test_a_result_without_documents_shows_what_mentions_say(open_report: OpenReport, world: World) -> None:
    page = open_report(world.result, at="document/1")
    expect(page.locator("article")).to_contain_text("made without the documents")
    assert page.locator("mark").all_inner_texts() == ["Ada", "old Zork", "Ada"]
    assert page.locator(".figures").count() == 0


def test_the_page_says_how_the_result_was_made(open_report: OpenReport) -> None:
    page = open_report(result_of([]))
    expect(page.locator("main")).to_contain_text(
        "Linked by directed inference, 1 neighbour, threshold 0.500, model a/model."
    )
    fingerprint = f"{'0f' * 12}+shared-words-0.4"
    page = open_report(
        result_of([], model=fingerprint, detour=0.15, name_share=0.3, shared_words=0.4, by_type=True)
    )
    expect(page.locator("main")).to_contain_text(
        "Linked by directed inference, 1 neighbour, threshold 0.500, detour 0.15, share of names 0.3, "
        "shared words 0.4, by type."
    )


def test_an_empty_result_says_so_everywhere(open_report: OpenReport) -> None:
    page = open_report(result_of([], threshold=None))
    expect(page.locator("main")).to_contain_text(
        "Nothing was discovered. The result was made without a threshold"
    )
    expect(page.locator("main")).to_contain_text("There is nothing to count.")
    for tab, words in {
        "Entities": "so there is no entity",
        "Documents": "The result has no documents.",
    }.items():
        page.get_by_role("link", name=tab, exact=True).click()
        expect(page.locator(".empty")).to_contain_text(words)
    page.goto(f"{page.url.split('#')[0]}#/entity/7")
    expect(page.locator("h1")).to_have_text("Nothing here")


def curve(mode: str, **columns: list[Any]) -> dict[str, Any]:
    share = [0.2, 0.9, 0.6]
    names = ("nmi_ari_mean", "nil_precision", "nil_recall", "nil_f1", "accuracy")
    usual: dict[str, Any] = {key: [None, *share] for key in names}
    counts = {"n_discovered": [9, 5, 2, 1], "threshold": [None, 0.9, 0.55, 0.3]}
    return {"mode": mode, "neighbours": 1, "is_exact": True, **usual, **counts, **columns}


def test_the_curve_marks_what_was_chosen(open_report: OpenReport, world: World) -> None:
    chosen = {"mode": "directed", "neighbours": 1, "threshold": 0.55}
    tuning = {
        "version": 1,
        "aim": "nmi-ari",
        "chosen": chosen,
        "curves": [curve("minimax"), curve("directed")],
    }
    page = open_report(*world, tuning=tuning)
    chart = page.locator("svg.chart", has=page.locator(".curve"))
    assert chart.locator(".threshold").all_text_contents() == ["chosen λ 0.550", "this result 0.500"]
    assert page.locator("select option:checked").inner_text() == "directed, 1 neighbour"
    chart.locator(".reader").focus()
    expect(page.locator("output")).to_contain_text("λ 0.550 · mean of NMI and ARI 90.0 %")
    page.keyboard.press("ArrowLeft")
    expect(page.locator("output")).to_contain_text("λ 0.300")
    page.locator("select").select_option(label="minimax, 1 neighbour")
    assert chart.locator(".threshold").count() == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_from_its_ground(open_report: OpenReport, world: World, scheme: str) -> None:
    page = open_report(*world, at="document/1", page={"color_scheme": scheme})
    ratios = page.evaluate(
        """() => {
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
          };
          return [...document.querySelectorAll("main *, header *")].filter((e) => e.innerText?.trim()).map((e) => {
            const [a, b] = [light(rgb(getComputedStyle(e).color)), light(ground(e))];
            return [(Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), e.outerHTML.slice(0, 80)];
          });
        }"""
    )
    assert len(ratios) > 20
    assert min(ratios)[0] >= 4.5, min(ratios)
