"""The highest inner products between the rows of two matrices."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import torch

# Inner products that torch holds at a time: 64 Mi of them are 256 MiB.
_BLOCK = 1 << 26
# Queries between two steps of a progress bar.
_N_QUERIES = 4096
# Queries, and rows asked for, that FAISS is slower for than one product and a look at the highest of each run.
_FEW, _RUN = 512, 64
# Inner products of few queries held at a time: 1 Mi of them are 4 MiB, which stay in the processor's cache.
_FEW_BLOCK = 1 << 20
# Targets copied at a time when only some rows take part.
_N_GATHERED = 1 << 17

Top = tuple[NDArray[np.float32], NDArray[np.int64]]
Search = Callable[[NDArray[np.float32], NDArray[np.float32], int], Top]


def top_rows(
    queries: NDArray[np.float32],
    targets: NDArray[np.float32],
    k: int,
    *,
    among: NDArray[np.int64] | None = None,
    device: str = "cpu",
    advance: Callable[[int], None] = lambda n: None,
) -> Top:
    """The k rows of ``targets`` with the highest inner product with each row of ``queries``, exactly.

    Args:
        queries: float32, shape (n_queries, dimension).
        targets: float32, shape (n_targets, dimension).
        k: how many; at most as many as rows take part.
        among: the rows of ``targets`` that take part, ascending; all if not given.
        device: where torch searches; ``cpu`` uses FAISS if it is installed.
        advance: told how many queries were just answered.

    Returns:
        (products, rows): float32 and int64, shape (n_queries, k), highest product first, equal products by row.
        Where more rows share the last product than there is room for, any of them may be the ones returned.
    """
    n_targets = len(targets) if among is None else len(among)
    if k > n_targets:
        raise ValueError(f"{k} nearest rows were asked for, but only {n_targets} take part")
    if among is not None and 0 < len(among) <= _N_GATHERED:  # one copy serves all queries
        products, places = top_rows(queries, targets[among], k, device=device, advance=advance)
        return products, among[places]
    products = np.empty((len(queries), k), dtype=np.float32)
    rows = np.empty((len(queries), k), dtype=np.int64)
    if k == 0:
        advance(len(queries))
        return products, rows
    on_cpu = device == "cpu" and find_spec("faiss") is not None
    is_small = len(queries) <= _FEW and k <= _RUN
    search: Search = (_few_top if is_small else _faiss_top) if on_cpu else _TorchTop(device)
    for start in range(0, len(queries), _N_QUERIES):
        chunk = slice(start, start + _N_QUERIES)
        if among is None:
            found = _ordered(*search(queries[chunk], targets, k))
        else:
            found = _top_among(search, queries[chunk], targets, k, among)
        products[chunk], rows[chunk] = found
        advance(len(found[0]))
    return products, rows


def _top_among(
    search: Search,
    queries: NDArray[np.float32],
    targets: NDArray[np.float32],
    k: int,
    among: NDArray[np.int64],
) -> Top:
    """Search block by block of the rows that take part, keeping the best k so far."""
    products = np.empty((len(queries), 0), dtype=np.float32)
    rows = np.empty((len(queries), 0), dtype=np.int64)
    for start in range(0, len(among), _N_GATHERED):
        block = among[start : start + _N_GATHERED]
        high, places = search(queries, targets[block], min(k, len(block)))
        products, rows = _ordered(
            np.concatenate([products, high], axis=1), np.concatenate([rows, block[places]], axis=1)
        )
        products, rows = products[:, :k], rows[:, :k]
    return products, rows


def _ordered(products: NDArray[np.float32], rows: NDArray[np.int64]) -> Top:
    order = np.lexsort((rows, -products), axis=1)
    return np.take_along_axis(products, order, axis=1), np.take_along_axis(rows, order, axis=1)


def _faiss_top(queries: NDArray[np.float32], targets: NDArray[np.float32], k: int) -> Top:
    import faiss

    queries, targets = np.ascontiguousarray(queries), np.ascontiguousarray(targets)
    products, rows = faiss.knn(queries, targets, k, metric=faiss.METRIC_INNER_PRODUCT)
    return products, rows


def _few_top(queries: NDArray[np.float32], targets: NDArray[np.float32], k: int) -> Top:
    """For few queries: of each run of neighbouring products only the highest is ranked at first.

    The k best rows lie in the k best runs, ranked by their highest product.
    """
    products = np.empty((len(queries), 0), dtype=np.float32)
    rows = np.empty((len(queries), 0), dtype=np.int64)
    width = max(1, _FEW_BLOCK // max(1, len(queries)) // _RUN) * _RUN
    for start in range(0, len(targets), width):
        some = targets[start : start + width]
        n_runs = -(-len(some) // _RUN)
        block = np.full((len(queries), n_runs * _RUN), -np.inf, dtype=np.float32)
        np.matmul(queries, some.T, out=block[:, : len(some)])
        runs = block.reshape(len(queries), n_runs, _RUN)
        best = _places_of_highest(runs.max(axis=2), min(k, n_runs))
        inside = np.take_along_axis(runs, best[:, :, None], axis=1).reshape(len(queries), -1)
        place = _places_of_highest(inside, min(k, len(some)))
        row = (best[:, :, None] * _RUN + np.arange(_RUN)).reshape(len(queries), -1) + start
        products = np.concatenate([products, np.take_along_axis(inside, place, axis=1)], axis=1)
        rows = np.concatenate([rows, np.take_along_axis(row, place, axis=1)], axis=1)
    kept = _places_of_highest(products, k)
    return np.take_along_axis(products, kept, axis=1), np.take_along_axis(rows, kept, axis=1)


def _places_of_highest(values: NDArray[np.float32], k: int) -> NDArray[np.int64]:
    """Columns of the k highest values of each row, in no order."""
    if k >= values.shape[1]:
        return np.broadcast_to(np.arange(values.shape[1]), values.shape)
    return np.argpartition(values, values.shape[1] - k, axis=1)[:, values.shape[1] - k :]


class _TorchTop:
    """Search with torch; the targets of the last call stay on the device, where the next chunk needs them."""

    def __init__(self, device: str) -> None:
        self.device = device
        self._held: tuple[NDArray[np.float32], torch.Tensor] | None = None

    def __call__(self, queries: NDArray[np.float32], targets: NDArray[np.float32], k: int) -> Top:
        import torch

        on_device = self._on_device(targets)
        asked = torch.from_numpy(np.ascontiguousarray(queries)).to(self.device)
        width = max(k, _BLOCK // max(1, len(asked)))
        products = torch.empty((len(asked), 0), device=self.device)
        rows = torch.empty((len(asked), 0), dtype=torch.int64, device=self.device)
        for start in range(0, len(on_device), width):
            block = asked @ on_device[start : start + width].T
            high, place = block.topk(min(k, block.shape[1]), dim=1)
            products = torch.cat([products, high], dim=1)
            rows = torch.cat([rows, place + start], dim=1)
            if products.shape[1] > k:
                products, keep = products.topk(k, dim=1)
                rows = rows.gather(1, keep)
        return products.cpu().numpy(), rows.cpu().numpy()

    def _on_device(self, targets: NDArray[np.float32]) -> torch.Tensor:
        import torch

        if self._held is None or self._held[0] is not targets:
            self._held = None  # the device may have no room for both
            self._held = (targets, torch.from_numpy(np.ascontiguousarray(targets)).to(self.device))
        return self._held[1]
