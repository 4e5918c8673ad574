"""Windows counted word by word fit when the tokenizer reads them whole, whatever the script."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arborlink.document import Document, Mention
from arborlink.encoders.embedded import embedded_folder
from arborlink.encoders.towers import TokenCounter, add_markers
from arborlink.encoders.views import Markers, Windows

MARKERS = Markers()
WORDS = st.one_of(
    st.sampled_from(
        ["rat", "the", "fever", "IL-1β", "(n=12)", "anti-inflammatory", "naïve", "😀😀", "\u200b", "\x1c"]
    ),
    st.text(min_size=1, max_size=12),
    st.text(alphabet="abcdefghij", min_size=1, max_size=130),
    st.text(alphabet="東京都の天気ไทย각가ﷺ㌔", min_size=1, max_size=60),
)
TEXTS = st.lists(WORDS, min_size=1, max_size=60).flatmap(
    lambda words: st.sampled_from([" ", "  ", "\n", ""]).map(lambda blank: blank.join(words))
)


@pytest.fixture(scope="session")
def tokenizers(tiny_folder: Path, byte_pair_folder: Path) -> dict[str, Any]:
    """Tokenizers that know the markers."""
    from sentence_transformers import SentenceTransformer
    from transformers import AutoTokenizer

    found: dict[str, Any] = {}
    for name, folder in (("wordpiece", tiny_folder), ("byte pairs", byte_pair_folder)):
        model = SentenceTransformer(str(folder), device="cpu")
        add_markers(model, MARKERS)
        found[name] = model.tokenizer
    found["embedded"] = AutoTokenizer.from_pretrained(embedded_folder())
    found["embedded"].add_special_tokens({"extra_special_tokens": list(MARKERS.all)})
    return found


@settings(max_examples=250, deadline=None)
@given(data=st.data(), text=TEXTS, max_length=st.sampled_from([16, 24, 64, 128]))
def test_no_window_is_longer_than_the_limit(
    data: st.DataObject, text: str, max_length: int, tokenizers: dict[str, Any]
) -> None:
    name = data.draw(st.sampled_from(sorted(tokenizers)))
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, min(len(text), start + data.draw(st.sampled_from([5, 40, 2000])))))
    if not text[start:end].strip():
        return
    mention = Mention("m", start, end)
    window, ids = tokenized(tokenizers[name], Document("d", text, (mention,)), mention, max_length)
    assert len(ids) <= max_length, (name, window)
    for marker in (MARKERS.start, MARKERS.end):
        assert ids.count(tokenizers[name].convert_tokens_to_ids(marker)) == 1


def tokenized(tokenizer: Any, document: Document, mention: Mention, max_length: int) -> tuple[str, list[int]]:
    counter = TokenCounter(tokenizer)
    n_tokens = max_length - tokenizer.num_special_tokens_to_add() - counter.blanks_at(MARKERS)
    window = Windows(document, n_tokens, counter, MARKERS).of(mention)
    return window, tokenizer(window, verbose=False)["input_ids"]


@pytest.mark.parametrize("name", ["wordpiece", "byte pairs", "embedded"])
def test_windows_are_well_filled(name: str, tokenizers: dict[str, Any]) -> None:
    """Counting word by word must not waste the room it is careful about."""
    text = "the rat in the liver failure of the fever drug " * 40
    mention = Mention("m", text.index("drug", 900), text.index("drug", 900) + 4)
    _, ids = tokenized(tokenizers[name], Document("d", text, (mention,)), mention, 128)
    assert 110 <= len(ids) <= 128


@pytest.mark.parametrize("name", ["wordpiece", "byte pairs", "embedded"])
@pytest.mark.parametrize(
    "marked", ["a" * 10_000, "a " * 4_999 + "a", "é" * 10_000, "각" * 10_000, "東" * 10_000]
)
def test_mentions_of_ten_thousand_characters(name: str, marked: str, tokenizers: dict[str, Any]) -> None:
    text = f"the rat {marked} of the liver"
    mention = Mention("m", 8, 8 + len(marked))
    window, ids = tokenized(tokenizers[name], Document("d", text, (mention,)), mention, 64)
    assert len(ids) <= 64
    assert "the rat [START]" in window
    assert "[END] of" in window


def test_a_word_after_a_blank_may_be_longer(tokenizers: dict[str, Any]) -> None:
    """``fever`` alone is five bytes, after a blank four tokens; ``rat`` alone is one, after a blank two."""
    tokenizer = tokenizers["byte pairs"]
    counter = TokenCounter(tokenizer)
    assert [len(tokenizer(text, add_special_tokens=False)["input_ids"]) for text in ("rat", " rat")] == [1, 2]
    assert counter(["fever", "rat", "fever", ""]) == [4, 2, 4, 1]
    assert counter([]) == []


def test_blanks_before_markers_are_counted(tokenizers: dict[str, Any]) -> None:
    assert TokenCounter(tokenizers["wordpiece"]).blanks_at(MARKERS) == 0
    assert TokenCounter(tokenizers["byte pairs"]).blanks_at(MARKERS) == 2


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("rat02:0:มanti-inflammatoryratratratratratratanti-inflammatory", 0),
        ("rat02:มanti-inflammatoryratratratIL-1β", 15),
    ],
)
def test_a_word_that_goes_on_behind_a_sign_is_counted_so(
    text: str, start: int, tokenizers: dict[str, Any]
) -> None:
    mention = Mention("m", start, start + 1)
    _, ids = tokenized(tokenizers["embedded"], Document("d", text, (mention,)), mention, 24)
    assert len(ids) <= 24
