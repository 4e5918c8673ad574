"""``arborlink experiment``: runs of the paper's tables, and the tables of what came out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from arborlink.cli.output import expanded
from arborlink.errors import InputError

app = typer.Typer(
    help="The paper's tables: do runs, make tables of their results.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@app.command()
def run(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Run files (TOML), see experiments/.")],
    data: Annotated[Path, typer.Option(help="The folder that holds the folders of the data sets.")],
    output: Annotated[Path, typer.Option(help="Folder for the results.")] = Path("results/experiments"),
    seeds: Annotated[
        list[int] | None,
        typer.Option("--seed", min=0, help="A seed; may be repeated.  [default: as the run says]"),
    ] = None,
    assignments: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="A setting of the training; may be repeated."),
    ] = None,
    models: Annotated[
        Path | None, typer.Option(help="Keep the trained models in this folder.  [default: none is kept]")
    ] = None,
    device: Annotated[str, typer.Option(help="auto, cpu, cuda, mps.")] = "auto",
    limit: Annotated[
        int | None, typer.Option(min=1, help="For a trial: so many documents of each split.")
    ] = None,
    again: Annotated[bool, typer.Option("--again", help="Do runs again whose result is there.")] = False,
) -> None:
    """Do runs, and write a result for each of them and each seed."""
    from arborlink.experiments.run_file import read_run_file

    read = [read_run_file(path, assignments or ()) for path in runs]
    names = [each.name for each in read]
    if len(set(names)) < len(names):
        raise InputError(
            f"two run files have the name {max(names, key=names.count)!r}, and so would their results"
        )
    if not data.is_dir():
        raise InputError("is no folder; --data names the one with the folders of the data sets", data)
    # The model's libraries take seconds to import: bad input is told first.
    from arborlink.experiments.runner import device_of, run_all
    from arborlink.experiments.workbench import Workbench

    bench = Workbench(data, device_of(device), limit, tell=_tell)
    written = run_all(
        read,
        bench,
        expanded(output),
        seeds=seeds,
        models=None if models is None else expanded(models),
        again=again,
    )
    for path in written:
        typer.echo(path)


def _tell(line: str) -> None:
    typer.echo(line, err=True)


@app.command()
def tables(
    results: Annotated[
        Path, typer.Argument(metavar="RESULTS", help="Folder of results of `experiment run`.")
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="The page (Markdown).")] = Path(
        "docs/results.md"
    ),
    plots: Annotated[
        Path | None, typer.Option(help="Folder for pictures (SVG).  [default: no pictures]")
    ] = None,
) -> None:
    """Make the tables, and pictures if asked, of results alone."""
    from arborlink.experiments.page import write_page

    for path in write_page(results, expanded(output), None if plots is None else expanded(plots)):
        typer.echo(path)
