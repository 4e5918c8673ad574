"""What ``--skip-invalid`` left out, told in a few lines on standard error."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from arborlink.formats.problems import Problems

_N_MESSAGES = 5


def report_skipped(problems: Problems) -> None:
    """Say how many records were skipped, and why the first of them were; nothing where none was."""
    n = problems.n_skipped
    if not n:
        return
    typer.echo(f"skipped {n:,} invalid record{'s' if n > 1 else ''}:", err=True)
    for error in problems.errors[:_N_MESSAGES]:
        typer.echo(f"  {error}", err=True)
    if n > _N_MESSAGES:
        typer.echo(f"  ... and {n - _N_MESSAGES:,} more", err=True)
