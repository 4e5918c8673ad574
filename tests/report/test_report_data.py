"""What goes into the page: columns, offsets, verdicts, curves, packing."""

from __future__ import annotations

import gzip
import json
from base64 import b64decode
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from report_worlds import ENTITIES, ROWS, TEXTS, Row, result_of, small_world, world_of

from arborlink.corpus import Corpus
from arborlink.document import Document, Mention
from arborlink.errors import InputError
from arborlink.knowledge_base import KnowledgeBase
from arborlink.report import asset, joined_modules, read_curves, report_page
from arborlink.report.offsets import utf16_offsets
from arborlink.report.page import fill, packed


def data_in(page: str) -> dict[str, Any]:
    """The data of a page, unpacked as a browser does it."""
    block = page.split('id="data">')[1].split("</script>")[0]
    unpacked: dict[str, Any] = json.loads(gzip.decompress(b64decode(block)))
    return unpacked


@given(st.text(), st.data())
def test_offsets_are_those_of_utf16(text: str, data: st.DataObject) -> None:
    offsets = data.draw(st.lists(st.integers(0, len(text))))
    found = utf16_offsets(text, offsets)
    units = text.encode("utf-16-le", "surrogatepass")
    assert [units[: 2 * offset].decode("utf-16-le", "surrogatepass") for offset in found] == [
        text[:offset] for offset in offsets
    ]


def test_columns_point_at_each_other() -> None:
    data = data_in(report_page(*small_world()))
    mentions, clusters = data["mentions"], data["clusters"]
    assert clusters["name"] == ["old Zork", "Ada Lovelace", "London"]
    assert clusters["entity"] == [None, "Q1", "Q2"]
    assert data["documents"]["n_mentions"] == [3, 3, 1]
    assert mentions["cluster"] == [1, 2, 0, 1, 0, 1, 2]
    assert mentions["parent"] == [-1, -1, -2, 0, 2, 3, 1]
    assert mentions["affinity"] == [0.95, 1.0, None, 0.8, 0.7, 0.6, 0.9]
    near = [None if number < 0 else data["near_names"][number] for number in mentions["near"]]
    assert near == ["Ada", None, "London", "Ada", "London", "Ada", "Ada Lovelace"]
    says = [row.says for row in ROWS]
    units = [data["documents"]["text"][number].encode("utf-16-le") for number in (0, 0, 0, 1, 1, 1, 2)]
    places = zip(units, mentions["start"], mentions["end"], strict=True)
    assert [text[2 * start : 2 * end].decode("utf-16-le") for text, start, end in places] == says


def test_without_documents_the_mentions_bring_their_words() -> None:
    data = data_in(report_page(small_world().result))
    assert data["documents"]["text"] is None
    assert data["mentions"]["text"] == [row.says for row in ROWS]
    assert "start" not in data["mentions"]
    assert data["evaluation"] is None


def test_verdicts_say_what_the_labels_say() -> None:
    rows = [
        Row("d1", "Ada Lovelace", ("Q1",), "Q1", 0, 0.9, "Q1"),  # right
        Row("d1", "London", ("Q3", "Q1", "x", "y"), "Q2", 1, 0.9, "Q2"),  # wrong
        Row("d1", "Zork", ("Q1",), None, 2, None, None),  # missed
        Row("d2", "Ada", (), None, 3, None, None),  # rightly none
        Row("d2", "old Zork", ("N1",), "Q1", 0, 0.9, "Q1"),  # should have been none
        Row("d2", "Ada", None, "Q1", 0, 0.9, "Q1"),  # not labelled
        Row("d3", "London", (), "Q1", 0, 0.9, "Q1"),
    ]
    mentions = data_in(report_page(*world_of(TEXTS, rows, ENTITIES)))["mentions"]
    assert mentions["verdict"] == [1, 2, 3, 1, 2, 0, 2]
    assert mentions["gold"] == [
        "",
        "Ada or Ada Lovelace or x (not in the knowledge base) or others",
        "Ada Lovelace",
        "",
        "N1 (not in the knowledge base)",
        "",
        "nothing in the knowledge base",
    ]


def test_namesakes_are_told_apart_by_their_ids() -> None:
    entities = [ENTITIES[0], type(ENTITIES[0])("Q9", "Ada Lovelace")]
    world = world_of({"d": "Ada"}, [Row("d", "Ada", ("Q9",), "Q1", 0, 0.9, "Q1")], entities)
    assert data_in(report_page(*world))["mentions"]["gold"] == ["Ada Lovelace (Q9)"]


