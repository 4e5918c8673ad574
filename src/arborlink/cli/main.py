"""The command line: one module for each verb, errors in one line."""

from __future__ import annotations

import os
import sys

import typer

from arborlink.cli import cache, convert, demo, evaluate, explain, link
from arborlink.errors import ArborLinkError

app = typer.Typer(
    name="arborlink",
    help="Entity linking and discovery: documents and a knowledge base in, links and new entities out.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.command()(link.link)
app.command()(explain.explain)
app.command()(evaluate.evaluate)
app.command()(convert.convert)
app.command()(demo.demo)
app.command()(cache.cache)


@app.callback(invoke_without_command=True)
def arborlink(
    version: bool = typer.Option(False, "--version", help="Print the version.", is_eager=True),
) -> None:
    """Entity linking and discovery: documents and a knowledge base in, links and new entities out."""
    if version:
        from importlib.metadata import version as version_of

        typer.echo(version_of("arborlink"))
        raise typer.Exit


def main() -> None:
    """Run the command line; what a user can act on ends in one line and exit status 2."""
    try:
        app()
    except ArborLinkError as error:
        typer.echo(f"arborlink: {error}", err=True)
        sys.exit(2)
    except BrokenPipeError:
        # The reader of our output went away (`| head`): no error of ours, and nothing may be flushed any more.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except KeyboardInterrupt:
        typer.echo("arborlink: interrupted", err=True)
        sys.exit(130)


if __name__ == "__main__":
    main()
