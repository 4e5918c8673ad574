"""Who may come in: the token in a header, or a cookie that was given for it."""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from hashlib import sha256
from http.cookies import CookieError, SimpleCookie

_PURPOSE = b"arborlink review page"


class Doorkeeper:
    """Compares what a client brings with the token, in the same time whatever it brings.

    The cookie is made of the token and does not tell it. It stays good when the service is started again, and is
    worth nothing with another token.

    Args:
        token: ``None`` lets everybody in.
    """

    def __init__(self, token: str | None) -> None:
        self._token = None if token is None else token.encode()
        self._pass = "" if token is None else hmac.new(token.encode(), _PURPOSE, sha256).hexdigest()
        # two services on one machine share cookies, whatever their ports
        self.cookie = f"arborlink_{sha256(self._pass.encode()).hexdigest()[:12]}"

    @property
    def needs_token(self) -> bool:
        """Whether not everybody is let in."""
        return self._token is not None

    def knows(self, token: str) -> bool:
        """Whether this is the token."""
        return self._token is None or hmac.compare_digest(token.encode("utf-8", "replace"), self._token)

    def lets_in(self, headers: Mapping[str, str]) -> bool:
        """Whether a request may see and change the workspace."""
        if self._token is None:
            return True
        kind, _, given = headers.get("authorization", "").partition(" ")
        if kind.lower() == "bearer" and self.knows(given.strip()):
            return True
        return hmac.compare_digest(self._cookie_of(headers).encode("utf-8", "replace"), self._pass.encode())

    def cookie_header(self, is_leaving: bool = False) -> str:
        """The header that gives the cookie to a client, or takes it away."""
        value = "" if is_leaving else self._pass
        gone = "; Max-Age=0" if is_leaving else ""
        return f"{self.cookie}={value}; Path=/; HttpOnly; SameSite=Strict{gone}"

    def _cookie_of(self, headers: Mapping[str, str]) -> str:
        try:
            found = SimpleCookie(headers.get("cookie", "")).get(self.cookie)
        except CookieError:
            return ""
        return "" if found is None else found.value
