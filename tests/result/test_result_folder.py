"""A result in memory and on disk: what is written is read back, and what is not whole is refused."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from arborlink.errors import InputError, ResultError
from arborlink.result import Candidate, Cluster, Link, Result
from arborlink.result.folder import read_manifest, write_folder

CANDIDATES = {"d.0": (Candidate("Q1", "Ada", 0.9), Candidate("Q2", "Bob", 0.123457)), "d.1": ()}


def links() -> list[Link]:
    """Two mentions of a known entity, three of a discovered one; all sorts of characters."""
    known: dict[str, Any] = {"entity": "Q1", "name": 'Ada "A" Løvelace\u2028', "cluster": 0}
    new: dict[str, Any] = {"entity": None, "name": None, "cluster": 1, "parent_kind": "mention"}
    root: dict[str, Any] = {**new, "affinity": None, "parent": None, "parent_kind": None, "runner_up": None}
    runner_up = Candidate("Q2", "Bob", 0.123457)
    return [
        Link(
            "d",
            "d.0",
            0,
            3,
            "Ada",
            **known,
            affinity=0.9,
            parent="Q1",
            parent_kind="entity",
            runner_up=runner_up,
        ),
        Link(
            "d",
            "d.1",
            4,
            8,
            "she\n",
            **known,
            affinity=-0.5,
            parent="d.0",
            parent_kind="mention",
            runner_up=None,
        ),
        Link("d", "d.2", 9, 12, "Eve", **root),
        Link("d", "d.3", 13, 21, "Evelyn R", **new, affinity=0.7, parent="d.2", runner_up=runner_up),
        Link("e", "e.0", 0, 3, "Eve", **new, affinity=1.0, parent="d.2", runner_up=runner_up),
    ]


@pytest.fixture
def result() -> Result:
    return Result(links(), {"model": "m", "threshold": None, "seconds": {"search": 0.1}}, CANDIDATES)


def names_in(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_links_clusters_and_counts(result: Result) -> None:
    assert result.clusters == (
        Cluster(0, "Q1", 'Ada "A" Løvelace\u2028', ("d.0", "d.1")),
        Cluster(1, None, "Eve", ("d.2", "d.3", "e.0")),
    )
    assert result.discovered == (result.clusters[1],)
    assert result["d.3"].text == "Evelyn R"
    assert len(result) == 5
    assert repr(result) == "Result(5 mentions, 2 linked, 1 entities discovered)"
    with pytest.raises(KeyError, match=r"d\.9"):
        result["d.9"]


def test_discovered_clusters_come_largest_first_then_in_order() -> None:
    sizes = [1, 3, 3, 2]
    fields: dict[str, Any] = dict.fromkeys(
        ("entity", "name", "affinity", "parent", "parent_kind", "runner_up")
    )
    made = [
        Link("d", f"{cluster}.{place}", 0, 1, "x", cluster=cluster, **fields)
        for cluster, size in enumerate(sizes)
        for place in range(size)
    ]
    assert [cluster.cluster for cluster in Result(made, {}).discovered] == [1, 2, 3, 0]


@pytest.mark.parametrize(
    ("texts", "name"),
    [(["a", "b", "a"], "a"), (["Pip", "Pip Underhay"], "Pip Underhay"), (["ab", "cd"], "ab")],
)
def test_a_discovered_cluster_is_named_by_what_most_say_then_the_longer_then_the_earlier(
    texts: list[str], name: str
) -> None:
    fields: dict[str, Any] = dict.fromkeys(
        ("entity", "name", "affinity", "parent", "parent_kind", "runner_up")
    )
    made = [Link("d", str(n), 0, 1, text, cluster=0, **fields) for n, text in enumerate(texts)]
    assert Result(made, {}).clusters[0].name == name


def test_what_is_written_is_read_back_exactly(result: Result, tmp_path: Path) -> None:
    result.write(tmp_path / "new" / "out")
    again = Result.read(tmp_path / "new" / "out")
    assert again.links == result.links
    assert again.clusters == result.clusters
    assert again.settings == result.settings
    assert again.explain("d.3") == result.explain("d.3")
    assert names_in(tmp_path / "new" / "out") == {
        "links.jsonl",
        "clusters.jsonl",
        "candidates.jsonl",
        "manifest.json",
    }


def test_the_files_are_what_the_design_says(result: Result, tmp_path: Path) -> None:
    result.write(tmp_path)
    rows = [
        json.loads(line) for line in (tmp_path / "links.jsonl").read_text(encoding="utf-8").split("\n")[:-1]
    ]
    assert {"document", "mention", "start", "end", "text", "entity", "cluster", "affinity", "parent"} <= set(
        rows[0]
    )
    assert rows[3]["runner_up"] == {"entity": "Q2", "name": "Bob", "affinity": 0.123457}
    clusters = (tmp_path / "clusters.jsonl").read_text(encoding="utf-8").split("\n")
    assert json.loads(clusters[1]) == {
        "cluster": 1,
        "entity": None,
        "name": "Eve",
        "mentions": ["d.2", "d.3", "e.0"],
    }
    candidates = (tmp_path / "candidates.jsonl").read_text(encoding="utf-8").split("\n")
    assert json.loads(candidates[0]) == {
        "mention": "d.0",
        "entities": ["Q1", "Q2"],
        "affinities": [0.9, 0.123457],
    }
    manifest = json.loads((tmp_path / "manifest.json").read_text(encoding="utf-8"))
    assert (manifest["kind"], manifest["version"], manifest["model"]) == ("arborlink-result", 1, "m")
    assert manifest["files"]["links.jsonl"]["bytes"] == (tmp_path / "links.jsonl").stat().st_size


def test_equal_results_give_equal_bytes(result: Result, tmp_path: Path) -> None:
    for name in ("a", "b"):
        result.write(tmp_path / name)
    for name in names_in(tmp_path / "a"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_candidates_of_an_earlier_run_do_not_stay(result: Result, tmp_path: Path) -> None:
    result.write(tmp_path)
    (tmp_path / "notes.txt").write_text("mine")
    Result(links(), {}).write(tmp_path)
    assert names_in(tmp_path) == {"links.jsonl", "clusters.jsonl", "manifest.json", "notes.txt"}
    assert set(read_manifest(tmp_path)["files"]) == {"links.jsonl", "clusters.jsonl"}


@pytest.mark.parametrize("target", ["same", "other"])
def test_a_result_that_was_read_takes_its_candidates_along(
    result: Result, tmp_path: Path, target: str
) -> None:
    result.write(tmp_path / "same")
    candidates = (tmp_path / "same" / "candidates.jsonl").read_bytes()
    Result.read(tmp_path / "same").write(tmp_path / target)
    assert (tmp_path / target / "candidates.jsonl").read_bytes() == candidates
    assert Result.read(tmp_path / target).links == result.links


def test_settings_cannot_forge_what_the_manifest_says_of_the_folder(result: Result, tmp_path: Path) -> None:
    result.settings |= {"kind": "cake", "version": 99, "files": {}}
    result.write(tmp_path)
    assert Result.read(tmp_path).settings == {"model": "m", "threshold": None, "seconds": {"search": 0.1}}


def edit_manifest(folder: Path, **fields: object) -> None:
    path = folder / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8")) | fields), encoding="utf-8")


DAMAGES: list[tuple[Callable[[Path], object], str]] = [
    (
        lambda folder: (folder / "manifest.json").unlink(),
        "the result folder is incomplete, it has no manifest.json",
    ),
    (lambda folder: (folder / "manifest.json").write_text("{"), "manifest.json: not readable"),
    (lambda folder: (folder / "manifest.json").write_bytes(b'"\xff"'), "manifest.json: not readable"),
    (lambda folder: (folder / "manifest.json").write_text("[" * 10**5), "manifest.json: not readable"),
    (
        lambda folder: (folder / "manifest.json").write_text("[]"),
        "manifest.json: not the manifest of a result",
    ),
    (
        lambda folder: (folder / "manifest.json").write_text("{}"),
        "manifest.json: not the manifest of a result",
    ),
    (lambda folder: edit_manifest(folder, kind="cake"), "not the manifest of a result"),
    (
        lambda folder: edit_manifest(folder, version=2),
        "a result of version 2, but this ArborLink reads version 1",
    ),
    (lambda folder: edit_manifest(folder, files=[]), "lists no links.jsonl"),
    (
        lambda folder: edit_manifest(folder, files={"links.jsonl": None, "candidates.jsonl": None}),
        "links.jsonl: not the file the manifest",
    ),
    (lambda folder: (folder / "links.jsonl").unlink(), "links.jsonl: not the file the manifest lists"),
    (
        lambda folder: (folder / "clusters.jsonl").write_text(""),
        "clusters.jsonl: not the file the manifest lists",
    ),
    (lambda folder: os.truncate(folder / "links.jsonl", 100), "links.jsonl: not the file the manifest lists"),
]


@pytest.mark.parametrize(("damage", "message"), DAMAGES)
def test_a_folder_that_is_not_whole_is_refused(
    result: Result, tmp_path: Path, damage: Callable[[Path], object], message: str
) -> None:
    result.write(tmp_path)
    damage(tmp_path)
    with pytest.raises(ResultError) as error:
        Result.read(tmp_path)
    assert message in str(error.value)
    assert str(error.value).endswith("; run `arborlink link` again")
    if any(lost in message for lost in ("no manifest.json", "not readable", "not the manifest of a result")):
        # nothing vouches for the files any more: only their owner may remove them
        with pytest.raises(InputError, match="move it away or choose another folder"):
            result.write(tmp_path)
        for name in names_in(tmp_path):
            (tmp_path / name).unlink()
    result.write(tmp_path)
    assert Result.read(tmp_path).links == result.links


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ResultError, match="nowhere: no such result folder"):
        Result.read(tmp_path / "nowhere")


def test_links_with_other_fields_are_refused(tmp_path: Path) -> None:
    write_folder(tmp_path, {"links.jsonl": [{"mention": "d.0", "runner_up": None}]}, {})
    with pytest.raises(ResultError, match=r"links\.jsonl: not links of this version"):
        Result.read(tmp_path)
    write_folder(tmp_path, {"links.jsonl": [{"mention": "d.0"}]}, {})
    with pytest.raises(ResultError, match=r"links\.jsonl: not links of this version"):
        Result.read(tmp_path)


def test_a_place_that_cannot_be_written_is_told(result: Result, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(InputError, match="file: the result cannot be written: File exists"):
        result.write(tmp_path / "file")
    with pytest.raises(InputError, match="sub: the result cannot be written: Not a directory"):
        result.write(tmp_path / "file" / "sub")


@pytest.mark.parametrize(
    ("text", "settings", "error"),
    [
        ("half \ud83d", {}, InputError),
        ("Ada", {"threshold": float("nan")}, ValueError),
        ("Ada", {"a": {1}}, TypeError),
    ],
)
def test_a_value_that_cannot_be_written_leaves_the_earlier_result(
    result: Result, tmp_path: Path, text: str, settings: dict[str, object], error: type[Exception]
) -> None:
    result.write(tmp_path)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    fields: dict[str, Any] = dict.fromkeys(
        ("entity", "name", "affinity", "parent", "parent_kind", "runner_up")
    )
    with pytest.raises(error):
        Result([Link("d", "d.0", 0, 1, text, cluster=0, **fields)], settings).write(tmp_path)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


@pytest.mark.parametrize("name", ["links.jsonl", "clusters.jsonl", "candidates.jsonl", "manifest.json"])
def test_files_of_somebody_else_are_not_touched(result: Result, tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text('{"kind": "mine"}')
    with pytest.raises(InputError, match=f"{name} is there and not of a complete result; move it away"):
        result.write(tmp_path)
    assert names_in(tmp_path) == {name}
    assert (tmp_path / name).read_text() == '{"kind": "mine"}'


def test_beside_an_earlier_result_too_files_of_somebody_else_are_not_touched(tmp_path: Path) -> None:
    result = Result(links(), {})
    result.write(tmp_path)
    (tmp_path / "candidates.jsonl").write_text("mine")
    with pytest.raises(InputError, match=r"candidates\.jsonl is there"):
        result.write(tmp_path)
    assert (tmp_path / "candidates.jsonl").read_text() == "mine"
    assert Result.read(tmp_path).links == result.links


def test_what_a_killed_run_left_is_replaced(
    result: Result, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    result.write(tmp_path)
    replace = Path.replace

    def fail(path: Path, target: Path) -> Path:
        if target == tmp_path / "manifest.json":
            raise OSError(5, "Input/output error")
        return replace(path, target)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", fail)
        with pytest.raises(InputError, match="cannot be written"):
            result.write(tmp_path)
    assert "manifest.json" not in names_in(tmp_path)
    result.write(tmp_path)
    assert Result.read(tmp_path).links == result.links
    assert not list(tmp_path.glob(".*"))
