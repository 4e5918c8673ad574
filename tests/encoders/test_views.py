"""Windows and entity texts, cut with a tokenizer simple enough to reckon with: four characters a token."""

from __future__ import annotations

import time
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arborlink.document import Document, Mention
from arborlink.encoders.views import Markers, Windows, entity_view, mention_view, name_views
from arborlink.entity import Entity

MARKERS = Markers()


def fours(words: Sequence[str]) -> list[int]:
    return [-(-len(word) // 4) for word in words]


def ones(words: Sequence[str]) -> list[int]:
    return [1] * len(words)


def view(text: str, marked: str, n_tokens: int, occurrence: int = 0) -> str:
    start = -1
    for _ in range(occurrence + 1):
        start = text.index(marked, start + 1)
    mention = Mention("m", start, start + len(marked))
    return mention_view(Document("d", text, (mention,)), mention, n_tokens, fours, MARKERS)


def numbered(n_words: int) -> str:
    return " ".join(f"w{number:03}" for number in range(n_words))


def sides(window: str) -> tuple[list[str], list[str], list[str]]:
    left, _, rest = window.partition(MARKERS.start)
    span, _, right = rest.partition(MARKERS.end)
    return left.split(), span.split(), right.split()


def test_a_short_document_is_shown_whole() -> None:
    assert view("the rat had a fever", "rat", 50) == "the [START] rat [END] had a fever"


def test_the_window_is_centred() -> None:
    left, span, right = sides(view(numbered(100), "w050", 23))
    assert span == ["w050"]
    assert left == [f"w{number:03}" for number in range(40, 50)]
    assert right == [f"w{number:03}" for number in range(51, 61)]


@pytest.mark.parametrize(
    ("marked", "n_left", "n_right"),
    [("w000", 0, 20), ("w003", 3, 17), ("w009", 9, 11), ("w095", 16, 4), ("w099", 20, 0)],
)
def test_what_one_side_does_not_need_goes_to_the_other(marked: str, n_left: int, n_right: int) -> None:
    left, _, right = sides(view(numbered(100), marked, 23))
    assert (len(left), len(right)) == (n_left, n_right)


def test_a_word_that_does_not_fit_ends_its_side_only() -> None:
    text = f"{numbered(30)} {'x' * 400} mark {numbered(30)}"
    left, _, right = sides(view(text, "mark", 23))
    assert left == []
    assert len(right) == 20


def test_blanks_of_any_kind_become_one() -> None:
    assert (
        view("the\n\n rat\u3000had\t\ta\xa0fever ", "rat\u3000had", 50) == "the [START] rat had [END] a fever"
    )


def test_a_mention_inside_a_word() -> None:
    assert view("an anti-IDM-like effect", "IDM", 50) == "an anti- [START] IDM [END] -like effect"
    assert view(f"a{'b' * 7}IDM{'c' * 7} d", "IDM", 50) == "abbbbbbb [START] IDM [END] ccccccc d"


def test_pieces_of_a_cut_word_are_counted_by_themselves() -> None:
    """Three tokens of room: the piece left of the mention takes one, though the word as a whole takes eleven."""
    text = f"bbbbIDM{'c' * 40} dd"
    left, _, right = sides(view(text, "IDM", 6))
    assert left == ["bbbb"]
    assert right == []
    left, _, right = sides(view(f"dd {'c' * 40}IDMbbbb", "IDM", 6))
    assert left == []
    assert right == ["bbbb"]


def test_a_mention_may_fill_three_quarters_of_the_window() -> None:
    text = f"before {numbered(15)} after"
    left, span, right = sides(view(text, numbered(15), 22))
    assert len(span) == 15
    assert left == ["before"]
    assert right == ["after"]


def test_a_longer_mention_keeps_its_beginning_and_its_end() -> None:
    text = f"before {numbered(40)} after"
    left, span, right = sides(view(text, numbered(40), 22))
    assert span == [f"w{number:03}" for number in (*range(8), *range(33, 40))]
    assert left == ["before"]
    assert right == ["after"]


def test_a_very_long_mention_of_many_words() -> None:
    words = " ".join(["abcd"] * 2000)
    _, span, right = sides(view(f"x {words} y", words, 42))
    assert span == ["abcd"] * 30
    assert right == ["y"]


def test_a_very_long_mention_of_one_word_keeps_its_first_characters() -> None:
    left, span, right = sides(view(f"x {'a' * 10_000} y", "a" * 10_000, 42))
    assert span == ["a" * 120]  # 30 of 40 tokens
    assert left == ["x"]
    assert right == ["y"]


def test_a_long_first_word_is_cut_and_the_end_is_kept() -> None:
    marked = f"{'a' * 10_000} tail end"
    _, span, _ = sides(view(f"x {marked} y", marked, 42))
    assert span == ["a" * 60, "tail", "end"]


@pytest.mark.parametrize("n_tokens", [-5, 0, 1, 2, 3])
def test_a_window_too_small_still_shows_some_of_the_mention(n_tokens: int) -> None:
    assert view("the fever was high", "fever", n_tokens) == "[START] feve [END]"


def test_scripts_without_blanks_have_context_too() -> None:
    text = "东" * 300 + "发热" + "西" * 300
    start = text.index("发")
    mention = Mention("m", start, start + 2)
    window = mention_view(Document("d", text, (mention,)), mention, 24, ones, MARKERS)
    assert window == f"{'东' * 10} [START] 发热 [END] {'西' * 10}"


def test_the_text_between_words_is_kept_as_it_is() -> None:
    text = "抗IL2受体 antibody、発熱"
    assert view(text, "antibody", 50) == "抗IL2受体 [START] antibody [END] 、発熱"


def test_markers_in_the_text_are_defused() -> None:
    text = "say [START] or [END] or [TITLE] and rat [START]rat[END] [START"
    window = view(text, "rat", 50)
    assert window == "say START] or END] or TITLE] and [START] rat [END] START]rat END] [START"
    assert view(text, "[START]rat", 50).count("[START]") == 1


def test_own_markers_are_used() -> None:
    markers = Markers("<m>", "</m>", "<t>")
    mention = Mention("m", 4, 7)
    window = mention_view(Document("d", "the rat ran"), mention, 9, fours, markers)
    assert window == "the <m> rat </m> ran"
    assert markers.all == ("<m>", "</m>", "<t>")
    assert entity_view(Entity("Q", "rat", types=("animal",)), markers) == "rat <t> animal"


@given(
    text=st.text(alphabet=st.sampled_from("ab, \n東ไé😀[START]"), min_size=1, max_size=150),
    data=st.data(),
    n_tokens=st.integers(3, 40),
)
def test_any_window_is_the_mention_between_markers_and_its_neighbourhood(
    text: str, data: st.DataObject, n_tokens: int
) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    if not text[start:end].strip():
        return
    mention = Mention("m", start, end)
    window = Windows(Document("d", text, (mention,)), n_tokens, fours, MARKERS).of(mention)
    assert window.count(MARKERS.start) == window.count(MARKERS.end) == 1
    left, _, rest = window.partition(MARKERS.start)
    span, _, right = rest.partition(MARKERS.end)
    plain = text.replace(MARKERS.start, f" {MARKERS.start[1:]}")
    assert " ".join(plain[:start].split()).endswith(left.strip())
    assert " ".join(plain[end:].split()).startswith(right.strip())
    if sum(fours(plain[start:end].split())) <= (n_tokens - 2) // 2 and not set("東ไ") & set(plain[start:end]):
        assert span.split() == plain[start:end].split()


def test_windows_of_one_document_count_its_words_once() -> None:
    asked: list[int] = []

    def counted(words: Sequence[str]) -> list[int]:
        asked.append(len(words))
        return fours(words)

    text = numbered(2000)
    mentions = tuple(Mention(f"m{number}", 5 * number, 5 * number + 4) for number in range(500))
    windows = Windows(Document("d", text, mentions), 30, counted, MARKERS)
    shown = [windows.of(mention) for mention in mentions]
    assert len(set(shown)) == 500
    assert sum(asked) == 2000 + 500


def test_a_document_of_a_million_characters_is_fast() -> None:
    text = "lorem ipsum " * 83_334
    mentions = tuple(Mention(f"m{number}", 12 * number, 12 * number + 5) for number in range(0, 80_000, 40))
    start = time.perf_counter()
    windows = Windows(Document("d", text, mentions), 128, fours, MARKERS)
    shown = [windows.of(mention) for mention in mentions]
    assert time.perf_counter() - start < 5
    assert all(
        sum(fours(window.replace("[START]", "x").replace("[END]", "x").split())) <= 128 for window in shown
    )


@pytest.mark.parametrize(
    ("entity", "expected"),
    [
        (Entity("Q", "rat"), "rat [TITLE]"),
        (Entity("Q", "rat", description="a rodent"), "rat [TITLE] a rodent"),
        (Entity("Q", "rat", ("Rattus", " ", "rat"), "a\n rodent", ("animal", "pest")),
         "rat [TITLE] Rattus ; animal ; pest ; a rodent"),
        (Entity("Q", " brown \n rat ", ("Norway  rat",)), "brown rat [TITLE] Norway rat"),
        (Entity("Q", "the [TITLE] of", description="[START] x"), "the TITLE] of [TITLE] START] x"),
    ],
)  # fmt: skip
def test_entity_texts(entity: Entity, expected: str) -> None:
    assert entity_view(entity, MARKERS) == expected


@pytest.mark.parametrize(
    ("entity", "expected"),
    [
        (Entity("Q", "rat"), ["rat [TITLE]"]),
        (Entity("Q", "rat", ("Rattus", " ", "rat"), "a\n rodent", ("animal",)),
         ["rat [TITLE] animal ; a rodent", "Rattus [TITLE] animal ; a rodent"]),
        (Entity("Q", "brown rat", ("brown  rat", "[TITLE]")), ["brown rat [TITLE]", "TITLE] [TITLE]"]),
    ],
)  # fmt: skip
def test_a_text_for_each_name(entity: Entity, expected: list[str]) -> None:
    assert name_views(entity, MARKERS) == expected
    assert all(len(text) <= 20 for text in name_views(entity, MARKERS, max_characters=20))


def test_a_long_description_is_cut() -> None:
    shown = entity_view(Entity("Q", "rat", description="word " * 10_000), MARKERS)
    assert shown.startswith("rat [TITLE] word word")
    assert 1990 <= len(shown) <= 2000


@pytest.mark.parametrize("length", [1985, 1990, 1992, 1993, 1995, 2000, 50_000])
def test_a_long_name_leaves_room_for_its_marker(length: int) -> None:
    shown = entity_view(Entity("Q", "n" * length, description="d" * 50), MARKERS)
    assert len(shown) <= 2000
    assert shown.count("[TITLE]") == 1
    assert shown.startswith("n" * 1985)
