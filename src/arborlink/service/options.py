"""How the service is run: where it listens, who may come in, how much one request may ask for."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path

from arborlink.errors import InputError

TOKEN_VARIABLE = "ARBORLINK_TOKEN"
SHORTEST_TOKEN = 16
_MAKE_ONE = 'make one with: python -c "import secrets; print(secrets.token_urlsafe())"'


@dataclass(frozen=True, slots=True)
class Limits:
    """What one request may ask for, and how many may be at work.

    Args:
        max_bytes: of a request's body.
        max_documents: documents to link.
        max_mentions: mentions to link, in all documents together.
        max_characters: characters to link, in all documents together.
        max_seconds: until an answer to a request that links is given up.
        max_body_seconds: for a client to send its request.
        max_stop_seconds: for what is running when the service is told to stop.
        n_linking: requests that link at the same time.
        n_looking: other requests at the same time.
        n_waiting: requests that may wait for a place, of either kind; more are turned away.
    """

    max_bytes: int = 4 << 20
    max_documents: int = 100
    max_mentions: int = 1000
    max_characters: int = 1 << 20
    max_seconds: float = 30.0
    max_body_seconds: float = 15.0
    max_stop_seconds: float = 20.0
    n_linking: int = 1
    n_looking: int = 4
    n_waiting: int = 64

    def __post_init__(self) -> None:
        for name in self.__slots__:
            if getattr(self, name) <= 0:
                raise InputError(f"{name} is {getattr(self, name)}; expected more than 0")


@dataclass(frozen=True, slots=True)
class ServiceOptions:
    """How the service is run.

    Args:
        host: address to listen on.
        port: 0 takes any that is free.
        token: what a client must know; ``None`` lets in everybody who reaches the port.
        allowed_hosts: further names under which the service is reached, such as that of a proxy before it.
        limits: what one request may ask for.

    Raises:
        InputError: another address than loopback without a token, a token that is too short or cannot be sent.
    """

    host: str = "127.0.0.1"
    port: int = 8000
    token: str | None = field(default=None, repr=False)
    allowed_hosts: tuple[str, ...] = ()
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        if not 0 <= self.port <= 65535:
            raise InputError(f"the port is {self.port}; expected a number from 0 to 65535")
        if self.token is not None:
            _check_token(self.token)
        elif not self.is_loopback:
            raise InputError(
                f"listening on {self.host} lets everybody who reaches this machine read and decide; give a token "
                f"with --token-file or ${TOKEN_VARIABLE} ({_MAKE_ONE}), or listen on 127.0.0.1"
            )

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine can reach the service."""
        return is_loopback(self.host)


def is_loopback(host: str) -> bool:
    """Whether a name or address is this machine's own, as written; nothing is looked up."""
    if host.lower() == "localhost":
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def find_token(file: Path | None) -> str | None:
    """The token of a file, else of the environment, else none.

    Raises:
        InputError: the file cannot be read or is empty.
    """
    if file is None:
        return os.environ.get(TOKEN_VARIABLE) or None
    try:
        token = file.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise InputError(f"the token cannot be read: {reason}", file) from error
    if not token:
        raise InputError(f"holds no token; {_MAKE_ONE}", file)
    return token


def _check_token(token: str) -> None:
    if not (token.isascii() and token.isprintable() and " " not in token):
        raise InputError(f"the token holds blanks, line ends or letters beyond ASCII; {_MAKE_ONE}")
    if len(token) < SHORTEST_TOKEN:
        raise InputError(
            f"the token has {len(token)} characters and could be guessed; expected {SHORTEST_TOKEN} or more; "
            f"{_MAKE_ONE}"
        )
