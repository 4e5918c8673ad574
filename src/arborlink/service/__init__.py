"""A workspace over HTTP: a review page in the browser, and everything on it as JSON.

The names below are imported when they are first used: what only concerns options does not wait for the web libraries.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from arborlink.service.app import create_app
    from arborlink.service.options import Limits, ServiceOptions, find_token
    from arborlink.service.server import Server

_HOMES = {
    "Limits": "arborlink.service.options",
    "Server": "arborlink.service.server",
    "ServiceOptions": "arborlink.service.options",
    "create_app": "arborlink.service.app",
    "find_token": "arborlink.service.options",
}

__all__ = ["Limits", "Server", "ServiceOptions", "create_app", "find_token"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'arborlink.service' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
