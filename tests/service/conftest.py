"""A workspace behind the service, and a client that talks to it in this process."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from service_world import made
from starlette.testclient import TestClient

from arborlink.service import ServiceOptions, create_app
from arborlink.workspace import Workspace

MakeClient = Callable[..., TestClient]


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return made(tmp_path / "w")


@pytest.fixture
def make_client(workspace: Workspace) -> Iterator[MakeClient]:
    """``make_client(token=…)``: a client of the service with these options, whose model is there."""
    with ExitStack() as open_ones:

        def make(given: Workspace | None = None, is_waited_for: bool = True, **options: Any) -> TestClient:
            app = create_app(given or workspace, ServiceOptions(**options))
            client = open_ones.enter_context(TestClient(app, base_url="http://127.0.0.1:8000"))
            while is_waited_for and app.state.service.model.state == "loading":
                time.sleep(0.005)
            return client

        yield make


@pytest.fixture
def client(make_client: MakeClient) -> TestClient:
    return make_client()
