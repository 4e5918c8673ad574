"""Losses of single queries, each over its positive and its negatives.

A loss takes ``(values, positive, negatives)`` and gives one number for each query:

- ``values``: affinity divided by temperature, float, shape (B, C);
- ``positive``: column of the positive, int64, shape (B,); -1 for none: the loss and its gradient are then 0;
- ``negatives``: bool, shape (B, C).

Probabilities are softmaxes over the positive and the negatives of a query; all other candidates neither add to the
loss nor get a gradient. float64 stays, everything narrower is computed and returned in float32, under autocast too.
Nothing is clamped: loss and gradient are finite, and the gradient useful, where a probability is 0 or 1 in float32.
"""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType

import torch
from torch import Tensor

from arborlink.errors import InputError

Loss = Callable[[Tensor, Tensor, Tensor], Tensor]


def cross_entropy(values: Tensor, positive: Tensor, negatives: Tensor) -> Tensor:
    """``-log p(positive)``; arguments as at the top of the module, shape (B,) back.

    Example:
        >>> values = torch.zeros(1, 4)
        >>> negatives = torch.tensor([[False, True, True, True]])
        >>> cross_entropy(values, torch.tensor([0]), negatives).exp().round().tolist()  # log 4
        [4.0]
    """
    log_p, _, has_positive = _log_probabilities(values, positive, negatives)
    return _loss_of_positive(log_p, positive, has_positive)


def paper_loss(values: Tensor, positive: Tensor, negatives: Tensor) -> Tensor:
    """``-log p(positive) - sum over the negatives u of log(1 - p(u))``.

    It lies between once and twice the cross-entropy, and is exactly twice where there is one negative. Arguments as
    at the top of the module, shape (B,) back.

    Reference:
        Agarwal, Angell, Monath, McCallum (2021), Entity Linking and Discovery via Arborescence-based Supervised
        Clustering, section 4; signs as in its code: the softmax is over affinities, and the sum is negated.

    Example:
        >>> values = torch.zeros(1, 2)
        >>> paper_loss(values, torch.tensor([0]), torch.tensor([[False, True]])).exp().round().tolist()  # 2 log 2
        [4.0]
    """
    log_p, is_negative, has_positive = _log_probabilities(values, positive, negatives)
    loss = _loss_of_positive(log_p, positive, has_positive)
    if not log_p.shape[1]:
        return loss
    # Only the largest probability of a query can be near 1, where 1 - p has no digits left: it is the sum of the
    # others then. No other one exceeds 1/2. Exact, so nothing needs to be cut off and no gradient vanishes.
    largest = log_p.detach().argmax(dim=1, keepdim=True)
    is_largest = torch.zeros_like(is_negative).scatter_(1, largest, True)
    p_small = log_p.masked_fill(is_largest | ~is_negative, -torch.inf).exp()
    of_small = torch.log1p(-p_small).sum(dim=1)
    of_largest = log_p.masked_fill(is_largest, _masked(log_p)).logsumexp(dim=1)
    largest_counts = is_negative.gather(1, largest).squeeze(1)
    of_negatives = of_small + of_largest.where(largest_counts, 0.0)
    return loss - of_negatives.where(has_positive, 0.0)


def mean_over(per_query: Tensor, positive: Tensor) -> Tensor:
    """The mean over the queries that have a positive; 0, still differentiable, if none has.

    Args:
        per_query: one loss for each query, float, shape (B,).
        positive: column of the positive, -1 for none, int64, shape (B,).
    """
    has_positive = positive >= 0
    return per_query.where(has_positive, 0.0).sum() / has_positive.sum().clamp(min=1)


LOSSES: MappingProxyType[str, Loss] = MappingProxyType({"cross-entropy": cross_entropy, "paper": paper_loss})
"""The losses by the names the settings know them by."""


def loss_named(name: str) -> Loss:
    """The loss of that name.

    Raises:
        InputError: there is none.
    """
    if name not in LOSSES:
        raise InputError(f"loss {name!r} is not known; choose one of {', '.join(LOSSES)}")
    return LOSSES[name]


def _log_probabilities(values: Tensor, positive: Tensor, negatives: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Log-softmax over positive and negatives, the negatives without the positive, and who has a positive."""
    values = values if values.dtype == torch.float64 else values.float()
    has_positive = positive >= 0
    columns = torch.arange(values.shape[1], device=values.device)
    is_positive = columns == positive.unsqueeze(1)
    is_negative = negatives & ~is_positive
    log_p = values.masked_fill(~(is_negative | is_positive), _masked(values)).log_softmax(dim=1)
    return log_p, is_negative, has_positive


def _masked(values: Tensor) -> float:
    """Stands for minus infinity: a row that is masked as a whole would turn into NaN with the true one."""
    return torch.finfo(values.dtype).min / 2


def _loss_of_positive(log_p: Tensor, positive: Tensor, has_positive: Tensor) -> Tensor:
    if not log_p.shape[1]:
        return log_p.sum(dim=1)
    of_positive = log_p.gather(1, positive.clamp(min=0).unsqueeze(1)).squeeze(1)
    return (-of_positive).where(has_positive, 0.0)