def test_labels_need_the_knowledge_base() -> None:
    result, corpus, _ = small_world()
    assert data_in(report_page(result, corpus))["labels_unused"] is True
    plain = Corpus(
        Document(each.id, each.text, tuple(Mention(m.id, m.start, m.end) for m in each.mentions))
        for each in corpus
    )
    assert data_in(report_page(result, plain))["labels_unused"] is False


def test_other_documents_are_refused() -> None:
    result, corpus, kb = small_world()
    with pytest.raises(InputError, match=r"mention 'd2\.0' of the result is not in the documents"):
        report_page(result, Corpus(corpus.documents[:1]), kb)
    shifted = Corpus(
        Document(each.id, each.text, tuple(Mention(m.id, m.start, m.end - 1) for m in each.mentions))
        for each in corpus
    )
    with pytest.raises(
        InputError, match="says 'Ada Lovelac' in the documents and said 'Ada Lovelace' when it was"
    ):
        report_page(result, shifted, kb)


def test_another_knowledge_base_is_refused() -> None:
    result, corpus, _ = small_world()
    with pytest.raises(InputError, match="which this KB lacks"):
        report_page(result, corpus, KnowledgeBase(ENTITIES[1:]))


def test_equal_input_gives_equal_pages() -> None:
    assert report_page(*small_world()) == report_page(*small_world())


def test_half_a_character_does_not_stop_a_report() -> None:
    world = world_of({"d": "a \ud800 Ada"}, [Row("d", "Ada", None, "Q1", 0, 0.9, "Q1")], ENTITIES)
    data = data_in(report_page(*world))
    assert data["documents"]["text"] == ["a ? Ada"]
    assert data["mentions"]["start"] == [4]


@given(st.dictionaries(st.text(max_size=5), st.text(max_size=20)))
def test_packed_data_are_harmless_and_come_back(data: dict[str, str]) -> None:
    from hypothesis import assume

    assume(not any("\ud800" <= sign <= "\udfff" for text in (*data, *data.values()) for sign in text))
    block = packed(data)
    assert block.isascii()
    assert not set(block) & set("<>&\"'")
    assert json.loads(gzip.decompress(b64decode(block))) == data


def test_a_template_is_filled_once() -> None:
    assert fill("a{{x}}b{{ y }}c", {"x": "{{y}}", "y": "}}{{"}) == "a{{y}}b}}{{c"


def test_modules_are_joined_each_once_after_what_they_import() -> None:
    script = joined_modules("report.js")
    assert script.count("function affinityText(") == 1
    assert script.index("function svg(") < script.index("class Drawing") < script.index("start();")
    lines = script.splitlines()
    assert not [line for line in lines if line.startswith(("import", "export"))]
    assert asset("arborescence.js").startswith("// The arborescence of a cluster as a drawing")


def tuning(**changes: Any) -> dict[str, Any]:
    names = ("nmi_ari_mean", "nil_precision", "nil_recall", "nil_f1", "accuracy", "n_discovered")
    curve = {"mode": "directed", "neighbours": 1, "is_exact": True, "threshold": [None, 0.5]}
    curves = [curve | {key: [None, 1] for key in names}]
    chosen = {"mode": "directed", "neighbours": 1, "threshold": 0.5}
    return {"version": 1, "aim": "nmi-ari", "chosen": chosen, "curves": curves} | changes


def test_curves_are_read_and_lose_their_first_point(tmp_path: Path) -> None:
    (tmp_path / "curve.json").write_text(json.dumps(tuning()), encoding="utf-8")
    world = small_world()
    data = data_in(report_page(*world, tuning=read_curves(tmp_path / "curve.json")))
    (curve,) = data["curves"]["curves"]
    assert (curve["threshold"], curve["accuracy"], curve["is_exact"]) == ([0.5], [1], True)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "not JSON"),
        ("[]", "holds no threshold curves; give the file that `arborlink tune --output` wrote"),
        (json.dumps(tuning(version=9)), "curves of version 9, but this ArborLink reads version 1"),
        (json.dumps(tuning(chosen={})), "curves that lack something"),
        (json.dumps(tuning(curves=[{"mode": "x"}])), "curves that lack something"),
        (json.dumps(tuning(curves=[tuning()["curves"][0] | {"accuracy": []}])), "not of one length"),
    ],
)
def test_what_is_no_curve_is_told(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "curve.json").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=rf"curve\.json: .*{message}"):
        read_curves(tmp_path / "curve.json")


def test_an_empty_result_makes_a_page() -> None:
    data = data_in(report_page(result_of([])))
    assert data["clusters"]["name"] == []
    assert data["mentions"]["id"] == []
