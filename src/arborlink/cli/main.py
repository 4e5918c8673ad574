"""The command line: one module for each verb, errors in one line."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import typer
from typer.core import TyperGroup

from arborlink.cli import (
    cache,
    calibrate,
    convert,
    demo,
    evaluate,
    experiment,
    explain,
    join,
    link,
    propose,
    report,
    serve,
    train,
    train_reranker,
    tune,
    workspace,
)
from arborlink.cli.streams import prepare_streams, warnings_in_one_line
from arborlink.errors import ArborLinkError


class _Verbs(TyperGroup):
    """Ends what a verb raises in one line. Here, because typer has its own ways with some of it further out."""

    def invoke(self, ctx: Any) -> Any:
        """Run the verb."""
        with _told_in_one_line():
            outcome = super().invoke(ctx)
            if sys.stdout is not None:
                sys.stdout.flush()
        return outcome


app = typer.Typer(
    name="arborlink",
    cls=_Verbs,
    help="Entity linking and discovery: documents and a knowledge base in, links and new entities out.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.command()(link.link)
app.command()(explain.explain)
app.command()(propose.propose)
app.command()(report.report)
app.command()(evaluate.evaluate)
app.command()(train.train)
app.command("train-reranker")(train_reranker.train_reranker)
app.command()(join.join)
app.command()(tune.tune)
app.command()(calibrate.calibrate)
app.add_typer(workspace.app, name="workspace")
app.command()(serve.serve)
app.add_typer(experiment.app, name="experiment")
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
    prepare_streams()
    with warnings_in_one_line():
        app()


@contextmanager
def _told_in_one_line() -> Iterator[None]:
    try:
        yield
    except ArborLinkError as error:
        _end(str(error), 2)
    except BrokenPipeError:
        # The reader of our output went away (`| head`): no error of ours, and nothing may be flushed any more.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(0) from None
    except OSError as error:
        # A full disk, a cache folder that cannot be written: nothing a traceback would help with.
        where = "" if error.filename is None else f"{error.filename}: "
        _end(f"{where}{error.strerror or error}", 2)
    except KeyboardInterrupt:
        _end("interrupted", 130)


def _end(message: str, status: int) -> None:
    typer.echo(f"arborlink: {' '.join(message.splitlines())}", err=True)
    raise typer.Exit(status) from None


if __name__ == "__main__":
    main()
