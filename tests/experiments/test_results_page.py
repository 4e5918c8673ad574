"""The page of results: made of JSON alone, honest about what is not there, and the one in docs is up to date."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from itertools import takewhile
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from arborlink.errors import InputError
from arborlink.experiments.page import write_page
from arborlink.experiments.pictures import draw_all
from arborlink.experiments.results import ResultFile, read_results
from arborlink.experiments.tables import results_page
from arborlink.experiments.tables.rows import ROWS, rows_of

RunCommand = Callable[..., Any]
ROOT = Path(__file__).parents[2]
N_DOCUMENTS = 30


def discovered(mean: float) -> dict[str, Any]:
    draws = np.random.default_rng(1).normal(mean, 0.01, 1000)
    methods = {
        name: {
            "k": 1,
            "threshold": 0.5,
            "dev_mean": 0.6 + 0.01 * place,
            "nmi": mean + 0.1,
            "ari": mean - 0.1,
            "mean": mean,
            "draws": [round(value / 1e-5) for value in draws],
            "nil_f1": 0.4,
            "accuracy": 0.3,
        }
        for place, name in enumerate(("no_entities", "undirected", "directed", "minimax"))
    }
    curve = {"threshold": [None, 0.9, 0.5, 0.1], "nmi_ari_mean": [0.1, 0.4, 0.6, 0.2]}
    return {"counts": {"mentions": 90}, "methods": methods, "dev_curves": dict.fromkeys(methods, curve)}


def made_up(
    run: str, row: str, rates: list[float], seed: int = 0, limit: int | None = None
) -> dict[str, Any]:
    """A result on medmentions: so many right of three in each document, for independent and for directed."""
    draw = np.random.default_rng(seed)
    right = {
        mode: {"all": draw.binomial(3, rate, N_DOCUMENTS).tolist()}
        for mode, rate in zip(("independent", "directed"), rates, strict=True)
    }
    modes = {
        mode: {
            "k": 0 if mode == "independent" else 2,
            "dev_accuracy": 0.5,
            "accuracy": {"all": sum(own["all"]) / (3 * N_DOCUMENTS), "seen": 0.9, "unseen": None},
            "partition_seconds": 0.5,
        }
        for mode, own in right.items()
    }
    linking = {
        "mode": "directed",
        "modes": modes,
        "recall": {"at": 64, "share": {"all": 0.95, "unseen": 0.9}},
        "documents": {"fingerprint": "f", "linkable": {"all": [3] * N_DOCUMENTS}, "right": right},
    }
    counts = {
        "documents": 30,
        "mentions": 90,
        "linkable": 80,
        "outside": 10,
        "entities": 1234,
        "zero_shot": 5,
        "kb": 99,
    }
    return {
        "version": 1,
        "run": run,
        "row": row,
        "seed": seed,
        "limit": limit,
        "experiment": {},
        "training": {"seconds": {"training": 90.0 + seed}},
        "provenance": {
            "commit": "feed",
            "command": "arborlink experiment run x.toml",
            "machine": {"accelerator": "a GPU", "cores": 2},
        },
        "data": {"medmentions": {"statistics": {"test": counts}}},
        "evaluation": {
            "medmentions": {
                "linking": linking,
                "seconds": {"encode_mentions": 1.0, "search": 2.0},
                "hidden": discovered(0.7 if row == "knn" else 0.8),
                "missing": discovered(0.75),
            }
        },
    }


def lines_of(page: str, heading: str) -> list[list[str]]:
    """The cells of the first table below a heading, without its own head."""
    below = page.split(f"{heading}\n", 1)[1].splitlines()
    first = next(place for place, line in enumerate(below) if line.startswith("|"))
    rows = takewhile(lambda line: line.startswith("|"), below[first + 2 :])
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]


def n_right(rates: list[float], seed: int) -> int:
    """Mentions that the made-up run links rightly in the mode it chose."""
    linking = made_up("", "", rates, seed)["evaluation"]["medmentions"]["linking"]
    return sum(linking["documents"]["right"]["directed"]["all"])


@pytest.fixture
def results(tmp_path: Path) -> Path:
    for result in (
        made_up("m-knn", "knn", [0.5, 0.5]),
        made_up("m-joint", "joint", [0.6, 0.95]),
        made_up("m-joint", "joint", [0.6, 0.93], seed=1),
        made_up("m-trial", "arborescence", [0.1, 0.1], limit=5),
    ):
        ResultFile(tmp_path / "results", result["run"], result["seed"]).write(result)
    return tmp_path / "results"


def test_rows_with_examples_of_dev_are_told() -> None:
    plain, own = made_up("m-knn", "knn", [0.5, 0.5]), made_up("m-joint", "joint", [0.6, 0.9])
    assert "Rows with examples of" not in results_page([plain, own], "x")
    own["experiment"] = {"dev_examples": True}
    assert "Rows with examples of joint: on test the labelled mentions of dev" in results_page(
        [plain, own], "x"
    )


def test_what_is_owed_to_the_order_of_the_file_is_told() -> None:
    plain, own = made_up("m-knn", "knn", [0.5, 0.5]), made_up("m-joint", "joint", [0.6, 0.9])
    heading = "those that were measured before this was:"
    plain["evaluation"]["medmentions"]["linking"]["ties"] = None  # as after a re-ranker
    assert heading not in results_page([plain, own], "x")
    ties = {"share": 0.25, "file_order": 0.6, "any_order": 0.5251}
    own["evaluation"]["medmentions"]["linking"]["ties"] = ties
    assert lines_of(results_page([plain, own], "x"), heading) == [["joint", "25.0", "60.0", "52.5"]]


def test_shares_of_names_that_dev_chose_are_told() -> None:
    plain = made_up("m-knn", "knn", [0.5, 0.5])
    own, other = (made_up("m-joint", "joint", [0.6, 0.9], seed) for seed in (0, 1))
    assert "Shares of names" not in results_page([plain, own], "x")
    for result, share in ((own, 0.1), (other, 0.3)):
        figures = result["evaluation"]["medmentions"]
        figures["name_share"] = {"share": share, "dev_accuracy": {"0.1": 0.5, "0.3": 0.5}}
        figures["examples"] = {"linking": figures["linking"], "name_share": {"share": 0.2}}
    told = (
        "Shares of names beside towers that dev chose: medmentions, joint 0.1 and 0.3; "
        "medmentions, joint + examples 0.2."
    )
    assert told in results_page([plain, own, other], "x")


@pytest.mark.parametrize("row", ["knn", "a model that has a long name, and more + examples + re-ranker"])
def test_no_label_runs_off_a_picture(row: str) -> None:
    drawn = draw_all([made_up("m-own", row, [0.6, 0.9])])
    svg = ElementTree.fromstring(drawn["results-medmentions-accuracy.svg"][1])
    width = float(svg.attrib["viewBox"].split()[2])
    labels = [each for each in svg.iter() if each.text == f"{row}, directed"]
    assert len(labels) == 1
    assert float(labels[0].attrib["x"]) - 6.5 * len(str(labels[0].text)) >= 0
    assert labels[0].attrib["text-anchor"] == "end"
    points = [float(each.attrib["cx"]) for each in svg.iter() if each.tag.endswith("circle")]
    assert all(float(labels[0].attrib["x"]) < point < width for point in points)


def test_a_result_is_read_as_it_was_written(results: Path) -> None:
    expected = json.loads(json.dumps(made_up("m-knn", "knn", [0.5, 0.5])))
    found = next(result for result in read_results(results) if result["run"] == "m-knn")
    assert (
        found["evaluation"]["medmentions"]["linking"]["documents"]
        == (expected["evaluation"]["medmentions"]["linking"]["documents"])
    )
    assert [(each["run"], each["seed"]) for each in read_results(results)][:2] == [
        ("m-joint", 0),
        ("m-joint", 1),
    ]
    assert len((results / "m-knn-seed0.json").read_text().splitlines()) > 20


def test_every_row_is_there_and_says_if_it_was_not_run(results: Path) -> None:
    page = results_page(read_results(results), "command")
    table = lines_of(page, "### medmentions")
    assert [row[0] for row in table] == [
        name for name in ROWS for _ in range(2 if name in ("knn", "joint") else 1)
    ]
    assert {row[1] for row in table if row[0] not in ("knn", "joint")} == {"not run"}
    chosen = next(row for row in table if row[:2] == ["joint", "directed*"])
    assert (chosen[2], chosen[5], chosen[6]) == ("2", "–", "0, 1")
    right = n_right([0.6, 0.95], 0) + n_right([0.6, 0.93], 1)
    assert chosen[3].startswith(f"{100 * right / (2 * 3 * N_DOCUMENTS):.1f} (")
    assert [row[1] for row in lines_of(page, "### wikis")] == ["not run"] * len(ROWS)


def test_differences_are_of_pairs_and_bold_where_they_are_clear(results: Path) -> None:
    page = results_page(read_results(results), "command")
    of_linking = page.split("Differences, in points:\n", 1)[1]
    joint = next(line for line in of_linking.splitlines() if line.startswith("| joint |"))
    assert re.search(r"\| not run \| not run \| \*\*\+\d+\.\d\*\* \(\+\d+\.\d to \+\d+\.\d\) \|$", joint)
    of_discovery = page.split("medmentions, hidden entities\n", 1)[1]
    joint = next(
        line for line in of_discovery.split("Differences:")[1].splitlines() if line.startswith("| joint")
    )
    assert "**+0.100** (+0.100 to +0.100)" in joint


def test_times_stand_beside_the_papers(results: Path) -> None:
    page = results_page(read_results(results), "command")
    table = lines_of(page.split("## Table 5")[1], "### medmentions")
    knn = next(row for row in table if row[0] == "knn" and row[3] == "directed")
    assert knn[:5] == ["knn", "90.0 s", "18.5 h", "directed", "3.5 s"]
    assert next(row for row in table if row[0] == "joint")[1] == "90.5 s"
    statistics = lines_of(page, "## Table 4: the data")
    assert statistics[0] == ["medmentions", "test", "30", "90", "80", "10", "1,234", "5", "99"]
    assert statistics[1][:2] == ["wikis", "not run"]


def test_rows_of_one_name_are_told_apart_by_their_run(results: Path) -> None:
    other = made_up("m-joint-wide", "joint", [0.5, 0.5])
    rows = rows_of([*read_results(results), other], "medmentions")
    assert [row.name for row in rows if row.results][1:] == ["joint (m-joint)", "joint (m-joint-wide)"]


def test_what_was_measured_with_examples_is_a_row_of_its_own(results: Path) -> None:
    result = made_up("m-paper", "paper", [0.2, 0.2])
    better = made_up("m-paper", "paper", [0.9, 0.9])["evaluation"]["medmentions"]
    result["evaluation"]["medmentions"]["examples"] = better
    rows = [row for row in rows_of([*read_results(results), result], "medmentions") if row.results]
    assert [row.name for row in rows] == ["knn", "joint", "paper", "paper + examples"]
    shares = [row.mean("linking", "modes", "directed", "accuracy", "all") or 0.0 for row in rows[2:]]
    assert shares[0] < 0.4
    assert shares[1] > 0.7


def test_what_was_re_ranked_is_a_row_of_its_own_wherever_it_says_something(results: Path) -> None:
    result = made_up("m-paper", "paper", [0.2, 0.2])
    own = result["evaluation"]["medmentions"]
    for variant in ("examples_reranked", "reranked", "examples"):
        own[variant] = made_up("m-paper", "paper", [0.9, 0.9])["evaluation"]["medmentions"]
    own["reranked"]["seconds"]["rerank"] = 60.0
    result["training"]["reranker"] = {"seconds": {"searching": 1.0, "reading": 5.0, "training": 20.0}}
    loaded = made_up("m-mine", "mine", [0.2, 0.2])
    loaded["training"] = {"reranker": result["training"]["reranker"]}
    loaded["evaluation"]["medmentions"]["reranked"] = own["reranked"]
    page = results_page([*read_results(results), result, loaded], "command")
    names = ["paper", "paper + examples", "paper + re-ranker", "paper + examples + re-ranker"]
    for heading in ("### medmentions", "Differences, in points:", "### medmentions, hidden entities"):
        found = dict.fromkeys(row[0] for row in lines_of(page, heading))
        assert [name for name in found if name.startswith("paper")] == names
    recall = [row[0] for row in lines_of(page, "## Table 2: recall@64")]
    assert [name for name in recall if name.startswith("paper")] == names[:2]
    times = lines_of(page.split("## Table 5")[1], "### medmentions")
    spent = {row[0]: (row[1], row[4]) for row in times if row[1] != "not run" and row[3] == "directed"}
    assert (spent["paper"], spent["paper + re-ranker"]) == (("90.0 s", "3.5 s"), ("111.0 s", "63.5 s"))
    assert (spent["mine"][0], spent["mine + re-ranker"][0]) == ("–", "21.0 s")


def test_pictures_are_drawn_and_named_on_the_page(results: Path, tmp_path: Path) -> None:
    page, *pictures = write_page(results, tmp_path / "docs" / "results.md", tmp_path / "docs" / "pictures")
    content = page.read_text(encoding="utf-8")
    assert [path.name for path in pictures] == [
        f"results-medmentions-{kind}.svg" for kind in ("accuracy", "thresholds", "efficiency")
    ]
    for path in pictures:
        assert f"](pictures/{path.name})" in content
        drawing = ElementTree.parse(path).getroot()
        assert drawing.tag.endswith("svg")
        for element in drawing.iter():
            for side, most in (("cx", 760.0), ("x", 760.0)):
                assert 0 <= float(element.get(side, "0")) <= most
        shown = "".join(drawing.itertext())
        assert "joint" in shown
        assert "arborescence" not in shown  # a trial


def test_the_command_makes_the_same_page_twice(
    run_command: RunCommand, results: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    arguments = ("experiment", "tables", results, "-o", tmp_path / "page.md")
    assert run_command(*arguments).out.splitlines() == [str(tmp_path / "page.md")]
    first = (tmp_path / "page.md").read_text(encoding="utf-8")
    assert "Made by `arborlink experiment tables results --output page.md`" in first
    assert run_command(*arguments, "--plots", tmp_path).status == 0
    second = (tmp_path / "page.md").read_text(encoding="utf-8")
    assert second.startswith(
        "# Results\n\nMade by `arborlink experiment tables results --output page.md --plots .`"
    )


def test_what_is_no_result_is_told(run_command: RunCommand, results: Path, tmp_path: Path) -> None:
    (results / "odd.json").write_text('{"version": 0}')
    with pytest.raises(InputError, match=r"odd\.json: is no result of version 1; run it again with --again"):
        read_results(results)
    (results / "odd.json").write_text("{")
    done = run_command("experiment", "tables", results, "-o", tmp_path / "page.md")
    assert (done.status, "odd.json: cannot be read as JSON" in done.err) == (2, True)
    assert not (tmp_path / "page.md").exists()
    done = run_command("experiment", "tables", tmp_path / "nowhere", "-o", tmp_path / "page.md")
    assert (done.status, "is no folder; `arborlink experiment run` writes" in done.err) == (2, True)


def test_the_page_in_docs_is_what_the_command_makes_of_the_results(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    committed = (ROOT / "docs" / "results.md").read_text(encoding="utf-8")
    words = re.search(r"Made by `arborlink experiment tables (\S+) --output (\S+) --plots (\S+)`", committed)
    assert words is not None
    assert words.groups() == ("results/experiments", "docs/results.md", "docs/pictures")
    page, *pictures = write_page(
        ROOT / "results" / "experiments", tmp_path / "docs" / "results.md", tmp_path / "docs" / "pictures"
    )
    made = page.read_text(encoding="utf-8")
    own = re.compile(r"Made by `[^`]*`")
    assert own.sub("", made) == own.sub("", committed)
    for path in pictures:
        kept = ROOT / "docs" / "pictures" / path.name
        assert kept.read_text(encoding="utf-8") == path.read_text(encoding="utf-8"), path.name
