"""How the service and the workspace are, and who is signed in."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response

from arborlink.service.problems import JsonResponse, RefusalError
from arborlink.service.routes import MinMentions, errors
from arborlink.service.service import Service
from arborlink.service.session import Doorkeeper
from arborlink.service.shapes.overview import (
    ChangesSince,
    InferenceAnswer,
    LimitsAnswer,
    ModelAnswer,
    ProgressAnswer,
    SessionAnswer,
    StatusAnswer,
)
from arborlink.service.shapes.requests import LoginBody, NoBody
from arborlink.service.views.changes import changes_since
from arborlink.service.views.proposals import progress


def session_routes(doorkeeper: Doorkeeper) -> APIRouter:
    """Signing in and out; open to everybody who reaches the service."""
    router = APIRouter(prefix="/api", tags=["session"])

    @router.get("/session", response_model=SessionAnswer, responses=errors())
    async def session(request: Request) -> Response:
        """Whether a token is asked for, and whether this client has given it."""
        return JsonResponse(SessionAnswer(doorkeeper.needs_token, doorkeeper.lets_in(request.headers)))

    @router.post("/login", response_model=SessionAnswer, responses=errors(is_sent=True))
    async def login(body: LoginBody) -> Response:
        """Give the token for a cookie that scripts cannot read."""
        if not doorkeeper.knows(body.token):
            raise RefusalError(401, "unauthorised", "this is not the token of the service")
        headers = {"Set-Cookie": doorkeeper.cookie_header()} if doorkeeper.needs_token else {}
        return JsonResponse(SessionAnswer(doorkeeper.needs_token, True), headers=headers)

    @router.post("/logout", response_model=SessionAnswer, responses=errors(is_sent=True))
    async def logout(body: NoBody) -> Response:
        """Give the cookie back."""
        headers = {"Set-Cookie": doorkeeper.cookie_header(is_leaving=True)}
        return JsonResponse(
            SessionAnswer(doorkeeper.needs_token, not doorkeeper.needs_token), headers=headers
        )

    return router


def overview_routes(service: Service) -> APIRouter:
    """What the workspace holds, and how far the review is."""
    router = APIRouter(prefix="/api", tags=["overview"])

    @router.get("/status", response_model=StatusAnswer, responses=errors())
    async def status() -> Response:
        """What the workspace holds, and whether the model is there."""
        return JsonResponse(await service.looking.run(lambda: _status(service)))

    @router.get("/progress", response_model=ProgressAnswer, responses=errors())
    async def review_progress(min_mentions: MinMentions = 1) -> Response:
        """How far the review is."""
        return JsonResponse(await service.seen(lambda look: progress(look, min_mentions)))

    @router.get("/changes", response_model=ChangesSince, responses=errors())
    async def changes(since: Annotated[int, Query(ge=0, le=2**53)] = 0) -> Response:
        """What was committed after a version, by whichever process; cheap enough to be asked often."""
        return JsonResponse(
            await service.seen(lambda look: changes_since(look, service.workspace.log(), since))
        )

    return router


def _status(service: Service) -> StatusAnswer:
    found, limits = service.workspace.status(), service.options.limits
    settings, inference = found.settings, found.settings.inference
    return StatusAnswer(
        version=found.version,
        title=service.workspace.folder.resolve().name,
        n_documents=found.n_documents,
        n_mentions=found.n_mentions,
        n_entities=found.n_entities,
        n_linked=found.n_linked,
        n_discoveries=found.n_discoveries,
        n_rejected=found.n_rejected,
        n_decisions=found.n_decisions,
        model=ModelAnswer(
            settings.choice.name, settings.fingerprint, service.model.state, service.model.failure
        ),
        inference=InferenceAnswer(
            inference.mode, inference.neighbours, inference.threshold, inference.by_type
        ),
        limits=LimitsAnswer(
            limits.max_bytes,
            limits.max_documents,
            limits.max_mentions,
            limits.max_characters,
            limits.max_seconds,
        ),
    )
