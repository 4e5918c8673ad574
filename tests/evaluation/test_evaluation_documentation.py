"""The documentation defines every figure, and its example prints what it says."""

from __future__ import annotations

import re
from pathlib import Path

import typer
from typer.testing import CliRunner

from arborlink.cli.evaluate import evaluate as command
from arborlink.corpus import Corpus
from arborlink.evaluation import Predictions, evaluate
from arborlink.knowledge_base import KnowledgeBase

PAGE = (Path(__file__).parents[2] / "docs" / "evaluation.md").read_text(encoding="utf-8")


def test_every_figure_is_defined(corpus: Corpus, kb: KnowledgeBase, tmp_path: Path) -> None:
    links = tmp_path / "links.jsonl"
    links.write_text("", encoding="utf-8")
    found = evaluate(Predictions.read(links, corpus, kb), corpus, kb).to_dict()
    names = {re.sub(r"^(recall_at)_\d+$|^(\w+_type)_\w+$", _family, key) for key in found}
    assert {"accuracy_type_<type>", "recall_at_<k>", "nil_b3_f1"} <= names
    assert [name for name in sorted(names) if f"`{name}`" not in PAGE] == []


def _family(match: re.Match[str]) -> str:
    return f"{match[1]}_<k>" if match[1] else f"{match[2]}_<type>"


def test_the_example_prints_what_the_page_says(tmp_path: Path) -> None:
    files = dict(re.findall(r"```jsonl (\S+)\n(.*?)```", PAGE, re.DOTALL))
    for name, content in files.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    app = typer.Typer()
    app.command()(command)
    options = [
        part
        for name in ("links", "documents", "kb")
        for part in (f"--{name}", str(tmp_path / f"{name}.jsonl"))
    ]
    result = CliRunner().invoke(app, options, env={"COLUMNS": "110"})
    assert result.exit_code == 0, result.output
    shown = [line.rstrip() for line in result.stdout.strip().splitlines()]
    expected = re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL)[0]
    assert shown == expected.strip().splitlines()
