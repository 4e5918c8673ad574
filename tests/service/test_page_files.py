"""The files of the review page: a fixed table, nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest
from starlette.testclient import TestClient

import arborlink.report
import arborlink.service
from arborlink.service.guard import CONTENT_SECURITY_POLICY
from arborlink.service.page_files import page_files

PAGE = Path(arborlink.service.__file__).parent / "page"
ASSETS = Path(arborlink.report.__file__).parent / "assets"


def test_the_table_holds_the_files_of_two_folders() -> None:
    table = page_files()
    for folder, prefix in ((PAGE, "/page/"), (ASSETS, "/assets/")):
        for path in folder.iterdir():
            if path.suffix in (".js", ".css", ".svg", ".png"):
                assert table[prefix + path.name].content == path.read_bytes()
    assert table["/"].content == (PAGE / "index.html").read_bytes()
    assert all(file.media_type.startswith(("text/", "image/")) for file in table.values())
    assert not any(address.endswith((".py", ".html")) for address in table)


@pytest.mark.parametrize(
    ("address", "media_type"),
    [
        ("/", "text/html; charset=utf-8"),
        ("/assets/dom.js", "text/javascript; charset=utf-8"),
        ("/assets/style.css", "text/css; charset=utf-8"),
    ],
)
def test_files_have_their_type_and_the_policy(client: TestClient, address: str, media_type: str) -> None:
    found = client.get(address)
    assert found.status_code == 200
    assert found.headers["content-type"] == media_type
    assert found.headers["content-security-policy"] == CONTENT_SECURITY_POLICY
    assert found.headers["cache-control"] == "no-cache"
    again = client.get(address, headers={"If-None-Match": found.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_the_policy_forbids_what_is_inline() -> None:
    assert "unsafe" not in CONTENT_SECURITY_POLICY
    assert "default-src 'none'" in CONTENT_SECURITY_POLICY
    assert "frame-ancestors 'none'" in CONTENT_SECURITY_POLICY


def test_the_page_needs_no_token_and_tells_nothing(client: TestClient) -> None:
    page = client.get("/").text
    assert "<script>" not in page
    assert "style=" not in page
    assert "Menabrea" not in page
