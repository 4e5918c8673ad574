"""HTTP as uvicorn speaks it, with two things more: no endless waiting for a request, and refusals that are JSON."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any, ClassVar

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from arborlink.service.guard import HEADERS
from arborlink.service.problems import RefusalError


class PatientProtocol(H11Protocol):
    """Closes a connection whose next request does not come whole to the end of its headers within some seconds.

    The body has a limit of its own (:mod:`arborlink.service.body`), and a connection without a request is closed by
    uvicorn's keep-alive. Without this one, a client that sends a byte now and then would hold its connection for
    ever.
    """

    max_head_seconds: ClassVar[float] = 15.0

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._head_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """A client is there."""
        super().connection_made(transport)
        self._watch_head()

    def data_received(self, data: bytes) -> None:
        """A client sends something."""
        super().data_received(data)
        self._watch_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """A client is gone."""
        super().connection_lost(exc)
        self._stop_timer()

    def send_400_response(self, msg: str) -> None:
        """Answer what is no HTTP."""
        body = RefusalError(400, "invalid_http", "this is no HTTP request that can be read").response().body
        headers = [(name.lower(), value) for name, value in HEADERS.items()]
        headers += [("content-type", "application/json"), ("content-length", str(len(body)))]
        response = h11.Response(status_code=400, headers=[*headers, ("connection", "close")])
        # nothing can be said any more where an answer has begun
        with suppress(h11.LocalProtocolError):
            for event in (response, h11.Data(data=bytes(body)), h11.EndOfMessage()):
                self.transport.write(self.conn.send(event) or b"")
        self.transport.close()

    def _watch_head(self) -> None:
        is_waiting = self.conn.their_state is h11.IDLE and not self.transport.is_closing()
        if not is_waiting:
            self._stop_timer()
        elif self._head_timer is None:
            self._head_timer = self.loop.call_later(self.max_head_seconds, self._give_up)

    def _give_up(self) -> None:
        self._head_timer = None
        if self.conn.their_state is h11.IDLE and self.conn.our_state is h11.IDLE:
            self.transport.close()

    def _stop_timer(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None
