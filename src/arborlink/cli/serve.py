"""``arborlink serve``: the review page of a workspace, and its JSON."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from arborlink.cli.options import Device
from arborlink.cli.output import expanded


def serve(
    workspace: Annotated[Path, typer.Option(help="The workspace to review.")],
    host: Annotated[
        str, typer.Option(help="Address to listen on; any but this machine's own needs a token.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 takes any that is free.")] = 8000,
    token_file: Annotated[
        Path | None,
        typer.Option(help="File with the token that clients must know.  [default: $ARBORLINK_TOKEN, if set]"),
    ] = None,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Another name the service goes by, such as that of a proxy before it. May be given several times.",
        ),
    ] = None,
    device: Device = "auto",
    max_bytes: Annotated[int, typer.Option(min=1, help="Bytes of a request.")] = 4 << 20,
    max_documents: Annotated[int, typer.Option(min=1, help="Documents to link in a request.")] = 100,
    max_mentions: Annotated[int, typer.Option(min=1, help="Mentions to link in a request.")] = 1000,
    max_characters: Annotated[int, typer.Option(min=1, help="Characters of all documents in a request.")] = 1
    << 20,
    max_seconds: Annotated[
        float, typer.Option(min=0.001, help="Seconds until a request that links is given up.")
    ] = 30.0,
    stop_seconds: Annotated[
        float, typer.Option(min=1, help="Seconds for what is still running when told to stop.")
    ] = 20.0,
) -> None:
    """Serve the review page of a workspace, and everything on it as JSON under /api."""
    from arborlink.service import Limits, ServiceOptions, find_token

    limits = Limits(
        max_bytes,
        max_documents,
        max_mentions,
        max_characters,
        max_seconds,
        max_stop_seconds=stop_seconds,
    )
    token = find_token(None if token_file is None else expanded(token_file))
    options = ServiceOptions(host, port, token, tuple(allow_host or ()), limits)
    # The web libraries and the workspace take seconds to import: bad options are told first.
    from arborlink.service import Server, create_app
    from arborlink.workspace import Workspace

    # texts of requests are not worth keeping on disk
    opened = Workspace.open(expanded(workspace), device=device, cache=False, progress=False)
    try:
        _ = opened.version
        server = Server(create_app(opened, options), options)
        address = server.listen()
    except BaseException:
        opened.close()
        raise
    typer.echo(f"Serving {workspace} on {address} (Ctrl-C stops)")
    is_done = server.serve_until_told()
    typer.echo("Stopped" if is_done else "Stopped, though something was still running")
    if not is_done:
        # the end of Python would wait for its threads; a workspace holds whatever happens
        sys.stdout.flush()
        os._exit(0)
