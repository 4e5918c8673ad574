"""The highest inner products, by FAISS, by torch and for few queries by NumPy, against the whole matrix sorted."""

from __future__ import annotations

import tracemalloc
from importlib import import_module

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from arborlink.search import top_rows

Vectors = NDArray[np.float32]
Rows = NDArray[np.int64]
ENGINES = ("faiss", "few", "torch")
MODULE = import_module("arborlink.search.top_rows")  # the package gives this name to the function


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    use(request.param, monkeypatch)
    return str(request.param)


def use(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Search on the CPU with this library."""
    if engine == "torch":
        monkeypatch.setattr(MODULE, "find_spec", lambda name: None)
    monkeypatch.setattr(MODULE, "_FEW", 1 << 30 if engine == "few" else -1)
    monkeypatch.setattr(MODULE, "_FEW_BLOCK", 1000)


def small_blocks(monkeypatch: pytest.MonkeyPatch, n_products: int, n_queries: int, n_gathered: int) -> None:
    monkeypatch.setattr(MODULE, "_BLOCK", n_products)
    monkeypatch.setattr(MODULE, "_N_QUERIES", n_queries)
    monkeypatch.setattr(MODULE, "_N_GATHERED", n_gathered)


def integers(seed: int, n_rows: int, dimension: int = 4, largest: int = 3) -> Vectors:
    """Vectors whose products are exact in float32, so that equal ones are equal for every engine."""
    generator = np.random.default_rng(seed)
    return generator.integers(-largest, largest, (n_rows, dimension), endpoint=True).astype(np.float32)


def assert_highest(queries: Vectors, targets: Vectors, k: int, among: Rows | None = None) -> None:
    products, rows = top_rows(queries, targets, k, among=among)
    takes_part = np.arange(len(targets)) if among is None else among
    whole = queries @ targets.T
    assert products.shape == rows.shape == (len(queries), k)
    assert products.dtype == np.float32
    assert rows.dtype == np.int64
    np.testing.assert_array_equal(products, -np.sort(-whole[:, takes_part], axis=1)[:, :k])
    np.testing.assert_array_equal(np.take_along_axis(whole, rows, axis=1), products)
    for own_products, own_rows in zip(products, rows, strict=True):
        assert len(set(own_rows.tolist())) == k
        assert set(own_rows.tolist()) <= set(takes_part.tolist())
        by_rank = list(zip((-own_products).tolist(), own_rows.tolist(), strict=True))
        assert by_rank == sorted(by_rank)


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_equals_the_sorted_matrix(data: st.DataObject) -> None:
    values = st.integers(-3, 3).map(float)
    n_queries, n_targets = data.draw(st.integers(0, 12)), data.draw(st.integers(0, 30))
    queries = data.draw(arrays(np.float32, (n_queries, 3), elements=values))
    targets = data.draw(arrays(np.float32, (n_targets, 3), elements=values))
    chosen = data.draw(st.none() | st.sets(st.integers(0, n_targets - 1) if n_targets else st.nothing()))
    among = None if chosen is None else np.array(sorted(chosen), dtype=np.int64)
    k = data.draw(st.integers(0, n_targets if among is None else len(among)))
    with pytest.MonkeyPatch.context() as monkeypatch:
        use(data.draw(st.sampled_from(ENGINES)), monkeypatch)
        small_blocks(
            monkeypatch,
            data.draw(st.sampled_from([1, 20, 1000])),
            data.draw(st.integers(1, 5)),
            data.draw(st.integers(1, 9)),
        )
        assert_highest(queries, targets, k, among)


def test_many_queries_take_the_matrix_kernels(engine: str) -> None:
    assert_highest(integers(0, 300), integers(1, 900), 40)


def test_a_list_longer_than_a_block(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    small_blocks(monkeypatch, 64, 7, 13)
    among = np.arange(0, 200, 2)
    assert_highest(integers(2, 20), integers(3, 200), 37)
    assert_highest(integers(2, 20), integers(3, 200), 37, among)


def test_all_products_equal(engine: str) -> None:
    products, rows = top_rows(np.zeros((3, 4), np.float32), integers(4, 50), 50)
    assert (products == 0).all()
    np.testing.assert_array_equal(rows, np.tile(np.arange(50), (3, 1)))


def test_queries_in_any_memory_layout(engine: str) -> None:
    queries, targets = integers(5, 8, 8), integers(6, 30, 8)
    assert_highest(queries[::2, ::2], np.asfortranarray(targets)[:, ::2], 5)


def test_asking_for_more_rows_than_there_are_is_an_error(engine: str) -> None:
    with pytest.raises(ValueError, match="5 nearest rows were asked for, but only 3 take part"):
        top_rows(integers(0, 2), integers(1, 9), 5, among=np.array([1, 4, 6]))


def test_every_query_is_reported_once(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    small_blocks(monkeypatch, 100, 4, 6)
    for k, among in ((3, None), (3, np.arange(5)), (3, np.arange(0, 20, 2)), (0, None)):
        steps: list[int] = []
        top_rows(integers(0, 10), integers(1, 20), k, among=among, advance=steps.append)
        assert sum(steps) == 10


def test_torch_keeps_no_products_beyond_a_block(monkeypatch: pytest.MonkeyPatch) -> None:
    """With torch the widest product made is bounded by the block, whatever the number of targets."""
    import torch

    use("torch", monkeypatch)
    small_blocks(monkeypatch, 1000, 50, 1 << 17)
    sizes: list[int] = []
    plain = torch.Tensor.__matmul__

    def watched(left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
        product = plain(left, right)
        sizes.append(product.numel())
        return product

    monkeypatch.setattr(torch.Tensor, "__matmul__", watched)
    assert_highest(integers(0, 120), integers(1, 700), 5)
    assert len(sizes) == 35 + 35 + 14  # 50, 50 and 20 queries, in blocks of 20, 20 and 50 targets
    assert max(sizes) <= 1000


@pytest.mark.parametrize("n_targets", [63, 64, 65, 700])
@pytest.mark.parametrize("k", [1, 5, 63])
def test_few_queries_in_runs_and_blocks(n_targets: int, k: int, monkeypatch: pytest.MonkeyPatch) -> None:
    use("few", monkeypatch)
    assert_highest(integers(0, 7), integers(1, n_targets), k)
    assert_highest(integers(0, 3), integers(1, n_targets), k, np.arange(0, n_targets)[-63:])


def test_no_matrix_of_all_pairs() -> None:
    """5,000 by 100,000 products would take 2,000 MB."""
    queries, targets = integers(0, 5_000, 16), integers(1, 100_000, 16)
    tracemalloc.start()
    try:
        top_rows(queries, targets, 2)
        top_rows(queries[:500], targets, 2, among=np.arange(0, 100_000, 2))
        assert tracemalloc.get_traced_memory()[1] < 40_000_000
    finally:
        tracemalloc.stop()
