"""Who is turned away, and that every refusal has the one shape."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from starlette.testclient import TestClient

from arborlink.errors import InputError
from arborlink.service import Limits, ServiceOptions
from arborlink.service.guard import HEADERS

MakeClient = Callable[..., TestClient]
TOKEN = "a-token-nobody-guesses"
LINK = {"documents": [{"text": "Turin", "mentions": [{"start": 0, "end": 5}]}]}


def error_of(response: Any, status: int, code: str) -> dict[str, Any]:
    """The error of a refusal, whose shape and headers are those of all."""
    assert response.status_code == status
    assert response.headers["content-type"] == "application/json"
    for name, value in HEADERS.items():
        assert response.headers[name] == value
    (error,) = response.json().values()
    assert set(error) == {"code", "message", "details"}
    assert error["code"] == code
    assert error["message"]
    return dict(error)


@pytest.mark.parametrize(
    "address",
    [
        "/nothing",
        "/api",
        "/api/",
        "/api/nothing",
        "/page/",
        "/page/../../../etc/passwd",
        "/page/%2e%2e/%2e%2e/service.py",
        "/page/..%2f..%2fservice.py",
        "/assets/../report.py",
        "/assets//etc/passwd",
        "/page/index.html%00.js",
        "/static/x",
        "/docs",
        "/api/documents/" + "x" * 900,
        "/api/documents/nowhere",
        "/api/documents/%00%ff%0a",
        "/api/mentions/nowhere/why",
        "/api/entities/nowhere",
        "/api/proposals/nowhere",
        "/api/history/nowhere",
    ],
)
def test_what_is_not_there(client: TestClient, address: str) -> None:
    error_of(client.get(address), 404, "not_found")


@pytest.mark.parametrize(
    ("method", "address"),
    [("DELETE", "/api/decisions"), ("POST", "/api/status"), ("PUT", "/api/link"), ("GET", "/api/link")],
)
def test_methods_that_are_not_taken(client: TestClient, method: str, address: str) -> None:
    error_of(client.request(method, address, json={}), 405, "method_not_allowed")


@pytest.mark.parametrize(
    "query",
    [
        "proposals?page=0",
        "proposals?page=x",
        "proposals?per_page=201",
        "proposals?state=lost",
        "proposals?sort=luck",
        "proposals?min_mentions=-1",
        "proposals?search=" + "x" * 501,
        "entities?limit=0",
        "changes?since=-1",
        "changes?since=99999999999999999999",
        "decisions?in_force=perhaps",
        "documents/" + "x" * 1001,
    ],
)
def test_queries_out_of_range(client: TestClient, query: str) -> None:
    error_of(client.get(f"/api/{query}"), 422, "invalid")


@pytest.mark.parametrize("body", [b"", b"{", b"\xff\xfe", b"nothing", b'{"documents": [' + b"[" * 2000])
def test_bodies_that_are_no_json(client: TestClient, body: bytes) -> None:
    response = client.post("/api/link", content=body, headers={"Content-Type": "application/json"})
    assert response.status_code in (400, 422)
    error_of(response, response.status_code, "invalid_json" if response.status_code == 400 else "invalid")


@pytest.mark.parametrize(
    "body",
    [
        [],
        {},
        {"documents": []},
        {"documents": [{"text": 1}]},
        {"documents": [{"text": "a", "more": 1}]},
        {"documents": [{"text": "Turin", "mentions": [{"start": 0, "end": 99}]}]},
        {"documents": [{"text": "Turin", "mentions": [{"start": 3, "end": 3}]}]},
        {"documents": [{"text": "Turin", "mentions": [{"start": -1, "end": 3}]}]},
        {"documents": [{"text": "Turin", "mentions": [{"start": "0", "end": 3}]}]},
        {"documents": [{"text": "     ", "mentions": [{"start": 0, "end": 3}]}]},
        {"documents": [{"text": "no mention"}]},
        {"documents": [{"id": "a", "text": "x"}, {"id": "a", "text": "y"}]},
        {"documents": [{"text": "\ud800", "mentions": [{"start": 0, "end": 1}]}]},
        {**LINK, "candidates": 51},
    ],
)
def test_documents_that_cannot_be_linked(client: TestClient, body: Any) -> None:
    import json

    content = json.dumps(body).encode()
    response = client.post("/api/link", content=content, headers={"Content-Type": "application/json"})
    error_of(response, 422, "invalid")


@pytest.mark.parametrize(
    ("limits", "what"),
    [
        ({"max_documents": 1}, "documents"),
        ({"max_mentions": 1}, "mentions"),
        ({"max_characters": 9}, "characters"),
        ({"max_bytes": 100}, "bytes"),
    ],
)
def test_requests_that_are_too_large(make_client: MakeClient, limits: dict[str, int], what: str) -> None:
    client = make_client(limits=Limits(**limits))
    two = {"documents": LINK["documents"] * 2}
    error = error_of(client.post("/api/link", json=two), 413, "too_large")
    assert what in error["message"]


def test_a_body_without_a_length_is_bounded_too(make_client: MakeClient) -> None:
    client = make_client(limits=Limits(max_bytes=1000))
    pieces = (b" " * 100 for _ in range(1000))
    response = client.post("/api/link", content=pieces, headers={"Content-Type": "application/json"})
    error_of(response, 413, "too_large")


@pytest.mark.parametrize(
    "content_type", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""]
)
def test_only_json_changes_anything(client: TestClient, content_type: str) -> None:
    response = client.post("/api/decisions", content=b"{}", headers={"Content-Type": content_type})
    error_of(response, 415, "unsupported_media_type")


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:9999"},
        {"Origin": "http://127.0.0.1:8000.evil.example"},
        {"Origin": "http://["},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
def test_pages_of_other_sites_cannot_change_anything(client: TestClient, headers: dict[str, str]) -> None:
    body = {"decision": {"kind": "reject", "discovery": "new-000001"}, "if_version": 2}
    error_of(client.post("/api/decisions", json=body, headers=headers), 403, "forbidden")
    error_of(client.post("/api/login", json={"token": "x"}, headers=headers), 403, "forbidden")
    assert client.get("/api/status").json()["version"] == 2


def test_pages_of_other_sites_are_not_told_anything(client: TestClient) -> None:
    error_of(client.get("/api/status", headers={"Sec-Fetch-Site": "cross-site"}), 403, "forbidden")
    assert "access-control-allow-origin" not in client.get("/api/status").headers


def test_the_page_itself_may_change_things(client: TestClient) -> None:
    headers = {"Origin": "http://127.0.0.1:8000", "Sec-Fetch-Site": "same-origin"}
    body = {"decision": {"kind": "reject", "discovery": "new-000001"}, "if_version": 2}
    assert client.post("/api/decisions", json=body, headers=headers).status_code == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8000", "127.0.0.1.evil.example", "", "[", "10.0.0.1"]
)
def test_names_that_were_made_to_point_here(client: TestClient, host: str) -> None:
    for address in ("/", "/api/status", "/api/session"):
        error_of(client.get(address, headers={"Host": host}), 403, "forbidden")


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:8000", "127.0.0.1:1", "[::1]:8000"])
def test_names_of_this_machine(client: TestClient, host: str) -> None:
    assert client.get("/api/status", headers={"Host": host}).status_code == 200


def test_a_name_that_was_allowed(make_client: MakeClient) -> None:
    client = make_client(allowed_hosts=("review.example",))
    assert client.get("/api/status", headers={"Host": "review.example"}).status_code == 200
    assert client.get("/api/status", headers={"Host": "other.example"}).status_code == 403


ADDRESSES = ["/api/status", "/api/proposals", "/api/documents/d1", "/api/openapi.json", "/api/nothing"]


@pytest.mark.parametrize(
    "given", [None, "Bearer wrong", "Bearer", f"Basic {TOKEN}", f"Bearer {TOKEN}x", "Bearer é"]
)
def test_without_the_token_nothing_is_told(make_client: MakeClient, given: str | None) -> None:
    client = make_client(token=TOKEN)
    headers = {} if given is None else {b"Authorization": given.encode("latin-1")}
    for address in ADDRESSES:
        response = client.get(address, headers=headers)
        error_of(response, 401, "unauthorised")
        assert response.headers["www-authenticate"] == "Bearer"
    error_of(client.post("/api/link", json=LINK, headers=headers), 401, "unauthorised")


def test_with_the_token_everything_is(make_client: MakeClient) -> None:
    client = make_client(token=TOKEN)
    headers = {"Authorization": f"Bearer {TOKEN}"}
    assert client.get("/api/status", headers=headers).status_code == 200
    assert client.post("/api/link", json=LINK, headers=headers).status_code == 200


def test_signing_in_and_out(make_client: MakeClient) -> None:
    client = make_client(token=TOKEN)
    assert client.get("/api/session").json() == {"needs_token": True, "is_signed_in": False}
    error_of(client.post("/api/login", json={"token": "wrong"}), 401, "unauthorised")
    signed = client.post("/api/login", json={"token": TOKEN})
    cookie = signed.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert TOKEN not in cookie
    assert client.get("/api/session").json()["is_signed_in"]
    assert client.get("/api/status").status_code == 200
    client.post("/api/logout", json={})
    assert client.get("/api/status").status_code == 401


def test_a_cookie_of_another_token_is_worth_nothing(make_client: MakeClient) -> None:
    signed = make_client(token=TOKEN).post("/api/login", json={"token": TOKEN})
    name, _, value = signed.headers["set-cookie"].partition(";")[0].partition("=")
    fresh = make_client(token=TOKEN)
    for other in (value[:-1], value + "0", "", TOKEN):
        fresh.cookies.set(name, other)
        assert fresh.get("/api/status").status_code == 401
    fresh.cookies.set(name, value)
    assert fresh.get("/api/status").status_code == 200
    elsewhere = make_client(token=TOKEN[::-1])
    elsewhere.cookies.set(name, value)
    assert elsewhere.get("/api/status").status_code == 401


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.0.7", "::", "example.org"])
def test_other_addresses_need_a_token(host: str) -> None:
    with pytest.raises(InputError, match="--token-file"):
        ServiceOptions(host=host)
    assert not ServiceOptions(host=host, token=TOKEN).is_loopback


@pytest.mark.parametrize("host", ["127.0.0.1", "127.1.2.3", "localhost", "::1", "[::1]"])
def test_this_machine_needs_none(host: str) -> None:
    assert ServiceOptions(host=host).is_loopback


@pytest.mark.parametrize(
    "token", ["short", "with a blank in it, long", "ünicode-that-is-long", "line\nend-that-is-long"]
)
def test_tokens_that_will_not_do(token: str) -> None:
    with pytest.raises(InputError, match="token"):
        ServiceOptions(token=token)


def test_the_token_is_not_shown() -> None:
    assert TOKEN not in repr(ServiceOptions(token=TOKEN))


def test_a_failure_is_told_without_its_reasons(
    client: TestClient, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("a secret of the house")

    monkeypatch.setattr("arborlink.service.routes.content.document_answer", fail)
    error = error_of(client.get("/api/documents/d1"), 500, "internal")
    assert "secret" not in error["message"]
    assert "a secret of the house" in caplog.text
