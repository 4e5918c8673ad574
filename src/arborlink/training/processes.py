"""Several processes, one step: each encodes its share of the texts, all of them see all the vectors.

Every process plans the very same step from the same seed, so nothing but vectors and gradients travels, and the loss
is that of one process, whatever their number: negatives are shared over the whole step, not over a process's part.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
import torch.distributed as dist
from numpy.typing import NDArray


def n_processes() -> int:
    """How many processes train together."""
    return dist.get_world_size() if dist.is_available() and dist.is_initialized() else 1


def process_number() -> int:
    """Which of them this is, from 0."""
    return dist.get_rank() if dist.is_available() and dist.is_initialized() else 0


def own_share(rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """The rows this process encodes: every n-th, so that shares cost alike where the rows are sorted by length.

    Shares are of equal size: the last row is taken again where it does not come out even.
    """
    n = n_processes()
    if n == 1:
        return rows
    even = np.concatenate([rows, np.repeat(rows[-1:], -len(rows) % n)])
    return even[process_number() :: n]


def all_rows(own: torch.Tensor, n_rows: int) -> torch.Tensor:
    """The vectors of all rows from every process's own share, in the order of the rows.

    Gradients flow to the own share alone, times the number of processes: the mean over processes that
    DistributedDataParallel takes is then the gradient of the one loss.
    """
    n = n_processes()
    if n == 1:
        return own
    shares = [torch.empty_like(own) for _ in range(n)]
    dist.all_gather(shares, own.detach().contiguous())
    shares[process_number()] = _ScaledGradient.apply(own, n)  # type: ignore[no-untyped-call]
    return torch.stack(shares, dim=1).flatten(0, 1)[:n_rows]


def from_first(value: Any) -> Any:
    """What the first process has, in every process."""
    if n_processes() == 1:
        return value
    box = [value]
    dist.broadcast_object_list(box, src=0)
    return box[0]


def wait_for_all() -> None:
    """Return when every process has come here."""
    if n_processes() > 1:
        dist.barrier()


class _ScaledGradient(torch.autograd.Function):
    """The identity, whose gradient is multiplied by a factor."""

    @staticmethod
    def forward(ctx: Any, values: torch.Tensor, factor: int) -> torch.Tensor:
        """The values as they are."""
        ctx.factor = factor
        return values.view_as(values)

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor) -> tuple[torch.Tensor, None]:
        """The gradient times the factor."""
        return gradients[0] * ctx.factor, None
