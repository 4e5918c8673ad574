"""Every layout is read as it lies on disk, and told what it lacks."""

from __future__ import annotations

import gzip
import hashlib
import json
import shutil
from pathlib import Path

import pytest

from arborlink.errors import InputError
from arborlink.experiments.data_sets import LAYOUTS, DataSet, open_data_set
from arborlink.experiments.statistics import statistics


def opened(name: str, folder: Path, limit: int | None = None) -> DataSet:
    return open_data_set(name, folder, limit=limit)


def test_medmentions_has_one_knowledge_base_for_all_splits(data_folder: Path) -> None:
    data_set = opened("medmentions", data_folder)
    assert data_set.split("dev").kb is data_set.split("test").kb
    assert (len(data_set.split("test").corpus), len(data_set.split("test").kb)) == (10, 12)
    assert data_set.split("test").labels is None
    assert data_set.train_ids == {f"C{i}" for i in range(8)}
    assert data_set.id_map is None


def test_bc5cdr_keeps_mentions_to_their_type(data_folder: Path) -> None:
    data_set = opened("bc5cdr", data_folder)
    labels = data_set.split("test").labels
    assert labels is not None
    for asking, allowed in labels.meetings():
        assert allowed is not None
        kinds = {data_set.split("test").kb.entities[place].types for place in allowed.tolist()}
        assert kinds == {tuple(labels.of_queries[int(asking[0])])}
    assert data_set.id_map == {"X0": "D0"}
    assert {"X0", "D0"} <= data_set.train_ids
    assert open_data_set("bc5cdr", data_folder, by_type=False).split("test").labels is None


def test_a_wiki_only_meets_its_own_world(data_folder: Path) -> None:
    data_set = opened("wikis", data_folder)
    assert {entity.types for entity in data_set.split("test").kb} == {("west",)}
    assert {entity.types for entity in data_set.kb("train", "dev")} == {("north",), ("south",), ("east",)}
    labels = data_set.split("train").labels
    assert labels is not None
    assert {len(allowed) for _, allowed in labels.meetings() if allowed is not None} == {8}


def test_mentions_of_missing_pages_join_those_of_the_same_documents(data_folder: Path) -> None:
    data_set = opened("wikis", data_folder)
    name = data_set.with_missing("test")
    assert name is not None
    plain, joined = data_set.split("test").corpus, data_set.split(name).corpus
    assert (plain.n_mentions, joined.n_mentions) == (24, 32)
    assert [document.id for document in joined] == [document.id for document in plain]
    for document in joined:
        assert [mention.start for mention in document.mentions] == sorted(
            mention.start for mention in document.mentions
        )


def test_all_anchors_of_a_world_leave_out_those_held_out(data_folder: Path) -> None:
    data_set = opened("wikis", data_folder)
    held_out = {
        mention.id
        for split in ("heldout_train_seen", "heldout_train_unseen")
        for _, mention in data_set.corpus(split).mentions
    }
    anchors = {mention.id for _, mention in data_set.corpus("by_world").mentions}
    assert len(held_out) == 3
    assert len(anchors) == 21
    assert not anchors & held_out
    of_north = {mention.id for _, mention in data_set.corpus("by_world/north").mentions}
    assert of_north == anchors
    with pytest.raises(InputError, match=r"has no mentions_by_world/nowhere\.json\.gz"):
        data_set.documents("by_world/nowhere")


def test_zeshel_needs_no_more_than_it_was_published_with(data_folder: Path, tmp_path: Path) -> None:
    for name in ("documents", "mentions"):
        shutil.copytree(data_folder / "wikis" / name, tmp_path / "zeshel" / name)
    data_set = opened("zeshel", tmp_path)
    assert data_set.with_missing("test") is None
    assert data_set.split("test").corpus.n_mentions == 24
    assert statistics(data_set)["test"]["zero_shot"] == 8


def test_medmentions_as_published_with_umls(tmp_path: Path) -> None:
    folder = tmp_path / "medmentions_umls"
    (folder / "META").mkdir(parents=True)
    lines = []
    for number, split in enumerate(("trng", "dev", "test")):
        (folder / f"corpus_pubtator_pmids_{split}.txt").write_text(f"{number}\n")
        lines += [f"{number}|t|fever", f"{number}|a|none", f"{number}\t0\t5\tfever\tT184\tUMLS:C0015967", ""]
    (folder / "corpus_pubtator.txt.gz").write_bytes(gzip.compress("\n".join(lines).encode()))
    row = [
        "C0015967",
        "ENG",
        "P",
        "L1",
        "PF",
        "S1",
        "Y",
        "A1",
        "",
        "",
        "",
        "MSH",
        "PT",
        "D1",
        "Fever",
        "0",
        "N",
        "256",
    ]
    (folder / "META" / "MRCONSO.RRF").write_text("|".join(row) + "|\n")
    data_set = opened("medmentions_umls", tmp_path)
    assert [document.id for document in data_set.documents("test")] == ["2"]
    assert data_set.train_ids == {"C0015967"}
    assert data_set.split("dev").kb["C0015967"].name == "Fever"
    assert len(data_set.fingerprint()) == 5
    with pytest.raises(InputError, match="has no split 'val'; it has train, dev, test"):
        data_set.documents("val")


@pytest.mark.parametrize("name", ["medmentions", "wikis", "bc5cdr"])
def test_the_fingerprint_is_that_of_the_files(data_folder: Path, name: str) -> None:
    found = opened(name, data_folder).fingerprint()
    assert len(found) >= 4
    for path, digest in found.items():
        assert hashlib.sha256((data_folder / name / path).read_bytes()).hexdigest() == digest


@pytest.mark.parametrize("name", ["medmentions", "wikis", "bc5cdr"])
def test_a_limit_keeps_documents_and_the_entities_they_name(data_folder: Path, name: str) -> None:
    whole, cut = opened(name, data_folder), opened(name, data_folder, limit=2)
    assert len(cut.split("test").corpus) == 2
    named = {id_ for _, mention in cut.split("test").corpus.mentions for id_ in mention.entities or ()}
    assert named & whole.split("test").kb.index.keys() <= cut.split("test").kb.index.keys()


def test_statistics_count_what_the_documents_hold(data_folder: Path) -> None:
    found = statistics(opened("medmentions", data_folder))
    test = found["test"]
    assert (test["documents"], test["mentions"], test["kb"]) == (10, 30, 12)
    assert test["linkable"] + test["outside"] == 30
    assert test["outside"] > 0
    assert found["train"]["zero_shot"] == 0
    assert json.loads(json.dumps(found)) == found


def test_what_is_not_there_is_told(data_folder: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=f"the data set 'odd' is not known; there are {', '.join(LAYOUTS)}"):
        opened("odd", data_folder)
    with pytest.raises(InputError, match="there is no folder medmentions, which the run needs"):
        opened("medmentions", tmp_path)
    (tmp_path / "bc5cdr").mkdir()
    with pytest.raises(InputError, match=r"the data set bc5cdr has no test\.pubtator\.gz or test\.pubtator"):
        opened("bc5cdr", tmp_path).documents("test")
    (tmp_path / "wikis").mkdir()
    with pytest.raises(InputError, match="the data set wikis has no documents"):
        opened("wikis", tmp_path).fingerprint()
    with pytest.raises(InputError, match=r"has no mentions/heldout_train_seen\.json\.gz"):
        opened("wikis", tmp_path).documents("by_world")
