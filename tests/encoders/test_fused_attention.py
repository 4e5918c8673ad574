"""MPNet by fused kernels gives what transformers' own way gives, and its gradients."""

from __future__ import annotations

import copy
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from transformers import BertConfig, BertModel, MPNetConfig, MPNetModel

from arborlink.encoders.fused_attention import fuse_attention


@pytest.fixture(scope="module")
def both() -> tuple[Any, Any]:
    """A small MPNet as the library computes it, and the same one fused."""
    torch.manual_seed(0)
    config = MPNetConfig(
        vocab_size=50, hidden_size=16, num_hidden_layers=3, num_attention_heads=4, intermediate_size=32
    )
    plain: Any = MPNetModel(config).eval()  # type: ignore[no-untyped-call]
    for name, weights in plain.named_parameters():
        if "relative_attention_bias" in name:
            torch.nn.init.normal_(weights)  # as drawn it is too small to be missed
    fused = copy.deepcopy(plain)
    fuse_attention(fused)
    return plain, fused


def read(network: Any, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    states: torch.Tensor = network(input_ids=ids, attention_mask=mask).last_hidden_state
    return states * mask[..., None]


@settings(max_examples=25, deadline=None)
@given(lengths=st.lists(st.integers(1, 17), min_size=1, max_size=5), seed=st.integers(0, 1000))
def test_states_and_gradients_are_those_of_the_library(
    both: tuple[Any, Any], lengths: list[int], seed: int
) -> None:
    draw = torch.Generator().manual_seed(seed)
    ids = torch.randint(5, 50, (len(lengths), max(lengths)), generator=draw)
    mask = (torch.arange(max(lengths)) < torch.tensor(lengths)[:, None]).long()
    weights = torch.randn(16, generator=draw)
    found = []
    for network in both:
        network.zero_grad()
        states = read(network, ids, mask)
        (states @ weights).sum().backward()  # type: ignore[no-untyped-call]
        gradients = {name: each.grad for name, each in network.named_parameters() if each.grad is not None}
        found.append((states.detach(), gradients))
    (plain, of_plain), (fused, of_fused) = found
    torch.testing.assert_close(fused, plain, atol=1e-5, rtol=1e-4)
    assert of_plain.keys() == of_fused.keys()
    assert "encoder.relative_attention_bias.weight" in of_fused
    for name, gradient in of_plain.items():
        torch.testing.assert_close(of_fused[name], gradient, atol=1e-4, rtol=1e-3, msg=name)


def test_tables_of_attention_are_still_to_be_had(both: tuple[Any, Any]) -> None:
    ids = torch.tensor([[6, 7, 8], [9, 1, 1]])
    mask = torch.tensor([[1, 1, 1], [1, 0, 0]])
    plain, fused = (
        network(input_ids=ids, attention_mask=mask, output_attentions=True, output_hidden_states=True)
        for network in both
    )
    assert len(fused.attentions) == 3
    for one, other in zip(
        (*plain.attentions, *plain.hidden_states), (*fused.attentions, *fused.hidden_states), strict=True
    ):
        torch.testing.assert_close(other, one, atol=1e-5, rtol=1e-4)


def test_in_half_precision_too(both: tuple[Any, Any]) -> None:
    ids = torch.randint(5, 50, (4, 8), generator=torch.Generator().manual_seed(1))
    mask = torch.ones_like(ids)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        plain, fused = (read(network, ids, mask).float() for network in both)
    torch.testing.assert_close(fused, plain, atol=0.1, rtol=0.1)


def test_it_is_the_fused_kernel_that_computes(both: tuple[Any, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*arguments: object, **options: object) -> torch.Tensor:
        raise AssertionError("step by step")

    monkeypatch.setattr(torch.nn.functional, "softmax", refused)
    ids = torch.tensor([[6, 7, 8]])
    assert read(both[1], ids, torch.ones_like(ids)).shape == (1, 3, 16)
    with pytest.raises(AssertionError, match="step by step"):
        read(both[0], ids, torch.ones_like(ids))


def test_weights_have_the_names_they_had(both: tuple[Any, Any]) -> None:
    assert list(both[0].state_dict()) == list(both[1].state_dict())


def test_dropout_is_on_in_training_alone(both: tuple[Any, Any]) -> None:
    network = copy.deepcopy(both[1])
    for part in network.modules():  # but for that of attention
        if isinstance(part, torch.nn.Dropout):
            part.p = 0.0
    for layer in network.encoder.layer:
        layer.attention.attn.dropout.p = 0.5
    ids = torch.randint(5, 50, (2, 9), generator=torch.Generator().manual_seed(2))
    mask = torch.ones_like(ids)
    assert torch.equal(read(network.eval(), ids, mask), read(network, ids, mask))
    assert not torch.equal(read(network.train(), ids, mask), read(network, ids, mask))


def test_other_networks_stay_as_they_are() -> None:
    network: Any = BertModel(  # type: ignore[no-untyped-call]
        BertConfig(
            vocab_size=20, hidden_size=8, num_hidden_layers=1, num_attention_heads=2, intermediate_size=8
        )
    )
    before = [type(part) for part in network.modules()]
    fuse_attention(network)
    assert [type(part) for part in network.modules()] == before
