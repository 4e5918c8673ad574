"""Models of a few thousand weights, built in code and saved where a test can load them."""

from __future__ import annotations

import string
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from joined_world import LARGE, SMALL

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


@pytest.fixture
def tiny_base(tiny_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small model that stands in for the embedded one."""
    from hashlib import sha256

    from arborlink.encoders import building, embedded, loading

    weights = (tiny_folder / "model.safetensors").read_bytes()
    for module in (building, embedded, loading):
        monkeypatch.setattr(module, "embedded_folder", lambda: tiny_folder)
    monkeypatch.setattr(embedded, "WEIGHTS_SHA256", sha256(weights).hexdigest())
    return tiny_folder


@pytest.fixture
def train_a_little(tmp_path: Path) -> Callable[..., Path]:
    """Make a model folder of a base whose weights have moved by small random amounts.

    Args of the function: ``base``, ``None`` for the embedded one; ``n_towers``; ``pooling``; ``freeze``: of the
    embeddings the markers alone move; ``amount`` of the moves; ``name`` of the folder; ``settings``.
    """
    import torch

    from arborlink.encoders.building import build_tower
    from arborlink.encoders.model_folder import ModelSettings, write_towers

    def move(tower: Any, freeze: bool, amount: float, markers: Any) -> None:
        generator = torch.Generator().manual_seed(7)
        ids = tower.tokenizer.convert_tokens_to_ids(list(markers.all))
        with torch.no_grad():
            for name, parameter in tower[0].auto_model.named_parameters():
                step = amount * torch.randn(parameter.shape, generator=generator)
                if "pooler" in name or (freeze and "position_embeddings" in name):
                    continue
                if freeze and "word_embeddings" in name:
                    parameter[ids] += step[ids]
                else:
                    parameter += step

    def make(
        base: Path | None,
        *,
        n_towers: int = 1,
        pooling: Any = "span",
        freeze: bool = False,
        amount: float = 0.002,
        name: str = "trained",
        settings: ModelSettings | None = None,
    ) -> Path:
        settings = settings or ModelSettings(32, 32)
        roles: tuple[Any, ...] = ("both",) if n_towers == 1 else ("mention", "entity")
        options: dict[str, Any] = {"normalise": True, "markers": settings.markers, "device": "cpu"}
        towers = [build_tower(base, pooling=pooling, role=role, **options) for role in roles]
        for number, tower in enumerate(towers):
            move(tower, freeze, amount * (number + 1), settings.markers)
        write_towers(tmp_path / name, towers[0], towers[-1], settings)
        (tmp_path / name / "README.md").write_text("# A model\n", encoding="utf-8")
        return tmp_path / name

    return make


@pytest.fixture
def small(tiny_base: Path, train_a_little: Callable[..., Path]) -> Path:
    """A model of one tower, with names beside it."""
    return train_a_little(tiny_base, name="small", settings=SMALL)


@pytest.fixture
def large(build_model: Any, train_a_little: Callable[..., Path]) -> Path:
    """Two towers on another base, with another tokenizer, other markers, lengths and dimension."""
    base = build_model(dimension=48, tokenizer="byte pairs", seed=1)
    return train_a_little(base, n_towers=2, pooling="mean", name="large", settings=LARGE)


@pytest.fixture
def both(small: Path, large: Path, tmp_path: Path) -> Path:
    """The two, joined with the shares 0.75 and 0.25."""
    from arborlink.encoders.joining import join_models

    join_models([small, large], tmp_path / "both", shares=[0.75, 0.25])
    return tmp_path / "both"
