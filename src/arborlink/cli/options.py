"""Options that several verbs have, with the same words for each."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Format = Annotated[
    str | None, typer.Option(help="Format of the documents, where content and name do not tell.")
]
KbFormat = Annotated[
    str | None, typer.Option(help="Format of the knowledge base, where content and name do not tell.")
]
SkipInvalid = Annotated[
    bool, typer.Option("--skip-invalid", help="Skip records that cannot be used, count and report them.")
]
Device = Annotated[str, typer.Option(help="auto, cpu, cuda, cuda:1, mps.")]
Cache = Annotated[
    Path | None, typer.Option(help="Folder for embeddings.  [default: the user's cache folder]")
]
NoCache = Annotated[bool, typer.Option("--no-cache", help="Keep no embeddings on disk.")]
Shortlist = Annotated[
    int,
    typer.Option(min=0, help="Names to encode for each mention string, nearest by spelling; 0 encodes all."),
]
