"""The service keeps to its own description, whatever is sent."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import GenerationMode
from schemathesis.specs.openapi.checks import positive_data_acceptance
from service_world import made, served

N_EXAMPLES = 12
OPERATIONS = [
    ("GET", "/api/session"),
    ("POST", "/api/login"),
    ("POST", "/api/logout"),
    ("GET", "/api/status"),
    ("GET", "/api/progress"),
    ("GET", "/api/changes"),
    ("GET", "/api/proposals"),
    ("GET", "/api/proposals/{id}"),
    ("POST", "/api/proposals/{id}/unsure"),
    ("POST", "/api/proposals/{id}/open"),
    ("GET", "/api/decisions"),
    ("POST", "/api/decisions"),
    ("POST", "/api/decisions/{number}/undo"),
    ("GET", "/api/history/{id}"),
    ("GET", "/api/documents"),
    ("GET", "/api/documents/{id}"),
    ("GET", "/api/mentions/{id}/why"),
    ("GET", "/api/entities"),
    ("GET", "/api/entities/{id}"),
    ("POST", "/api/link"),
]


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    workspace = made(tmp_path_factory.mktemp("described") / "w")
    with served(workspace) as address:
        yield address


@pytest.fixture(scope="module")
def schema(address: str) -> Any:
    return schemathesis.openapi.from_url(f"{address}/api/openapi.json")


@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE])
@pytest.mark.parametrize(("method", "path"), OPERATIONS)
def test_answers_are_as_described(schema: Any, method: str, path: str, mode: Any) -> None:
    """No 5xx; every answer has a status and a shape that the description knows."""
    operation = schema[path][method]
    # ids that are nowhere, documents without mentions: no description can tell
    may_refuse = path in ("/api/decisions", "/api/link")
    n_answers = 0

    @settings(
        max_examples=N_EXAMPLES,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(generation_mode=mode))
    def check(case: Any) -> None:
        nonlocal n_answers
        response = case.call()
        assert response.status_code < 500
        case.validate_response(response, excluded_checks=[positive_data_acceptance] if may_refuse else [])
        n_answers += 1

    if mode is GenerationMode.NEGATIVE and not _takes_anything(operation):
        return
    check()
    assert n_answers


def _takes_anything(operation: Any) -> bool:
    """Whether there is a field that a wrong value could be sent in."""
    return bool(list(operation.iter_parameters()) or list(operation.body))


def test_every_address_is_described(schema: Any) -> None:
    found = schema.raw_schema
    described = {
        (method.upper(), path) for path, operations in found["paths"].items() for method in operations
    }
    assert described == set(OPERATIONS)
    for path in found["paths"].values():
        for operation in path.values():
            assert operation["description"]
            refusals = {status for status in operation["responses"] if status >= "400"}
            assert {"401", "403", "422", "503"} <= refusals
