"""What several rooms' tests share: a model of a few kilobytes, and the command line run in this process."""

from __future__ import annotations

import string
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

pytest_plugins = ["browser"]


@dataclass(frozen=True)
class Finished:
    """How a run of the command line ended."""

    status: int
    out: str
    err: str


RunCommand = Callable[..., Finished]


@pytest.fixture
def run_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> RunCommand:
    """``run_command("link", "--kb", path, ...)``: the command with its own error handling and cache folder."""
    monkeypatch.setenv("ARBORLINK_CACHE", str(tmp_path / "cache-of-embeddings"))

    def run(*arguments: object) -> Finished:
        from arborlink.cli.main import main

        monkeypatch.setattr(sys, "argv", ["arborlink", *map(str, arguments)])
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main()
        shown = capsys.readouterr()
        return Finished(int(ended.value.code or 0), shown.out, shown.err)

    return run


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a sentence encoder with 32 dimensions, one layer, letters for tokens and random weights."""
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Normalize, Pooling, Transformer
    from transformers import BertConfig, BertModel, BertTokenizer

    folder = tmp_path_factory.mktemp("tiny-model")
    letters = string.ascii_lowercase + string.digits + ".'-"
    tokens = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *letters, *(f"##{letter}" for letter in letters)]
    (folder / "vocab.txt").write_text("\n".join(tokens), encoding="utf-8")
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(tokens),
        hidden_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=64,
    )
    BertModel(config).save_pretrained(folder / "bert")  # type: ignore[no-untyped-call]
    BertTokenizer(str(folder / "vocab.txt")).save_pretrained(folder / "bert")
    bert = Transformer(str(folder / "bert"), max_seq_length=64)
    model = SentenceTransformer(modules=[bert, Pooling(32), Normalize()], device="cpu")
    model.save(str(folder / "model"))
    return folder / "model"
