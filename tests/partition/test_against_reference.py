"""Entity, cluster, parent and weight equal those of the literal procedures on thousands of small graphs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import DTypeLike

from arborlink.partition import MODES, Mode, partition

from . import reference
from .graphs import Case, found, general_cases, neighbour_cases
from .invariants import assert_sound

many = settings(
    max_examples=1500, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)


def assert_as_expected(case: Case, mode: Mode, dtype: DTypeLike) -> None:
    expected = getattr(reference, mode)(case.edges, case.n_entities, case.n_mentions, case.threshold)
    graph = case.graph(dtype)
    got = partition(graph, mode, case.threshold)
    assert found(got).entity == expected.entity
    assert found(got).cluster == expected.cluster
    assert found(got).parent == expected.parent
    np.testing.assert_array_equal(got.weight, np.array(expected.weight, dtype))
    assert got.weight.dtype == dtype
    assert_sound(graph, got, mode, case.threshold)


@many
@given(case=general_cases(), dtype=st.sampled_from([np.float32, np.float64]))
def test_general_graphs(case: Case, dtype: DTypeLike) -> None:
    for mode in MODES:
        assert_as_expected(case, mode, dtype)


@many
@given(case=neighbour_cases(), dtype=st.sampled_from([np.float32, np.float64]))
def test_neighbour_graphs(case: Case, dtype: DTypeLike) -> None:
    for mode in MODES:
        assert_as_expected(case, mode, dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "case",
    [
        Case([], 0, 0),
        Case([], 2, 0),
        Case([], 0, 1),
        Case([], 3, 4),
        Case([(1.0, 0, 1)], 1, 1),
        Case([(1.0, 0, 1)], 1, 1, threshold=0.5),
        Case([(1.0, 0, 2), (1.0, 1, 2), (1.0, 0, 2)], 2, 1),
        Case([(1.0, 0, 1), (1.0, 1, 0)], 0, 2),
        Case([(2.0, 1, 2), (1.0, 1, 2), (1.0, 2, 1), (3.0, 0, 1), (3.0, 0, 1)], 1, 2),
    ],
    ids=str,
)
def test_smallest_graphs(mode: Mode, case: Case, dtype: DTypeLike) -> None:
    assert_as_expected(case, mode, dtype)
