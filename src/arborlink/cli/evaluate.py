"""``arborlink evaluate``: measure links against gold labels."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, get_args

import typer

from arborlink.cli.discovery_protocol import check_protocol, run_discovery
from arborlink.cli.kb import read_kb
from arborlink.cli.options import Format, KbFormat, SkipInvalid
from arborlink.cli.skipped import report_skipped
from arborlink.cli.streams import console as output_console

if TYPE_CHECKING:
    from rich.console import Console

    from arborlink.evaluation import Evaluation, Figure


def evaluate(
    documents: Annotated[Path, typer.Option(help="The documents that were linked, with gold labels.")],
    kb: Annotated[Path, typer.Option(help="The knowledge base they were linked to.")],
    links: Annotated[
        Path | None,
        typer.Option(
            help="Result folder of `arborlink link`, or a links file (JSONL); for --protocol links."
        ),
    ] = None,
    protocol: Annotated[
        str,
        typer.Option(
            metavar="links|discovery",
            help="links: measure given links. discovery: hide entities, link, and look for them as clusters.",
        ),
    ] = "links",
    train_documents: Annotated[
        Path | None, typer.Option(help="Train documents: splits accuracy into seen and unseen entities.")
    ] = None,
    format: Format = None,
    kb_format: KbFormat = None,
    id_map: Annotated[
        Path | None, typer.Option(help="JSON object from retired to current ids, applied to gold ids.")
    ] = None,
    candidates: Annotated[
        Path | None,
        typer.Option(help="Candidates (JSONL) for recall at k. A result folder brings its own, if written."),
    ] = None,
    bootstrap: Annotated[
        int, typer.Option(min=0, help="Draws of documents for the interval of the accuracy; 0 for none.")
    ] = 1000,
    seed: Annotated[
        int,
        typer.Option(min=0, help="Seed of those draws, and of the hidden entities of --protocol discovery."),
    ] = 0,
    dev: Annotated[
        Path | None,
        typer.Option(help="discovery: other documents with gold labels, to choose k and threshold by."),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            help="discovery: a model's folder or Hugging Face name; untrained: the base model, comparing names.  "
            "[default: the model that comes with ArborLink]"
        ),
    ] = None,
    hide: Annotated[
        float | None,
        typer.Option(help="discovery: share of the entities with a gold mention to hide.  [default: 0.1]"),
    ] = None,
    by_type: Annotated[
        bool | None,
        typer.Option(
            "--by-type/--no-by-type",
            help="discovery: mentions only meet their own types.  [default: the model's own, else not]",
        ),
    ] = None,
    device: Annotated[
        str | None, typer.Option(help="discovery: auto, cpu, cuda, cuda:1, mps.  [default: auto]")
    ] = None,
    skip_invalid: SkipInvalid = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one flat JSON object, no tables.")] = False,
) -> None:
    """Measure links against gold labels: accuracy, recall at k, clusters, discovered entities."""
    of_links = {
        "--links": links,
        "--train-documents": train_documents,
        "--id-map": id_map,
        "--candidates": candidates,
    }
    of_discovery: dict[str, object] = {
        "--dev": dev,
        "--model": model,
        "--hide": hide,
        "--by-type": by_type,
        "--device": device,
    }
    check_protocol(protocol, of_links, of_discovery)
    if links is None:
        run_discovery(
            documents,
            kb,
            dev=dev,
            formats=(format, kb_format),
            skip_invalid=skip_invalid,
            as_json=as_json,
            model=model,
            device=device or "auto",
            options={"hide": 0.1 if hide is None else hide, "seed": seed, "by_type": by_type},
        )
        return
    from arborlink import evaluation
    from arborlink.corpus import Corpus
    from arborlink.formats.problems import Problems

    evaluation.links_file(links)  # an incomplete result folder should not cost the time to read the rest
    problems = Problems(skip=skip_invalid)
    train = None
    if train_documents is not None:
        train = Corpus.read(train_documents, format=format, problems=problems)
    evaluated = evaluation.evaluate(
        links,
        Corpus.read(documents, format=format, problems=problems),
        read_kb(kb, kb_format, problems),
        train=train,
        candidates=candidates or evaluation.candidates_file(links),
        id_map=None if id_map is None else evaluation.read_id_map(id_map),
        bootstrap=bootstrap,
        seed=seed,
        problems=problems,
    )
    report_skipped(problems)
    if as_json:
        typer.echo(json.dumps(evaluated.to_dict() | {"n_skipped": problems.n_skipped}, allow_nan=False))
    else:
        _print_tables(evaluated)


def _print_tables(evaluated: Evaluation) -> None:
    from rich.text import Text

    from arborlink.evaluation.figures import Group

    console = output_console()
    for group in get_args(Group):
        figures = evaluated.group(group)
        if not figures:  # links without probabilities have no calibration to judge
            continue
        console.print(Text(group.capitalize(), style="bold"))
        _print_group(console, [figure for figure in figures if _in_table(figure)])
        console.print()
    console.print(Text(f"Protocol: {evaluated.protocol}"))


def _print_group(console: Console, figures: Sequence[Figure]) -> None:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, show_header=False, padding=(0, 2, 0, 2))
    table.add_column(no_wrap=True)
    table.add_column(justify="right", no_wrap=True)
    table.add_column()
    note_above = ""
    for figure in figures:
        if figure.value is not None:
            note = "" if figure.note == note_above else figure.note
            table.add_row(Text(figure.key), _shown(figure.value), Text(note, style="dim"))
            note_above = figure.note
    if table.row_count:
        console.print(table)
    for reason, keys in _without_value(figures).items():
        console.print(Text(f"  – {', '.join(keys)}: {reason}"))


def _in_table(figure: Figure) -> bool:
    """Whether to print a figure: the notes of the accuracies give the counts of the linking group already."""
    return figure.group != "linking" or not figure.key.startswith("n_")


def _shown(value: float | int) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:.4f}"


def _without_value(figures: Sequence[Figure]) -> dict[str, list[str]]:
    keys: dict[str, list[str]] = {}
    for figure in figures:
        if figure.value is None:
            keys.setdefault(figure.note, []).append(figure.key)
    return keys
