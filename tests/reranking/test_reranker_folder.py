"""A re-ranker on disk: what is written is read, what is damaged is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from reranking_world import letter_documents, letter_kb

from arborlink.encoders.views import Markers
from arborlink.encoders.weights import WEIGHTS_FILE
from arborlink.errors import InputError, ModelError
from arborlink.reranking import RerankerSettings, has_reranker, read_reranker, write_reranker
from arborlink.reranking.folder import RERANKER, SETTINGS_FILE
from arborlink.training.reranker import TrainedReranker

ALL = np.tile(np.arange(4, dtype=np.int32), (5, 1))


def test_what_is_written_is_read(reranked_folder: Path, trained: TrainedReranker) -> None:
    read = read_reranker(reranked_folder)
    assert read.settings == trained.reranker.settings
    assert read.fingerprint == trained.reranker.fingerprint
    corpus = letter_documents("x", 5, 9)
    scores = read.scores(corpus, letter_kb(), ALL)
    assert np.array_equal(scores, trained.reranker.scores(corpus, letter_kb(), ALL))
    content = json.loads((reranked_folder / RERANKER / SETTINGS_FILE).read_text())
    assert content["version"] == 2
    assert (content["n"], content["mention_tokens"], content["entity_tokens"]) == (4, 32, 16)
    assert (content["opening_tokens"], content["passages"], content["passage_tokens"]) == (0, 0, 32)
    assert not [path for path in reranked_folder.iterdir() if path.name.startswith(".")]


def test_an_earlier_one_is_replaced(reranked_folder: Path, trained: TrainedReranker) -> None:
    write_reranker(reranked_folder, trained.reranker.of_n(2))
    assert read_reranker(reranked_folder).n == 2
    assert not [path for path in reranked_folder.iterdir() if path.name.startswith(".")]


def test_a_failure_while_writing_leaves_the_earlier_one(
    reranked_folder: Path, trained: TrainedReranker, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*arguments: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("arborlink.reranking.folder.sync_folder", fail)
    with pytest.raises(InputError, match="cannot be written: No space left"):
        write_reranker(reranked_folder, trained.reranker.of_n(2))
    assert read_reranker(reranked_folder).n == 4


def test_a_failure_at_the_last_moment_brings_the_earlier_one_back(
    reranked_folder: Path, trained: TrainedReranker, monkeypatch: pytest.MonkeyPatch
) -> None:
    original, calls = Path.rename, iter(range(9))

    def rename(self: Path, target: Path) -> Path:
        if next(calls) == 1:
            raise OSError(5, "Input/output error")
        return original(self, target)

    monkeypatch.setattr(Path, "rename", rename)
    with pytest.raises(InputError, match="cannot be written: Input/output error"):
        write_reranker(reranked_folder, trained.reranker.of_n(2))
    assert read_reranker(reranked_folder).n == 4
    assert not [path for path in reranked_folder.iterdir() if path.name.startswith(".")]


def test_something_else_under_its_name_is_left_alone(tmp_path: Path, trained: TrainedReranker) -> None:
    (tmp_path / RERANKER).mkdir()
    (tmp_path / RERANKER / "notes.txt").write_text("mine")
    assert not has_reranker(tmp_path)
    with pytest.raises(InputError, match="no re-ranker ArborLink saved"):
        write_reranker(tmp_path, trained.reranker)
    assert (tmp_path / RERANKER / "notes.txt").read_text() == "mine"


def test_damaged_weights_are_refused(reranked_folder: Path) -> None:
    weights = reranked_folder / RERANKER / WEIGHTS_FILE
    content = bytearray(weights.read_bytes())
    content[-5] ^= 1
    weights.write_bytes(content)
    with pytest.raises(ModelError, match=r"the weights are not those .*--rerank 0"):
        read_reranker(reranked_folder)
    weights.unlink()
    with pytest.raises(ModelError, match="the weights cannot be read"):
        read_reranker(reranked_folder)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"version": 1},
            "version 1, but this ArborLink reads version 2; train the re-ranker again with "
            "`arborlink train-reranker`, or link without it: --rerank 0",
        ),
        ({"n": 0}, "n is 0; expected a whole number of 1 or more"),
        ({"n": True}, "n is True"),
        ({"weight": -1}, "weight is -1; expected a number of 0 or more"),
        ({"weight": 10**400}, "weight is 1"),
        ({"weight": None}, "weight is None"),
        ({"mention_tokens": 3}, "mention_tokens is 3"),
        ({"mention_tokens": 600}, r"pairs of 600 \+ 16 tokens are longer than the 512"),
        ({"opening_tokens": -1}, "opening_tokens is -1; expected a whole number of 0 or more"),
        ({"opening_tokens": 3}, "opening_tokens is 3; expected 0, or 4 or more"),
        ({"passages": 1.0}, r"passages is 1\.0"),
        ({"passages": None}, "passages is None"),
        ({"passage_tokens": 15}, "passage_tokens is 15; expected a whole number of 16 or more"),
        (
            {"opening_tokens": 401, "passages": 2},
            r"pairs of 32 \+ 401 \+ 16 \+ 32 \+ 32 tokens are longer than the 512",
        ),
        ({"markers": ["[A]"]}, "expected three different tokens"),
        ({"markers": {"start": "[S]", "end": "[E]", "title": "[T]"}}, r"the tokenizer does not know \[S\]"),
        ({"sha256": "abc"}, "expected the 64 digits"),
    ],
)
def test_settings_that_cannot_be_are_refused(
    reranked_folder: Path, change: dict[str, Any], message: str
) -> None:
    path = reranked_folder / RERANKER / SETTINGS_FILE
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(ModelError, match=message):
        read_reranker(reranked_folder)


@pytest.mark.parametrize("content", ["", "[]", "{", "[" * 100_000])
def test_a_file_that_is_no_settings_is_refused(reranked_folder: Path, content: str) -> None:
    (reranked_folder / RERANKER / SETTINGS_FILE).write_text(content)
    with pytest.raises(ModelError, match="not a re-ranker ArborLink saved"):
        read_reranker(reranked_folder)


def test_a_config_of_another_network_is_refused(reranked_folder: Path) -> None:
    path = reranked_folder / RERANKER / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"num_hidden_layers": 3}))
    with pytest.raises(ModelError, match="not of one re-ranker"):
        read_reranker(reranked_folder)
    path.write_text("{")
    with pytest.raises(ModelError, match="cannot be loaded"):
        read_reranker(reranked_folder)


def test_settings_survive_json() -> None:
    settings = RerankerSettings(3, 0.25, 40, 50, Markers("[A]", "[B]", "[C]"), 20, 2, 30)
    assert settings.longest == 40 + 20 + 50 + 2 * 30
    content = json.loads(json.dumps(settings.to_json("0" * 64)))
    assert RerankerSettings.from_json(content) == (settings, "0" * 64)
