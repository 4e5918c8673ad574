"""Exact nearest neighbours across groups: the nearest that are not of one's own kind."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from arborlink.errors import ModelError

if TYPE_CHECKING:
    import torch

# Inner products held at a time: 64 Mi of them are 256 MiB.
_BLOCK = 1 << 26
# Queries in a block at least: fewer would leave an accelerator's matrix units idle.
_N_QUERIES = 1024
# Neighbouring products that are first looked at as one, by the highest of them.
_RUN = 64
# The lower half of a key holds a row, counted backwards so that the smaller row has the higher key.
_ROW_BITS = 32
_LAST_ROW = (1 << _ROW_BITS) - 1
# The upper half of the key of minus infinity: a pair that must not meet.
_APART = -0x7F800001

Meetings = Iterable[tuple[NDArray[np.int64], NDArray[np.int64] | None]]


def nearest_apart(
    queries: torch.Tensor,
    targets: torch.Tensor,
    k: int,
    query_groups: NDArray[np.int64],
    target_groups: NDArray[np.int64],
    *,
    allowed: Meetings | None = None,
) -> NDArray[np.int32]:
    """The k rows of ``targets`` outside a query's own group that have the highest inner product with it, exactly.

    Products are computed in float32, block by block, wherever the two tensors are; nothing is held for all pairs,
    and the answer is copied from the device once. Of each run of neighbouring products only the highest is
    ranked at first: the k best rows lie in the k best runs, which alone are then looked into.

    Args:
        queries: float32, shape (n_queries, dimension), finite.
        targets: float32, shape (n_targets, dimension), finite, on the same device.
        k: how many.
        query_groups: int64, shape (n_queries,): any numbers. A query never meets a target with its own number.
        target_groups: int64, shape (n_targets,).
        allowed: pairs of (query numbers, numbers of the targets they may meet or ``None`` for all), as
            :meth:`arborlink.labels.Labels.meetings` yields them. A query that is in no pair meets nobody; one
            that is in several is answered by the last. Everybody meets everybody if not given.

    Returns:
        int32, shape (n_queries, k): row numbers, highest product first, equal products by row number; -1 where
        there are fewer than k.

    Raises:
        ValueError: arguments whose shapes, types or devices do not go together.
        ModelError: vectors that cannot be compared or are not finite.

    Example:
        >>> import numpy as np, torch
        >>> places = torch.tensor([[1.0, 0.0], [0.9, 0.1], [0.0, 1.0]])
        >>> nearest_apart(places, places, 2, np.array([7, 7, 8]), np.array([7, 7, 8])).tolist()
        [[2, -1], [2, -1], [1, 0]]
    """
    import torch

    _check(queries, targets, k, query_groups, target_groups)
    device = queries.device
    # Small numbers, so that comparing them is cheap whatever the groups are called.
    _, groups = np.unique(np.concatenate([query_groups, target_groups]), return_inverse=True)
    own = torch.from_numpy(groups[: len(query_groups)].astype(np.int32)).to(device)
    theirs = torch.from_numpy(groups[len(query_groups) :].astype(np.int32)).to(device)
    # Under autocast the products would be rounded to half precision.
    with torch.no_grad(), torch.autocast(device.type, enabled=False):
        if allowed is None:
            found = _rows(_best_keys(queries, targets, k, own, theirs))
        else:
            found = torch.full((len(queries), k), -1, dtype=torch.int64, device=device)
            for asking, answering in allowed:
                some = torch.from_numpy(np.asarray(asking, dtype=np.int64)).to(device)
                if answering is None:
                    found[some] = _rows(_best_keys(queries[some], targets, k, own[some], theirs))
                    continue
                # Ascending, so that the smaller place is the smaller row.
                among = torch.from_numpy(np.unique(np.asarray(answering, dtype=np.int64))).to(device)
                places = _rows(_best_keys(queries[some], targets[among], k, own[some], theirs[among]))
                # The last entry is where place -1 looks.
                numbers = torch.cat([among, among.new_full((1,), -1)])
                found[some] = numbers[places]
        return found.to(torch.int32).cpu().numpy()


def _check(
    queries: torch.Tensor,
    targets: torch.Tensor,
    k: int,
    query_groups: NDArray[np.int64],
    target_groups: NDArray[np.int64],
) -> None:
    """Raise for what would otherwise come out as a wrong neighbour."""
    import torch

    if k < 0:
        raise ValueError(f"{k} nearest rows were asked for; expected 0 or more")
    if queries.device != targets.device:
        raise ValueError(f"queries are on {queries.device}, targets on {targets.device}; expected one device")
    for what, vectors, groups in (("queries", queries, query_groups), ("targets", targets, target_groups)):
        if vectors.dtype != torch.float32 or vectors.dim() != 2:
            raise ValueError(
                f"{what} are {vectors.dtype} of shape {tuple(vectors.shape)}; expected a float32 matrix"
            )
        if groups.shape != (len(vectors),):
            raise ValueError(
                f"groups of shape {groups.shape} are given for {len(vectors)} {what}; expected one for each"
            )
        # The sum of a row is finite only if all of it is.
        if not bool(torch.isfinite(vectors.detach().sum(dim=1)).all()):
            raise ModelError(f"vectors of {what} hold NaN or infinity; the encoder's weights may be damaged")
    if queries.shape[1] != targets.shape[1]:
        raise ModelError(
            f"vectors of {queries.shape[1]} and of {targets.shape[1]} dimensions cannot be compared; encode "
            "both sides with one encoder"
        )


def _best_keys(
    queries: torch.Tensor, targets: torch.Tensor, k: int, own: torch.Tensor, theirs: torch.Tensor
) -> torch.Tensor:
    """Keys of the k best targets of each query, highest first; int64, shape (n_queries, k)."""
    import torch

    nobody = torch.iinfo(torch.int64).min
    best = torch.full((len(queries), k), nobody, dtype=torch.int64, device=queries.device)
    if not (len(queries) and len(targets) and k):
        return best
    n_rows, width = _block_shape(len(queries), len(targets), k)
    room = torch.empty((n_rows, width), device=queries.device)
    for top in range(0, len(queries), n_rows):
        asked = queries[top : top + n_rows]
        for start in range(0, len(targets), width):
            some = targets[start : start + width]
            products = room[: len(asked), : -(-len(some) // _RUN) * _RUN]
            products[:, len(some) :] = -torch.inf
            held = products[:, : len(some)]
            torch.mm(asked, some.T, out=held)
            held.masked_fill_(
                own[top : top + n_rows, None] == theirs[None, start : start + width], -torch.inf
            )
            both = torch.cat([best[top : top + n_rows], _keys_within(products, k, start)], dim=1)
            best[top : top + n_rows] = both.topk(k, dim=1).values
    return best


def _block_shape(n_queries: int, n_targets: int, k: int) -> tuple[int, int]:
    """How many queries and targets to multiply at a time; the targets are a whole number of runs."""
    # What the k best runs of every query hold must stay small beside the block.
    n_rows = min(max(_N_QUERIES, _BLOCK // n_targets), _BLOCK // (8 * k * _RUN))
    n_rows = max(1, min(n_queries, n_rows))
    n_runs = min(max(1, _BLOCK // n_rows // _RUN), -(-n_targets // _RUN))
    return n_rows, n_runs * _RUN


def _keys_within(products: torch.Tensor, k: int, start: int) -> torch.Tensor:
    """Keys of the best products of each row; int64, shape (n_rows, n) with n at most k.

    A row among the k best lies in one of the k best runs, ranked by their highest product and then by place: each
    run before its own holds a row before it.

    Args:
        products: shape (n_rows, width), width a multiple of the run; minus infinity where nobody meets.
        k: how many.
        start: the number of the target in the first column.
    """
    import torch

    runs = products.view(len(products), -1, _RUN)
    highest = _keys(runs.amax(dim=2), torch.arange(runs.shape[1], device=products.device))
    chosen = _rows_of_keys(highest.topk(min(k, runs.shape[1]), dim=1).values)
    inside = runs.gather(1, chosen[:, :, None].expand(-1, -1, _RUN))
    columns = chosen[:, :, None] * _RUN + torch.arange(_RUN, device=products.device)
    keys = _keys(inside, columns + start).flatten(1)
    return keys.topk(min(k, keys.shape[1]), dim=1).values


def _keys(products: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
    """One integer for each product and its row: the higher key has the higher product, or the smaller row."""
    import torch

    bits = (products + 0.0).view(torch.int32)  # minus zero becomes zero
    # The bits of floating numbers are in order, except that negative ones run backwards.
    ordered = bits ^ ((bits >> 31) & 0x7FFFFFFF)
    return (ordered.to(torch.int64) << _ROW_BITS) | (_LAST_ROW - rows)


def _rows_of_keys(keys: torch.Tensor) -> torch.Tensor:
    return _LAST_ROW - (keys & _LAST_ROW)


def _rows(keys: torch.Tensor) -> torch.Tensor:
    """The rows that keys stand for, -1 for nobody."""
    return _rows_of_keys(keys).masked_fill(keys >> _ROW_BITS <= _APART, -1)
