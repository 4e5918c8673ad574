"""Reads the body of a request before anything is done with it: no more than allowed, in no more time than allowed."""

from __future__ import annotations

import asyncio

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from arborlink.service.options import Limits
from arborlink.service.problems import RefusalError


class BoundedBody:
    """Refuses bodies that are too long (413) or come too slowly (408).

    Args:
        app: what gets the body.
        limits: how long and how slow.
    """

    def __init__(self, app: ASGIApp, limits: Limits) -> None:
        self._app = app
        self._limits = limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        try:
            async with asyncio.timeout(self._limits.max_body_seconds):
                body = await self._read(Headers(scope=scope), receive)
        except TimeoutError:
            seconds = self._limits.max_body_seconds
            refusal = RefusalError(
                408, "slow_request", f"the request was not sent within {seconds:g} seconds"
            )
        except RefusalError as error:
            refusal = error
        else:
            if body is not None:
                await self._app(scope, _replayed(body, receive), send)
            return
        # what is still to come is not read, so the connection is of no more use
        refusal.headers["Connection"] = "close"
        await refusal.response()(scope, receive, send)

    async def _read(self, headers: Headers, receive: Receive) -> bytes | None:
        """The body; ``None`` if the client went away."""
        most = self._limits.max_bytes
        announced = headers.get("content-length", "0")
        if announced.isdecimal() and int(announced) > most:
            raise _too_large(most)
        parts, size, is_more = [], 0, True
        while is_more:
            message = await receive()
            if message["type"] == "http.disconnect":
                return None
            parts.append(message.get("body", b""))
            size += len(parts[-1])
            if size > most:
                raise _too_large(most)
            is_more = message.get("more_body", False)
        return b"".join(parts)


def _too_large(most: int) -> RefusalError:
    return RefusalError(413, "too_large", f"the request is longer than {most:,} bytes; send less at a time")


def _replayed(body: bytes, receive: Receive) -> Receive:
    is_given = False

    async def replay() -> Message:
        nonlocal is_given
        if is_given:
            return await receive()
        is_given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay
