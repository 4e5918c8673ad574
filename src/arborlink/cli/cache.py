"""``arborlink cache``: how much room embeddings take, and how to get it back."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Annotated

import typer


def cache(
    folder: Annotated[
        Path | None, typer.Option(help="The folder.  [default: the user's cache folder]")
    ] = None,
    clear: Annotated[bool, typer.Option("--clear", help="Remove all embeddings kept there.")] = False,
) -> None:
    """Show or clear the embeddings kept on disk."""
    from arborlink.encoders.cache import default_cache_folder

    root = folder or default_cache_folder()
    stores = sorted({segment.parent for segment in root.glob("*/*.safetensors")})
    for store in stores:
        segments = list(store.glob("*.safetensors"))
        size = sum(segment.stat().st_size for segment in segments)
        typer.echo(f"{size / 2**20:10,.1f} MiB  {len(segments):6,} pieces  {store}")
        if clear:
            shutil.rmtree(store)
    if not stores:
        typer.echo(f"No embeddings in {root}")
    elif clear:
        typer.echo("Removed")
