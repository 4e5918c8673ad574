"""What the verbs of ``arborlink workspace`` have in common: options, and how changes are shown."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arborlink.cli.streams import is_unicode

if TYPE_CHECKING:
    from arborlink.workspace import Changes, Move

Folder = Annotated[Path, typer.Argument(help="Folder of the workspace.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
Wait = Annotated[float, typer.Option(min=0, help="Seconds to wait for another process that writes.")]
_N_SHOWN = 10


def print_object(content: Mapping[str, Any] | Sequence[Any]) -> None:
    """One JSON value on a line."""
    takes_all = sys.stdout is not None and is_unicode(sys.stdout.encoding)
    typer.echo(json.dumps(content, ensure_ascii=not takes_all))


def print_changes(changes: Changes, as_json: bool) -> None:
    """What changed: counts, then the first of what happened."""
    if as_json:
        print_object(changes.to_dict())
        return
    typer.echo(str(changes))
    _print_first(f"  {_move(move)}" for move in changes.relinked)
    _print_first(f"  {event}" for event in changes.events)
    if changes.decision is not None:
        typer.echo(f"Decision {changes.decision}")


def _print_first(lines: Iterable[str]) -> None:
    listed = list(lines)
    for line in listed[:_N_SHOWN]:
        typer.echo(line)
    if len(listed) > _N_SHOWN:
        typer.echo(f"  … and {len(listed) - _N_SHOWN:,} more")


def _move(move: Move) -> str:
    said = " ".join(move.text.split())
    return f'"{said}" ({move.mention}): {move.before_kind} {move.before} → {move.after_kind} {move.after}'
