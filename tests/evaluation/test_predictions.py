"""Reading links: arrays in the order of the mentions, and errors that name file and line."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from arborlink.corpus import Corpus
from arborlink.errors import InputError, ResultError
from arborlink.evaluation import Predictions, candidates_file, links_file
from arborlink.formats.problems import Problems
from arborlink.knowledge_base import KnowledgeBase
from arborlink.result.folder import write_folder

WriteLines = Callable[..., Path]

GOOD = {"mention": "d1.1", "entity": "E2", "cluster": "c"}


def test_links_are_put_in_the_order_of_the_mentions(
    corpus: Corpus, kb: KnowledgeBase, write_lines: WriteLines
) -> None:
    path = write_lines(
        "links.jsonl",
        {"mention": "d2.0", "entity": "E3", "cluster": 7, "affinity": 0.5, "parent": None},
        {
            "document": "d1",
            "mention": "d1.0",
            "start": 0,
            "end": 2,
            "text": "aa",
            "entity": None,
            "cluster": "c1",
        },
        {"mention": "d1.1", "entity": None, "cluster": "c1"},
    )
    predictions = Predictions.read(path, corpus, kb)
    np.testing.assert_array_equal(predictions.entity, [-1, -1, -1, -1, 3, -1, -1, -1])
    np.testing.assert_array_equal(
        predictions.predicted, [True, True, False, False, True, False, False, False]
    )
    assert predictions.cluster[0] == predictions.cluster[1] >= 0
    assert predictions.cluster[4] not in (-1, predictions.cluster[0])
    assert predictions.n_clusters_discovered == 1


def test_gzip_and_blank_lines_are_read(corpus: Corpus, kb: KnowledgeBase, tmp_path: Path) -> None:
    path = tmp_path / "links.jsonl.gz"
    path.write_bytes(gzip.compress(b"\n" + json.dumps(GOOD).encode() + b"\n\n"))
    assert Predictions.read(path, corpus, kb).entity[1] == 2


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({"mention": "dX", "entity": None}, "mention 'dX' is not in the gold documents"),
        ({"entity": None}, 'the field "mention" is missing'),
        ({"mention": "d1.0", "entity": 1.5}, '"entity" is the number 1.5'),
        ({"mention": "d1.0", "entity": "Q"}, "entity 'Q' is not in the knowledge base"),
        ({"mention": "d1.0", "entity": 3}, "entity '3' is not in the knowledge base"),
        ({"mention": "d1.0"}, 'the link has no "entity"'),
        ({"mention": "d1.1", "entity": None}, "mention 'd1.1' has a link on line 1 already"),
        ({"mention": "d1.0", "entity": None, "start": 1}, "mention 'd1.0' has start 1 here but 0"),
        ({"mention": "d1.0", "entity": None, "document": "d9"}, "document 'd9' here but 'd1'"),
        ({"mention": "d1.0", "entity": None, "cluster": [1]}, '"cluster" is a list'),
        ({"mention": "d1.0", "entity": None, "cluster": True}, '"cluster" is true'),
        (["d1.0"], "expected one JSON object per line"),
    ],
)
def test_a_link_that_cannot_be_used_is_named_by_file_and_line(
    corpus: Corpus, kb: KnowledgeBase, write_lines: WriteLines, bad: object, message: str
) -> None:
    path = write_lines("links.jsonl", GOOD, bad)
    with pytest.raises(InputError, match=message) as caught:
        Predictions.read(path, corpus, kb)
    assert (caught.value.path, caught.value.line) == (path, 2)


def test_text_that_is_not_json_is_named_by_line(corpus: Corpus, kb: KnowledgeBase, tmp_path: Path) -> None:
    path = tmp_path / "links.jsonl"
    path.write_text(json.dumps(GOOD) + '\n{"mention": \n', encoding="utf-8")
    with pytest.raises(InputError, match=r"links\.jsonl:2: broken JSON"):
        Predictions.read(path, corpus, kb)


def test_skipped_links_leave_no_trace_but_a_count(
    corpus: Corpus, kb: KnowledgeBase, write_lines: WriteLines
) -> None:
    path = write_lines(
        "links.jsonl", {"mention": "d1.0", "entity": "E1", "cluster": [1]}, GOOD, GOOD | {"entity": "E3"}, 5
    )
    problems = Problems(skip=True)
    predictions = Predictions.read(path, corpus, kb, problems)
    assert problems.n_skipped == 3
    assert (predictions.entity[0], predictions.predicted[0]) == (-1, False)
    assert predictions.entity[1] == 2


def test_mentions_without_a_cluster_join_their_entity_or_stand_alone() -> None:
    predictions = Predictions(
        entity=np.array([2, 2, 0, 0, -1, -1, -1, -1]),
        cluster=np.array([5, -1, -1, -1, 1, 1, -1, -1]),
        predicted=np.ones(8, bool),
    )
    labels = predictions.cluster_labels.tolist()
    assert labels[0] == labels[1]
    assert labels[2] == labels[3]
    assert labels[4] == labels[5]
    assert len(set(labels)) == 5
    assert predictions.n_clusters_discovered == 1


def test_a_cluster_with_one_linked_mention_is_not_discovered() -> None:
    predictions = Predictions(np.array([0, -1, -1]), np.array([4, 4, 6]), np.ones(3, bool))
    assert predictions.n_clusters_discovered == 1


def test_predictions_of_nothing_have_no_clusters() -> None:
    nothing = np.empty(0, np.int64)
    predictions = Predictions(nothing, nothing, np.empty(0, bool))
    assert predictions.cluster_labels.shape == (0,)
    assert predictions.n_clusters_discovered == 0


def test_arrays_of_different_lengths_are_refused() -> None:
    with pytest.raises(InputError, match="expected one of each for every mention"):
        Predictions(np.array([1]), np.array([1, 2]), np.array([True]))


def test_a_result_folder_without_its_manifest_is_incomplete(
    corpus: Corpus, kb: KnowledgeBase, write_lines: WriteLines
) -> None:
    folder = write_lines("links.jsonl", GOOD).parent
    with pytest.raises(
        ResultError, match=r"incomplete, it has no manifest\.json; run `arborlink link` again"
    ):
        Predictions.read(folder, corpus, kb)
    (folder / "links.jsonl").unlink()
    write_folder(folder, {"links.jsonl": [GOOD]}, {})
    assert Predictions.read(folder, corpus, kb).entity[1] == 2


def test_links_changed_after_they_were_written_are_refused(tmp_path: Path, write_lines: WriteLines) -> None:
    write_folder(tmp_path, {"links.jsonl": [GOOD]}, {})
    write_lines("links.jsonl", GOOD | {"entity": "E3"})
    with pytest.raises(ResultError, match=r"links\.jsonl: not the file the manifest lists"):
        links_file(tmp_path)


@pytest.mark.parametrize(
    ("manifest", "message"), [("{", "not readable"), ("[]", "not the manifest of a result")]
)
def test_a_damaged_manifest_is_refused(tmp_path: Path, manifest: str, message: str) -> None:
    (tmp_path / "manifest.json").write_text(manifest, encoding="utf-8")
    with pytest.raises(ResultError, match=message):
        links_file(tmp_path)


def test_a_folder_without_links_is_refused(tmp_path: Path) -> None:
    write_folder(tmp_path, {"clusters.jsonl": []}, {})
    with pytest.raises(ResultError, match=r"lists no links\.jsonl"):
        links_file(tmp_path)


def test_a_path_that_leads_nowhere_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file or folder"):
        links_file(tmp_path / "nowhere")


def test_only_a_folder_brings_its_candidates(tmp_path: Path) -> None:
    write_folder(tmp_path, {"links.jsonl": []}, {})
    (tmp_path / "candidates.jsonl").write_text("from elsewhere", encoding="utf-8")
    assert candidates_file(tmp_path) is None
    (tmp_path / "candidates.jsonl").unlink()
    write_folder(tmp_path, {"links.jsonl": [], "candidates.jsonl": []}, {})
    assert candidates_file(tmp_path) == tmp_path / "candidates.jsonl"
    assert candidates_file(tmp_path / "links.jsonl") is None
