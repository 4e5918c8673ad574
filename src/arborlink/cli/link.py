"""``arborlink link``: documents and a knowledge base in, links and clusters out."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from arborlink.cli.kb import read_kb
from arborlink.cli.options import Cache, Device, Format, KbFormat, NoCache, Shortlist, SkipInvalid
from arborlink.cli.output import check_output, expanded, explain_command
from arborlink.cli.skipped import report_skipped
from arborlink.errors import InputError

if TYPE_CHECKING:
    from arborlink.result import Result


def link(
    kb: Annotated[Path, typer.Option(help="The knowledge base.")],
    documents: Annotated[Path, typer.Option(help="The documents, with their mentions marked.")],
    output: Annotated[Path, typer.Option(help="Folder for links.jsonl, clusters.jsonl and manifest.json.")],
    model: Annotated[
        str | None, typer.Option(help="A model's folder or Hugging Face name.  [default: the embedded one]")
    ] = None,
    entity_model: Annotated[
        str | None, typer.Option(help="The entity tower, where --model is only the mention tower.")
    ] = None,
    view: Annotated[
        str | None,
        typer.Option(help="What an untrained model compares: names, or mentions in context (context)."),
    ] = None,
    inference: Annotated[
        str | None,
        typer.Option(
            help="directed, undirected, minimax or independent.  [default: the model's own, else directed]"
        ),
    ] = None,
    neighbours: Annotated[
        int | None,
        typer.Option(
            min=0, help="Mentions that each mention is joined to.  [default: the model's own, else 1]"
        ),
    ] = None,
    threshold: Annotated[
        str,
        typer.Option(
            metavar="NUMBER|none|model",
            help="Least affinity of an edge: mentions that no entity reaches become discovered entities. none: "
            "every mention is linked. model: the model's own, else none.",
        ),
    ] = "model",
    by_type: Annotated[
        bool | None,
        typer.Option(
            "--by-type/--no-by-type",
            help="Mentions only meet entities of their own type or none.  [default: the model's own, else not]",
        ),
    ] = None,
    candidates: Annotated[
        int,
        typer.Option(min=0, help="Also write candidates.jsonl with the nearest entities of each mention."),
    ] = 0,
    shortlist: Shortlist = 32,
    device: Device = "auto",
    cache: Cache = None,
    no_cache: NoCache = False,
    format: Format = None,
    kb_format: KbFormat = None,
    skip_invalid: SkipInvalid = False,
) -> None:
    """Link the mentions of documents to a knowledge base, and discover what it lacks."""
    import gc

    from arborlink.corpus import Corpus
    from arborlink.formats import Problems
    from arborlink.partition import MODES

    if inference is not None and inference not in MODES:
        raise InputError(f"--inference {inference} is not known; choose one of {', '.join(MODES)}")
    if view not in (None, "names", "context"):
        raise InputError(f"--view {view} is not known; choose names or context")
    least = _threshold(threshold)
    output = expanded(output)
    check_output(output, kb, documents)
    problems = Problems(skip=skip_invalid)
    entities = read_kb(kb, kb_format, problems)
    corpus = Corpus.read(documents, format=format, problems=problems)
    report_skipped(problems)
    gc.freeze()  # all of this stays to the end; the collector need not walk it again and again
    if not corpus.n_mentions:
        raise InputError("the documents have no mentions: mark the spans to be linked", documents)
    # The model's libraries take seconds to import: bad input is told first.
    from arborlink.linker import Linker

    options: dict[str, Any] = {"entity_model": entity_model, "view": view, "shortlist": shortlist}
    kept: Path | bool = False if no_cache else expanded(cache) if cache is not None else True
    linker = Linker.load(model, device=device, cache=kept, **options)
    result = linker.link(
        corpus,
        entities,
        inference=inference,
        neighbours=neighbours,
        threshold=least,
        by_type=by_type,
        candidates=candidates,
    )
    result.settings["n_skipped"] = problems.n_skipped
    result.write(output)
    typer.echo(summary(result))
    question = explain_command(output, result.links[0].mention)
    typer.echo(f"Written to {output}; ask why with: {question}")


def _threshold(text: str) -> float | Literal["model"] | None:
    """A number, ``none`` or ``model``."""
    if text == "model":
        return "model"
    if text == "none":
        return None
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise InputError(
            f"--threshold {text} is not a finite number; leave it out, or give none to link every mention"
        )
    return number


def summary(result: Result) -> str:
    """What was linked and discovered, and what took its time, in one or two lines."""
    settings = result.settings
    n_unlinked = settings["n_mentions"] - settings["n_linked"]
    found = f", {n_unlinked:,} in {_counted(settings['n_discovered'], 'discovered entity')}"
    lines = [
        f"{_counted(settings['n_mentions'], 'mention')} of {_counted(settings['n_documents'], 'document')}, "
        f"{_counted(settings['n_entities'], 'entity')}: {_counted(settings['n_linked'], 'mention')} linked"
        + (found if n_unlinked else "")
    ]
    spent = {step: seconds for step, seconds in settings["seconds"].items() if seconds >= 0.05}
    if spent:
        lines.append("Seconds: " + ", ".join(f"{step} {seconds:.1f}" for step, seconds in spent.items()))
    return "\n".join(lines)


def _counted(n: int, noun: str) -> str:
    if n != 1:
        noun = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{n:,} {noun}"
