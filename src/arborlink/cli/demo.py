"""``arborlink demo``."""

from __future__ import annotations

import typer


def demo() -> None:
    """Link a small made-up world."""
    typer.echo("")
