"""Attention in one kernel for networks that transformers computes it step by step for: MPNet.

Its heads add a learned bias for the distance of two words, so the library writes every table of attention to memory,
several times in each layer. The fused kernels of torch take such a bias as a mask.
"""

from __future__ import annotations

from typing import Any

import torch
from torch.nn.functional import scaled_dot_product_attention


def fuse_attention(network: torch.nn.Module) -> None:
    """Let the MPNet in a network, if there is one, attend by fused kernels; weights and results stay what they are.

    Args:
        network: of transformers or sentence-transformers; all others stay as they are.
    """
    if not any(_model_type(part) == "mpnet" for part in network.modules()):
        return
    from transformers.models.mpnet.modeling_mpnet import MPNetEncoder, MPNetSelfAttention

    fused: dict[type, type] = {
        MPNetEncoder: type("FusedEncoder", (_Encoder, MPNetEncoder), {}),
        MPNetSelfAttention: type("FusedSelfAttention", (_SelfAttention, MPNetSelfAttention), {}),
    }
    for part in network.modules():
        part.__class__ = fused.get(type(part), type(part))


def _model_type(part: torch.nn.Module) -> str:
    return str(getattr(getattr(part, "config", None), "model_type", ""))


class _Encoder(torch.nn.Module):
    """Adds the mask to the bias once for all layers."""

    layer: torch.nn.ModuleList
    compute_position_bias: Any

    def forward(
        self, hidden_states: torch.Tensor, attention_mask: torch.Tensor | None = None, **options: Any
    ) -> Any:
        """As MPNetEncoder; whoever asks for more than the last layer gets it the library's way."""
        from transformers.modeling_outputs import BaseModelOutput

        if options.get("output_attentions") or options.get("output_hidden_states"):
            return super().forward(hidden_states, attention_mask, **options)
        bias = self.compute_position_bias(hidden_states[:1])
        if attention_mask is not None:
            bias = bias + attention_mask
        bias = bias.to(_computed_in(hidden_states))
        for layer in self.layer:
            hidden_states = layer(hidden_states, None, bias)[0]
        if not options.get("return_dict"):
            return (hidden_states,)
        return BaseModelOutput(last_hidden_state=hidden_states)  # type: ignore[arg-type]


class _SelfAttention(torch.nn.Module):
    """Attends in one kernel unless the table of attention is asked for."""

    q: torch.nn.Linear
    k: torch.nn.Linear
    v: torch.nn.Linear
    o: torch.nn.Linear
    dropout: torch.nn.Dropout
    attention_head_size: int

    def forward(
        self,
        hidden_states: torch.Tensor,
        attention_mask: torch.Tensor | None = None,
        position_bias: torch.Tensor | None = None,
        output_attentions: bool = False,
        **options: Any,
    ) -> Any:
        """As MPNetSelfAttention."""
        if output_attentions or attention_mask is not None:
            return super().forward(hidden_states, attention_mask, position_bias, output_attentions, **options)
        heads = (*hidden_states.shape[:-1], -1, self.attention_head_size)
        query, key, value = (
            each(hidden_states).view(heads).transpose(1, 2) for each in (self.q, self.k, self.v)
        )
        dropout = self.dropout.p if self.training else 0.0
        mixed = scaled_dot_product_attention(query, key, value, attn_mask=position_bias, dropout_p=dropout)
        return (self.o(mixed.transpose(1, 2).flatten(2)),)


def _computed_in(values: torch.Tensor) -> torch.dtype:
    """The precision of matrix products here: the kernel wants the bias in that of its queries."""
    device = values.device.type
    return torch.get_autocast_dtype(device) if torch.is_autocast_enabled(device) else values.dtype
