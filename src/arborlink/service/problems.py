"""What goes wrong, as one shape of JSON: ``{"error": {"code", "message", "details"}}``."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from dataclasses import fields
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from arborlink.errors import ArborLinkError, ConflictError, InputError, ModelError, WorkspaceError

_log = logging.getLogger("arborlink.service")

_CODES = {
    400: "invalid_json",
    401: "unauthorised",
    403: "forbidden",
    404: "not_found",
    405: "method_not_allowed",
    413: "too_large",
    422: "invalid",
}
_LONGEST_PLACE = 200


class JsonResponse(Response):
    """Plain values and data classes as JSON in ASCII.

    Half a surrogate pair, which a document may hold, can be told in no other way.
    """

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        """The bytes of a value."""
        text = json.dumps(content, default=_fields, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
        return text.encode("ascii")


def _fields(value: Any) -> dict[str, Any]:
    return {field.name: getattr(value, field.name) for field in fields(value)}


class RefusalError(Exception):
    """A request that is not answered as it was asked.

    Args:
        status: of HTTP.
        code: names the kind of problem, for programs.
        message: says what to do, for people.
        headers: to be sent with it.
        details: what a program may want to know beyond the code.
    """

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        headers: Mapping[str, str] | None = None,
        details: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.status, self.code, self.message = status, code, message
        self.headers = dict(headers or {})
        self.details = details

    def response(self) -> JsonResponse:
        """What is sent."""
        content = {"error": {"code": self.code, "message": self.message, "details": self.details}}
        return JsonResponse(content, self.status, self.headers)


def not_found(what: str) -> RefusalError:
    """Nothing of that name is there."""
    return RefusalError(404, "not_found", what)


def try_later(code: str, message: str, seconds: int = 1) -> RefusalError:
    """The service could answer, but not now."""
    return RefusalError(503, code, message, {"Retry-After": str(seconds)})


def problem_of(error: ArborLinkError) -> RefusalError:
    """What an error of ArborLink means to a client."""
    if isinstance(error, ConflictError):
        details = {"current_version": error.current_version, "changes": list(error.changes)}
        return RefusalError(409, "conflict", error.message, details=details)
    if isinstance(error, InputError):
        return RefusalError(422, "invalid", error.message)
    if isinstance(error, ModelError):
        return RefusalError(503, "model_failed", str(error))
    if isinstance(error, WorkspaceError):
        _log.error("workspace: %s", error)
        return try_later(
            "busy", "the workspace cannot be read or written now; the log of the service says why"
        )
    return RefusalError(422, "invalid", str(error))


def install(app: FastAPI) -> None:
    """Answer every problem of an application in the one shape."""
    app.add_exception_handler(RefusalError, _told)
    app.add_exception_handler(ArborLinkError, _told)
    app.add_exception_handler(HTTPException, _told)
    app.add_exception_handler(RequestValidationError, _told)


def as_problem(error: Exception) -> RefusalError:
    """Any exception as what a client is told."""
    match error:
        case RefusalError():
            return error
        case ArborLinkError():
            return problem_of(error)
        case HTTPException():
            return _of_http(error)
        case RequestValidationError():
            return _of_validation(error)
        case _:
            return RefusalError(500, "internal", "the service failed; its log says how")


async def _told(request: Request, error: Exception) -> Response:
    return as_problem(error).response()


def _of_http(error: HTTPException) -> RefusalError:
    phrase = HTTPStatus(error.status_code).phrase
    messages = {
        404: "there is nothing at this address",
        405: "this address does not take this method",
    }
    code = _CODES.get(error.status_code, phrase.lower().replace(" ", "_"))
    message = messages.get(error.status_code, str(error.detail) or phrase)
    return RefusalError(error.status_code, code, message, error.headers)


def _of_validation(error: RequestValidationError) -> RefusalError:
    """The first problem in words; values that were sent are not sent back."""
    found = error.errors()
    first = found[0]
    if first["type"] == "json_invalid":
        return RefusalError(
            400, "invalid_json", f"the body is no JSON: {first.get('ctx', {}).get('error', '')}"
        )
    place = ".".join(str(part) for part in first["loc"])[:_LONGEST_PLACE]
    others = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    return RefusalError(422, "invalid", f"{place}: {first['msg']}{others}")
