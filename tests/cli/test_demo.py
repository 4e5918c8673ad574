"""``arborlink demo``: where its result may go, and what it suggests."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

RunCommand = Callable[..., Any]


def test_the_suggested_commands_can_be_typed_as_they_stand(
    run_command: RunCommand, tiny_model: Path, tmp_path: Path
) -> None:
    output = tmp_path / "x" / "[/x] and a blank"
    done = run_command("demo", "--output", output, "--model", tiny_model)
    assert (done.status, done.err) == (0, "")
    assert f"The result is in {output}. Try next:" in done.out
    assert f"  arborlink evaluate --links '{output}' --documents " in done.out
    assert (output / "manifest.json").is_file()


def test_an_output_that_cannot_be_is_told_first(run_command: RunCommand, tmp_path: Path) -> None:
    (tmp_path / "links.jsonl").write_text("mine")
    done = run_command("demo", "--output", tmp_path)
    assert (done.status, done.out) == (2, "")
    assert "links.jsonl is there and not of a complete result" in done.err


def test_the_world_is_written_for_a_training(run_command: RunCommand, tmp_path: Path) -> None:
    from arborlink import Corpus, KnowledgeBase
    from arborlink.demo import demo_documents_path

    folder = tmp_path / "world"
    done = run_command("demo", "--files", folder)
    assert (done.status, done.err) == (0, "")
    assert done.out == (
        f"Written to {folder}: kb.jsonl, train.jsonl (23 documents, 172 mentions), "
        "dev.jsonl (8 documents, 64 mentions), test.jsonl (16 documents, 123 mentions)\n"
    )
    assert len(KnowledgeBase.read(folder / "kb.jsonl")) == 76
    parts = [Corpus.read(folder / f"{name}.jsonl") for name in ("train", "dev", "test")]
    together = sorted(document.id for part in parts for document in part)
    assert together == sorted(document.id for document in Corpus.read(demo_documents_path()))
