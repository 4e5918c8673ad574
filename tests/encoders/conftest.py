"""Models of a few thousand weights, built in code and saved where a test can load them."""

from __future__ import annotations

import string
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

BuildModel = Callable[..., Path]
LETTERS = string.ascii_lowercase + string.digits
WORDS = ["the", "rat", "rats", "drug", "fever", "##ing", "##s", "##tion", "of", "in", "liver", "failure"]
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]


def wordpiece() -> Any:
    """Letters, digits, punctuation, some words; ideographs and other scripts are unknown to it."""
    from transformers import BertTokenizer

    pieces = [*SPECIAL, *LETTERS, *(f"##{letter}" for letter in LETTERS), *string.punctuation, *WORDS]
    return BertTokenizer(vocab={piece: number for number, piece in enumerate(dict.fromkeys(pieces))})


def byte_pairs(with_ends: bool = True) -> Any:
    """Bytes, and merges that make a word after a blank another token than the word at the beginning of a text."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    merges = [
        ("Ġ", "f"),
        ("Ġf", "e"),
        ("r", "a"),
        ("ra", "t"),
        ("Ġ", "l"),
        ("v", "e"),
        ("Ġl", "i"),
        ("t", "h"),
    ]
    pieces = ["<pad>", "<s>", "</s>", *letters, *("".join(pair) for pair in merges)]
    backend = Tokenizer(
        models.BPE(vocab={piece: number for number, piece in enumerate(pieces)}, merges=merges)
    )
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    backend.decoder = decoders.ByteLevel()
    if with_ends:
        backend.post_processor = processors.TemplateProcessing(
            single="<s> $A </s>", pair="<s> $A </s> $B </s>", special_tokens=[("<s>", 1), ("</s>", 2)]
        )
    return PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=backend, pad_token="<pad>", bos_token="<s>", eos_token="</s>", model_max_length=160
    )


TOKENIZERS: dict[str, Callable[[], Any]] = {
    "wordpiece": wordpiece,
    "byte pairs": byte_pairs,
    "byte pairs without ends": lambda: byte_pairs(with_ends=False),
}


@pytest.fixture(scope="session")
def build_model(tmp_path_factory: pytest.TempPathFactory) -> BuildModel:
    """Make a model and return its folder.

    Args of the function: ``dimension``; ``pooling``, or ``None`` for a folder of transformers alone; ``tokenizer``;
    ``seed`` of the weights; ``heads``.
    """

    def build(
        dimension: int = 32,
        pooling: str | None = "mean",
        tokenizer: str = "wordpiece",
        seed: int = 0,
        heads: int = 4,
    ) -> Path:
        import torch
        from sentence_transformers import SentenceTransformer
        from sentence_transformers.base.modules import Transformer
        from sentence_transformers.sentence_transformer.modules import Pooling
        from transformers import BertConfig, BertModel

        folder = tmp_path_factory.mktemp("model")
        words = TOKENIZERS[tokenizer]()
        config = BertConfig(
            vocab_size=len(words),
            hidden_size=dimension,
            num_hidden_layers=2,
            num_attention_heads=heads,
            intermediate_size=2 * dimension,
            max_position_embeddings=160,
            initializer_range=0.5,  # the usual one gives all texts the same vector, nearly
        )
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            BertModel(config).save_pretrained(folder)  # type: ignore[no-untyped-call]
        words.save_pretrained(folder)
        if pooling is None:
            return folder
        model = SentenceTransformer(
            modules=[Transformer(str(folder)), Pooling(dimension, pooling_mode=pooling)], device="cpu"
        )
        saved = tmp_path_factory.mktemp("sentence-model")
        model.save(str(saved))
        return saved

    return build


@pytest.fixture(scope="session")
def tiny_folder(build_model: BuildModel) -> Path:
    """A sentence-transformers model with a WordPiece vocabulary and mean pooling."""
    return build_model()


@pytest.fixture(scope="session")
def byte_pair_folder(build_model: BuildModel) -> Path:
    """The same with a byte-level vocabulary."""
    return build_model(tokenizer="byte pairs")


@pytest.fixture
def tiny(tiny_folder: Path) -> Any:
    """The model, newly loaded, in single precision."""
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(str(tiny_folder), device="cpu")
