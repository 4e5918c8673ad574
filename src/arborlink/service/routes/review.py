"""Proposals and decisions."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Path, Query, Response

from arborlink.service.problems import JsonResponse, not_found
from arborlink.service.routes import MinMentions, Page, PathId, PerPage, Search, errors
from arborlink.service.service import Service
from arborlink.service.shapes.decisions import ChangesAnswer, DecisionPage, HistoryAnswer
from arborlink.service.shapes.requests import AuthorBody, DecideBody, MarkBody
from arborlink.service.shapes.review import ProposalAnswer, QueueItem, QueuePage
from arborlink.service.views.changes import decision_page, history_answer
from arborlink.service.views.proposal import proposal_answer
from arborlink.service.views.proposals import Asked, queue_page

AskedState = Annotated[
    Literal["open", "unsure", "rejected", "promoted", "linked", "all"],
    Query(description="`all` are those of live discoveries: open, unsure and rejected."),
]
Sort = Literal["value", "mentions", "documents", "name", "newest", "nearest"]
DecisionNumber = Annotated[int, Path(ge=0, le=2**53)]


def proposal_routes(service: Service) -> APIRouter:
    """What was discovered, as proposals."""
    router = APIRouter(prefix="/api", tags=["proposals"])
    history = service.workspace.history

    @router.get("/proposals", response_model=QueuePage, responses=errors())
    async def proposals(
        state: AskedState = "open",
        search: Search = "",
        type: Annotated[str, Query(max_length=500)] = "",
        min_mentions: MinMentions = 1,
        sort: Sort = "value",
        page: Page = 1,
        per_page: PerPage = 50,
    ) -> Response:
        """The queue; with `sort=value` the most valuable first, with `nearest` those farthest from all entities."""
        asked = Asked(state, search, type, min_mentions, sort)
        return JsonResponse(await service.seen(lambda look: queue_page(look, asked, page, per_page)))

    @router.get("/proposals/{id:path}", response_model=ProposalAnswer, responses=errors(404, 410))
    async def proposal(id: PathId) -> Response:
        """All about one proposal: evidence, the nearest entities, the tree of its mentions."""
        return JsonResponse(
            await service.seen(lambda look: proposal_answer(look, look.live(id, history), history(id)))
        )

    @router.post(
        "/proposals/{id:path}/unsure",
        response_model=QueueItem,
        responses=errors(404, 409, 410, is_sent=True),
    )
    async def unsure(id: PathId, body: MarkBody) -> Response:
        """Put a proposal aside for now: a mark beside the workspace, which lapses when the discovery changes."""
        return JsonResponse(
            await service.deciding.run(lambda: service.mark(id, body.if_version, body.author))
        )

    @router.post(
        "/proposals/{id:path}/open", response_model=QueueItem, responses=errors(404, 410, is_sent=True)
    )
    async def reopen(id: PathId, body: AuthorBody) -> Response:
        """Take such a mark back."""
        return JsonResponse(await service.deciding.run(lambda: service.mark(id, None, body.author)))

    return router


def decision_routes(service: Service) -> APIRouter:
    """What reviewers decided."""
    router = APIRouter(prefix="/api", tags=["decisions"])

    @router.get("/decisions", response_model=DecisionPage, responses=errors())
    async def decisions(
        in_force: bool | None = None,
        author: Annotated[str | None, Query(max_length=200)] = None,
        page: Page = 1,
        per_page: PerPage = 50,
    ) -> Response:
        """All decisions, the newest first."""
        return JsonResponse(
            await service.seen(lambda look: decision_page(look, in_force, author, page, per_page))
        )

    @router.post("/decisions", response_model=ChangesAnswer, responses=errors(409, is_sent=True))
    async def decide(body: DecideBody) -> Response:
        """Decide; refused if what it is about has changed since `if_version`."""
        return JsonResponse(await service.deciding.run(lambda: service.decide(body)))

    @router.post(
        "/decisions/{number}/undo", response_model=ChangesAnswer, responses=errors(404, is_sent=True)
    )
    async def undo(number: DecisionNumber, body: AuthorBody) -> Response:
        """Undo a decision."""
        return JsonResponse(await service.deciding.run(lambda: service.undo(number, body.author)))

    @router.get("/history/{id:path}", response_model=HistoryAnswer, responses=errors(404))
    async def history(id: PathId) -> Response:
        """What happened to a discovery, alive or gone."""
        events = await service.looking.run(lambda: service.workspace.history(id))
        if not events:
            raise not_found(f"there never was a discovery {id!r}")
        return JsonResponse(await service.seen(lambda look: history_answer(look, id, events)))

    return router
