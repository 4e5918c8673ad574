"""The addresses under ``/api``, one module for each kind of thing."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Path, Query

from arborlink.service.shapes.overview import ErrorAnswer

_MEANINGS = {
    400: "The body is no JSON.",
    401: "The token of the service is missing or wrong.",
    403: "The request comes from another site, or under a name the service does not go by.",
    404: "There is nothing of that name.",
    405: "The address does not take this method.",
    408: "The request was sent too slowly.",
    409: "What the request is about has changed since; the details say what.",
    410: "The discovery was there once; the details say what it is now.",
    413: "The request is too large.",
    415: "The request is not JSON.",
    422: "A field has a value that cannot be used, or the decision cannot hold.",
    503: "Too much to do, the model is not loaded, or the workspace is being written; try again later.",
    504: "The work took too long.",
}
_EVERYWHERE = (401, 403, 405, 408, 413, 422, 503)
_WHERE_SENT = (400, 415)
_SAME_SHAPE = {"application/json": {"schema": {"$ref": "#/components/schemas/ErrorAnswer"}}}


def errors(*statuses: int, is_sent: bool = False) -> dict[int | str, dict[str, Any]]:
    """Answers of a route that are refusals, for the OpenAPI description.

    Args:
        statuses: those beyond what any route may answer.
        is_sent: whether the route takes a body.
    """
    found = sorted({*_EVERYWHERE, *statuses, *(_WHERE_SENT if is_sent else ())})
    described: dict[int | str, dict[str, Any]] = {
        status: {"description": _MEANINGS[status], "content": _SAME_SHAPE} for status in found
    }
    # one of them brings the shape into the description, the others refer to it: each model takes time to make
    described[422] = {"description": _MEANINGS[422], "model": ErrorAnswer}
    return described


Page = Annotated[int, Query(ge=1, le=1_000_000, description="Counted from 1.")]
PerPage = Annotated[int, Query(ge=1, le=200, description="Items of a page.")]
Search = Annotated[str, Query(max_length=500, description="Words that must all occur.")]
MinMentions = Annotated[int, Query(ge=1, le=1_000_000, description="Leave out smaller discoveries.")]
PathId = Annotated[str, Path(min_length=1, max_length=1000)]
