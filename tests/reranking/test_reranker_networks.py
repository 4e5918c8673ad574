"""Other families of transformers, and scores against a plain call of the network."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from reranking_world import letter_documents, letter_kb
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace
from tokenizers.processors import RobertaProcessing
from transformers import MPNetConfig, MPNetModel, PreTrainedTokenizerFast

from arborlink.encoders.towers import mention_views
from arborlink.encoders.views import Markers, entity_view
from arborlink.errors import ModelError
from arborlink.reranking import Reranker, RerankerSettings
from arborlink.reranking.network import has_token_types, longest_pair, new_network

KB, CORPUS = letter_kb(), letter_documents("d", 6, 3)
ALL = np.tile(np.arange(len(KB), dtype=np.int32), (CORPUS.n_mentions, 1))


@pytest.fixture(scope="module")
def mpnet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of an MPNet of a few weights, with words for tokens."""
    words = ["<s>", "<pad>", "</s>", "<unk>", "so", "we", "no", "Even", "Odd", ";", "."]
    words += [*(letter * 3 for letter in "bdkm"), *(digit * 2 for digit in "0123")]
    inner = Tokenizer(WordLevel({word: number for number, word in enumerate(words)}, unk_token="<unk>"))
    inner.pre_tokenizer = Whitespace()
    inner.post_processor = RobertaProcessing(("</s>", 2), ("<s>", 0))
    tokenizer = PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=inner,
        bos_token="<s>",
        eos_token="</s>",
        pad_token="<pad>",
        unk_token="<unk>",
        model_input_names=["input_ids", "attention_mask"],
    )
    torch.manual_seed(0)
    config = MPNetConfig(
        vocab_size=len(words),
        hidden_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=66,
        initializer_range=0.2,
    )
    folder = tmp_path_factory.mktemp("mpnet")
    MPNetModel(config).save_pretrained(folder)  # type: ignore[no-untyped-call]
    tokenizer.save_pretrained(folder)
    return folder


def plain_scores(reranker: Reranker) -> list[list[float]]:
    """One pair after the other, tokenised as a pair, without padding."""
    markers = Markers()
    windows, rows = mention_views(CORPUS, reranker.tokenizer, 32, markers)
    return [
        [
            float(
                reranker.network(
                    **reranker.tokenizer(windows[row], entity_view(entity, markers), return_tensors="pt")
                ).logits
            )
            for entity in KB
        ]
        for row in rows
    ]


@pytest.mark.parametrize("family", ["bert", "mpnet"])
def test_scores_are_those_of_plain_calls(
    family: str, tiny_model: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arborlink.reranking.reranker.resolve_precision", lambda device: torch.float32)
    base = tiny_model if family == "bert" else request.getfixturevalue("mpnet")
    network, tokenizer = new_network(str(base), Markers(), "cpu")
    network.eval()
    assert has_token_types(network, tokenizer) == (family == "bert")
    assert longest_pair(network) == (512 if family == "bert" else 64)
    reranker = Reranker(network, tokenizer, RerankerSettings(4, 1.0, 32, 32), progress=False)
    with torch.no_grad():
        expected = plain_scores(reranker)
    assert np.allclose(reranker.scores(CORPUS, KB, ALL), expected, atol=1e-5)
    assert np.ptp(expected) > 1e-3


def test_products_are_in_the_precision_that_the_hardware_multiplies(
    tiny_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    network, tokenizer = new_network(str(tiny_model), Markers(), "cpu")
    reranker = Reranker(network, tokenizer, RerankerSettings(4, 1.0, 32, 32), progress=False)
    scores = {}
    for precision in (torch.float32, torch.bfloat16):
        monkeypatch.setattr(
            "arborlink.reranking.reranker.resolve_precision", lambda device, own=precision: own
        )
        scores[precision] = reranker.scores(CORPUS, KB, ALL)
    assert not np.array_equal(scores[torch.float32], scores[torch.bfloat16])
    assert np.allclose(scores[torch.float32], scores[torch.bfloat16], atol=0.05)


def test_the_output_is_exact_in_half_precision(tiny_model: Path) -> None:
    network, tokenizer = new_network(str(tiny_model), Markers(), "cpu")
    with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16):
        logits = network.eval()(**tokenizer("so 11", "ddd", return_tensors="pt")).logits
    assert logits.dtype == torch.float32
    assert float(logits) != float(logits.bfloat16())


def test_a_new_output_depends_on_the_seed_alone(tiny_model: Path) -> None:
    first, again, other = (
        new_network(str(tiny_model), Markers(), "cpu", seed)[0].state_dict() for seed in (1, 1, 2)
    )
    assert all(torch.equal(first[name], again[name]) for name in first)
    assert not torch.equal(first["classifier.weight"], other["classifier.weight"])
    shared = [name for name in first if name.startswith("bert.")]
    assert all(torch.equal(first[name], other[name]) for name in shared)


def test_pairs_longer_than_the_network_reads_are_refused(mpnet: Path) -> None:
    network, tokenizer = new_network(str(mpnet), Markers(), "cpu")
    with pytest.raises(ModelError, match=r"pairs of 40 \+ 32 tokens are longer than the 64"):
        Reranker(network, tokenizer, RerankerSettings(4, 1.0, 40, 32))
