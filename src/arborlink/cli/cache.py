"""``arborlink cache``: how much room embeddings take, and how to get it back."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

# A store is named after its model's fingerprint, a piece by chance; a killed run may leave a partial one.
_STORE = re.compile(r"[0-9a-f]{24}")
_PIECE = re.compile(r"[0-9a-f]{32}\.safetensors|\.[0-9a-f]{32}\.partial")


def cache(
    folder: Annotated[
        Path | None, typer.Option(help="The folder.  [default: the user's cache folder]")
    ] = None,
    clear: Annotated[bool, typer.Option("--clear", help="Remove all embeddings kept there.")] = False,
) -> None:
    """Show or clear the embeddings kept on disk."""
    from arborlink.encoders.cache import default_cache_folder

    root = folder or default_cache_folder()
    stores = {store: pieces for store in _stores(root) if (pieces := _pieces(store))}
    for store, pieces in stores.items():
        size = sum(piece.stat().st_size for piece in pieces)
        typer.echo(f"{size / 2**20:10,.1f} MiB  {len(pieces):6,} pieces  {store}")
        if clear:
            _remove(store, pieces)
    if not stores:
        typer.echo(f"No embeddings in {root}")
    elif clear:
        typer.echo("Removed")


def _stores(root: Path) -> Iterator[Path]:
    if root.is_dir():
        yield from sorted(path for path in root.iterdir() if _STORE.fullmatch(path.name) and path.is_dir())


def _pieces(store: Path) -> list[Path]:
    return [path for path in store.iterdir() if _PIECE.fullmatch(path.name)]


def _remove(store: Path, pieces: list[Path]) -> None:
    """Remove what ArborLink wrote and nothing else: ``--folder`` may name a folder with other things in it."""
    for piece in pieces:
        piece.unlink(missing_ok=True)
    if not any(store.iterdir()):
        store.rmdir()
