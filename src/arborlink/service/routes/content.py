"""Documents, mentions, entities, and linking without keeping."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Response

from arborlink.service.problems import JsonResponse
from arborlink.service.routes import Page, PathId, PerPage, Search, errors
from arborlink.service.service import Service
from arborlink.service.shapes.documents import (
    DocumentAnswer,
    DocumentPage,
    EntityAnswer,
    EntityList,
    LinkAnswer,
    WhyAnswer,
)
from arborlink.service.shapes.requests import LinkBody
from arborlink.service.views.documents import document_answer, document_page, why_answer
from arborlink.service.views.entities import entity_answer, entity_list


def content_routes(service: Service) -> APIRouter:
    """What the workspace holds."""
    router = APIRouter(prefix="/api", tags=["content"])

    @router.get("/documents", response_model=DocumentPage, responses=errors())
    async def documents(search: Search = "", page: Page = 1, per_page: PerPage = 50) -> Response:
        """Documents, in the order they came."""
        return JsonResponse(await service.seen(lambda look: document_page(look, search, page, per_page)))

    @router.get("/documents/{id:path}", response_model=DocumentAnswer, responses=errors(404))
    async def document(id: PathId) -> Response:
        """A document with its mentions and where they are."""
        return JsonResponse(await service.seen(lambda look: document_answer(look, id)))

    @router.get("/mentions/{id:path}/why", response_model=WhyAnswer, responses=errors(404))
    async def why(id: PathId) -> Response:
        """Why a mention is where it is: the path, its weakest edge, the runner-up."""
        return JsonResponse(await service.seen(lambda look: why_answer(look, id)))

    @router.get("/entities", response_model=EntityList, responses=errors())
    async def entities(search: Search = "", limit: Annotated[int, Query(ge=1, le=100)] = 20) -> Response:
        """Entities by name, the best match first."""
        return JsonResponse(
            await service.seen(lambda look: entity_list(look, service.entity_search(look), search, limit))
        )

    @router.get("/entities/{id:path}", response_model=EntityAnswer, responses=errors(404))
    async def entity(id: PathId) -> Response:
        """An entity with some of its mentions."""
        return JsonResponse(await service.seen(lambda look: entity_answer(look, id)))

    @router.post("/link", response_model=LinkAnswer, responses=errors(504, is_sent=True), tags=["linking"])
    async def link(body: LinkBody) -> Response:
        """Link documents to the knowledge base of the workspace, which does not keep them."""
        return JsonResponse(await service.linking.run(lambda: service.link(body)))

    return router
