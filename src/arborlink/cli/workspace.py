"""``arborlink workspace``: a folder that grows with documents, entities and decisions."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from arborlink.cli import workspace_review as review
from arborlink.cli.kb import read_kb
from arborlink.cli.options import (
    Cache,
    Device,
    Format,
    KbFormat,
    NoCache,
    Shortlist,
    SkipInvalid,
    parsed_threshold,
)
from arborlink.cli.output import check_output, expanded
from arborlink.cli.skipped import report_skipped
from arborlink.cli.workspace_output import AsJson, Folder, Wait, print_changes, print_object
from arborlink.errors import InputError

app = typer.Typer(
    help="A folder that grows: add documents and entities, review what is discovered, export.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

Inference = Annotated[str | None, typer.Option(help="directed, undirected, minimax or independent.")]
Neighbours = Annotated[
    int | None,
    typer.Option(min=0, help="Mentions that each mention is joined to.  [default: the model's own]"),
]
Threshold = Annotated[
    str,
    typer.Option(
        metavar="NUMBER|none|model",
        help="Least affinity of an edge; without one nothing is discovered. model: the model's own.",
    ),
]
ByType = Annotated[
    bool | None,
    typer.Option("--by-type/--no-by-type", help="Mentions only meet entities of their own type or none."),
]
EntityModel = Annotated[
    str | None, typer.Option(help="The entity tower, where --model is only the mention tower.")
]
View = Annotated[
    str | None,
    typer.Option(help="What an untrained model compares: names, or mentions in context (context)."),
]


@app.command()
def init(
    folder: Folder,
    kb: Annotated[Path, typer.Option(help="The knowledge base.")],
    model: Annotated[
        str | None,
        typer.Option(
            help="A model's folder or Hugging Face name, or untrained.  [default: the one that comes along]"
        ),
    ] = None,
    entity_model: EntityModel = None,
    view: View = None,
    inference: Inference = None,
    neighbours: Neighbours = None,
    threshold: Threshold = "model",
    by_type: ByType = None,
    candidates: Annotated[int, typer.Option(min=2, help="Nearest entities to keep for each mention.")] = 8,
    shortlist: Shortlist = 32,
    device: Device = "auto",
    cache: Cache = None,
    no_cache: NoCache = False,
    kb_format: KbFormat = None,
    skip_invalid: SkipInvalid = False,
) -> None:
    """Make a workspace with a knowledge base and no documents yet."""
    from arborlink.formats import Problems

    options = _linking(view, inference, neighbours, threshold, by_type)
    problems = Problems(skip=skip_invalid)
    entities = read_kb(kb, kb_format, problems)
    report_skipped(problems)
    # The model's libraries take seconds to import: bad input is told first.
    from arborlink.workspace import Workspace

    with Workspace.init(
        expanded(folder),
        entities,
        model=model,
        entity_model=entity_model,
        candidates=candidates,
        shortlist=shortlist,
        device=device,
        cache=_kept(cache, no_cache),
        **options,
    ) as workspace:
        typer.echo(str(workspace.status()))


@app.command()
def add(
    folder: Folder,
    documents: Annotated[Path | None, typer.Option(help="New documents, with their mentions marked.")] = None,
    kb: Annotated[Path | None, typer.Option(help="New entities.")] = None,
    device: Device = "auto",
    cache: Cache = None,
    no_cache: NoCache = False,
    wait: Wait = 30.0,
    format: Format = None,
    kb_format: KbFormat = None,
    skip_invalid: SkipInvalid = False,
    as_json: AsJson = False,
) -> None:
    """Add documents, entities or both; say what changed."""
    from arborlink.corpus import Corpus
    from arborlink.formats import Problems
    from arborlink.workspace import Workspace

    if documents is None and kb is None:
        raise InputError("there is nothing to add; give --documents, --kb or both")
    options: dict[str, Any] = {"device": device, "cache": _kept(cache, no_cache), "wait": wait}
    with Workspace.open(expanded(folder), **options) as workspace:
        problems = Problems(skip=skip_invalid)
        entities = None if kb is None else read_kb(kb, kb_format, problems)
        corpus = None if documents is None else Corpus.read(documents, format=format, problems=problems)
        report_skipped(problems)
        print_changes(workspace.add(corpus, entities), as_json)


@app.command()
def reencode(
    folder: Folder,
    model: Annotated[
        str,
        typer.Option(
            help="A model's folder or Hugging Face name; default: the one that comes with ArborLink; untrained: the "
            "base model; same: the "
            "workspace's own, to link in another way."
        ),
    ] = "same",
    entity_model: EntityModel = None,
    view: View = None,
    inference: Inference = None,
    neighbours: Neighbours = None,
    threshold: Threshold = "model",
    by_type: ByType = None,
    shortlist: Shortlist = 32,
    device: Device = "auto",
    cache: Cache = None,
    no_cache: NoCache = False,
    wait: Wait = 30.0,
    as_json: AsJson = False,
) -> None:
    """Encode everything anew with another model, or link in another way; discoveries keep their ids."""
    from arborlink.workspace import Workspace

    linking = _linking(view, inference, neighbours, threshold, by_type)
    options: dict[str, Any] = {"device": device, "cache": _kept(cache, no_cache), "wait": wait}
    with Workspace.open(expanded(folder), **options) as workspace:
        changes = workspace.reencode(
            model=None if model == "default" else model,
            entity_model=entity_model,
            shortlist=shortlist,
            **linking,
        )
        print_changes(changes, as_json)


@app.command()
def status(folder: Folder, as_json: AsJson = False) -> None:
    """Say what the workspace holds."""
    from arborlink.workspace import Workspace

    with Workspace.open(expanded(folder)) as workspace:
        found = workspace.status()
    if as_json:
        print_object(found.to_dict())
    else:
        typer.echo(str(found))


@app.command()
def export(
    folder: Folder,
    output: Annotated[
        Path,
        typer.Option(
            help="Folder for links, clusters, candidates, proposals, knowledge base, decisions and training data."
        ),
    ],
) -> None:
    """Write what the workspace holds as files that the other verbs read."""
    from arborlink.workspace import Workspace

    output = expanded(output)
    check_output(output)
    with Workspace.open(expanded(folder)) as workspace:
        workspace.export(output)
    typer.echo(f"Written to {output}")


@app.command()
def check(folder: Folder) -> None:
    """Read everything and see whether it fits together; exit status 1 if it does not."""
    from arborlink.workspace import Workspace

    with Workspace.open(expanded(folder)) as workspace:
        problems = workspace.check()
    for problem in problems:
        typer.echo(problem)
    if problems:
        raise typer.Exit(1)
    typer.echo("Nothing is wrong")


app.command()(review.proposals)
app.command()(review.decide)
app.command()(review.undo)
app.command()(review.decisions)
app.command()(review.history)
app.command()(review.explain)


def _kept(cache: Path | None, no_cache: bool) -> Path | bool:
    return False if no_cache else expanded(cache) if cache is not None else True


def _linking(
    view: str | None,
    inference: str | None,
    neighbours: int | None,
    threshold: str,
    by_type: bool | None,
) -> dict[str, Any]:
    """The options that say how to link, checked before any work."""
    from arborlink.partition import MODES

    if inference is not None and inference not in MODES:
        raise InputError(f"--inference {inference} is not known; choose one of {', '.join(MODES)}")
    if view not in (None, "names", "context"):
        raise InputError(f"--view {view} is not known; choose names or context")
    return {
        "view": view,
        "inference": inference,
        "neighbours": neighbours,
        "threshold": parsed_threshold(threshold),
        "by_type": by_type,
    }
