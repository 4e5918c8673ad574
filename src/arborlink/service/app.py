"""The application: routes behind the guard, problems in one shape, a description at ``/api/openapi.json``."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import PackageNotFoundError, version

from fastapi import FastAPI

from arborlink.service.body import BoundedBody
from arborlink.service.guard import Guard
from arborlink.service.options import ServiceOptions
from arborlink.service.page_files import add_page_files
from arborlink.service.problems import install
from arborlink.service.routes.content import content_routes
from arborlink.service.routes.overview import overview_routes, session_routes
from arborlink.service.routes.review import decision_routes, proposal_routes
from arborlink.service.service import Service
from arborlink.service.session import Doorkeeper
from arborlink.workspace import Workspace

_DESCRIPTION = (
    "A workspace of ArborLink for reviewers: proposals for new entities, decisions about them, documents with their "
    "links, and linking of documents that are not kept. Every refusal has the same shape."
)


def create_app(workspace: Workspace, options: ServiceOptions | None = None) -> FastAPI:
    """The application of a workspace; it closes the workspace when it ends.

    Args:
        workspace: open. Best without a cache on disk: texts of requests need not be kept.
        options: how the service is run.

    Example::

        app = create_app(Workspace.open("review", cache=False))
    """
    options = options or ServiceOptions()
    service, doorkeeper = Service(workspace, options), Doorkeeper(options.token)

    @asynccontextmanager
    async def running(app: FastAPI) -> AsyncIterator[None]:
        service.start()
        try:
            yield
        finally:
            service.close()

    app = FastAPI(
        title="ArborLink",
        version=_version(),
        description=_DESCRIPTION,
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        lifespan=running,
    )
    app.state.service = service
    install(app)
    for router in (
        session_routes(doorkeeper),
        overview_routes(service),
        proposal_routes(service),
        decision_routes(service),
        content_routes(service),
    ):
        app.include_router(router)
    add_page_files(app)
    # the last one added is the outermost: nobody gets past the guard to send a body
    app.add_middleware(BoundedBody, limits=options.limits)
    app.add_middleware(Guard, options=options, doorkeeper=doorkeeper)
    return app


def _version() -> str:
    try:
        return version("arborlink")
    except PackageNotFoundError:
        return "0"
