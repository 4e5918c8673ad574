"""What every request must pass before it is looked at, and the headers that every answer has."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from arborlink.service.options import ServiceOptions
from arborlink.service.problems import RefusalError, as_problem
from arborlink.service.session import Doorkeeper

_log = logging.getLogger("arborlink.service")

API = "/api/"
OPEN_PATHS = frozenset({"/api/session", "/api/login", "/api/logout"})
_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})

CONTENT_SECURITY_POLICY = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "font-src 'self'",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
    ]
)
HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}


class Guard:
    """Turns away who comes under another name, from another site or without the token.

    Args:
        app: what is guarded.
        options: names and token of the service.
        doorkeeper: knows the token.
    """

    def __init__(self, app: ASGIApp, options: ServiceOptions, doorkeeper: Doorkeeper) -> None:
        self._app = app
        self._doorkeeper = doorkeeper
        self._hosts = _hosts(options)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        secured = _Secured(send, scope["path"])
        try:
            self._check(scope)
            await self._app(scope, receive, secured)
        except RefusalError as refusal:
            await refusal.response()(scope, receive, secured)
        except Exception as error:
            _log.exception("%s %s failed", scope["method"], scope["path"][:200])
            if secured.has_begun:
                raise
            await as_problem(error).response()(scope, receive, secured)

    def _check(self, scope: Scope) -> None:
        headers = Headers(scope=scope)
        self._check_host(headers)
        if not scope["path"].startswith(API):
            return
        _check_site(headers)
        if scope["method"] not in _SAFE_METHODS:
            _check_origin(headers)
            _check_json(headers)
        if scope["path"] not in OPEN_PATHS and not self._doorkeeper.lets_in(headers):
            raise RefusalError(
                401,
                "unauthorised",
                "this needs the token of the service, as `Authorization: Bearer …` or by signing in",
                {"WWW-Authenticate": "Bearer"},
            )

    def _check_host(self, headers: Headers) -> None:
        """A page of another site may have its name point here (DNS rebinding); then the name gives it away."""
        if self._hosts is not None and _host_name(headers.get("host", "")) not in self._hosts:
            raise RefusalError(
                403, "forbidden", "this service does not go by that name; --allow-host adds a name it goes by"
            )


def _hosts(options: ServiceOptions) -> frozenset[str] | None:
    """Names the service goes by; ``None`` for any, where the token guards an address that others reach."""
    if not options.is_loopback and not options.allowed_hosts:
        return None
    own: Iterable[str] = ("localhost", "127.0.0.1", "::1", options.host)
    return frozenset(name.lower().strip("[]") for name in (*own, *options.allowed_hosts))


def _host_name(host: str) -> str:
    try:
        return (urlsplit(f"//{host}").hostname or "").lower()
    except ValueError:
        return ""


def _check_site(headers: Headers) -> None:
    if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        raise RefusalError(403, "forbidden", "requests from pages of other sites are not answered")


def _check_origin(headers: Headers) -> None:
    origin = headers.get("origin")
    if origin is None:
        return
    try:
        is_ours = urlsplit(origin).netloc == headers.get("host", "") != ""
    except ValueError:
        is_ours = False
    if not is_ours:
        raise RefusalError(403, "forbidden", "requests from pages of other sites are not answered")


def _check_json(headers: Headers) -> None:
    """A form of another site can send many types, but not this one without being asked first."""
    if headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise RefusalError(415, "unsupported_media_type", "send JSON, with Content-Type: application/json")


class _Secured:
    """Sends answers with the headers that all of them have.

    Args:
        send: what sends.
        path: of the request.
    """

    def __init__(self, send: Send, path: str) -> None:
        self._send = send
        self._caching = "no-store" if path.startswith(API) else "no-cache"
        self.has_begun = False

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.has_begun = True
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers[name] = value
            headers.setdefault("Cache-Control", self._caching)
        await self._send(message)
