"""A sentence encoder of a few weights that reads letters, for tests that need one on disk."""

from __future__ import annotations

import string
from pathlib import Path
from typing import Any


def save_letter_encoder(folder: Path, **settings: Any) -> Path:
    """Write an encoder with 32 dimensions, letters for tokens and random weights, always the same ones.

    Args:
        folder: where its parts go.
        settings: of its transformer, a BERT.

    Returns:
        The folder of the encoder, below the one given.
    """
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Normalize, Pooling, Transformer
    from transformers import BertConfig, BertModel, BertTokenizer

    letters = string.ascii_lowercase + string.digits + ".'-"
    tokens = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *letters, *(f"##{letter}" for letter in letters)]
    (folder / "vocab.txt").write_text("\n".join(tokens), encoding="utf-8")
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(tokens), hidden_size=32, num_attention_heads=2, intermediate_size=64, **settings
    )
    BertModel(config).save_pretrained(folder / "bert")  # type: ignore[no-untyped-call]
    BertTokenizer(str(folder / "vocab.txt")).save_pretrained(folder / "bert")
    bert = Transformer(str(folder / "bert"), max_seq_length=64)
    SentenceTransformer(modules=[bert, Pooling(32), Normalize()], device="cpu").save(str(folder / "model"))
    return folder / "model"
