"""``arborlink evaluate --protocol discovery``: hide entities, link, and look for them as clusters."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from arborlink.cli.kb import read_kb
from arborlink.cli.skipped import report_skipped
from arborlink.cli.streams import console as output_console
from arborlink.errors import InputError

if TYPE_CHECKING:
    from arborlink.evaluation.discovery_protocol import DiscoveryEvaluation

_OPTIMISTIC = (
    "OPTIMISTIC figures: k and threshold were chosen on the very documents they are reported on; give others with "
    "--dev to choose by"
)


def check_protocol(protocol: str, of_links: Mapping[str, object], of_discovery: Mapping[str, object]) -> None:
    """Refuse a protocol nobody knows, and options that the other one would leave unheard.

    Args:
        protocol: as given.
        of_links: options that only measure given links, by name; ``None`` is not given.
        of_discovery: options of the discovery protocol alone, likewise.
    """
    foreign = {"links": of_discovery, "discovery": of_links}.get(protocol)
    if foreign is None:
        raise InputError(f"--protocol {protocol} is not known; choose links or discovery")
    given = [name for name, value in foreign.items() if value is not None]
    if given:
        other = "discovery" if protocol == "links" else "links"
        verb = "belongs" if len(given) == 1 else "belong"
        raise InputError(f"{', '.join(given)} {verb} to --protocol {other}, not to --protocol {protocol}")
    if protocol == "links" and of_links["--links"] is None:
        raise InputError(
            "--links is missing: name a result folder or a links file, or choose --protocol discovery"
        )


def run_discovery(
    documents: Path,
    kb: Path,
    *,
    dev: Path | None,
    formats: tuple[str | None, str | None],
    skip_invalid: bool,
    as_json: bool,
    model: str | None,
    device: str,
    options: Mapping[str, Any],
) -> None:
    """Read, run the protocol, print its rows.

    Args:
        documents: with gold labels.
        kb: the whole knowledge base.
        dev: documents to choose by.
        formats: of the documents and of the knowledge base.
        skip_invalid: skip records that cannot be used.
        as_json: print one flat JSON object.
        model: a model's folder or name, ``None`` for the default.
        device: where it runs.
        options: passed on to :func:`arborlink.evaluation.discovery_protocol.evaluate_discovery`.
    """
    from arborlink.corpus import Corpus
    from arborlink.formats.problems import Problems

    if dev is not None and dev.exists() and documents.exists() and dev.samefile(documents):
        raise InputError(
            "--documents and --dev are the same file; dev chooses k and threshold, so it must hold others",
            dev,
        )
    problems = Problems(skip=skip_invalid)
    corpus = Corpus.read(documents, format=formats[0], problems=problems)
    chosen_by = None if dev is None else Corpus.read(dev, format=formats[0], problems=problems)
    entities = read_kb(kb, formats[1], problems)
    report_skipped(problems)
    # The model's libraries take seconds to import: bad input is told first.
    from arborlink.evaluation.discovery_protocol import evaluate_discovery
    from arborlink.linker import Linker

    linker = Linker.load(model, device=device)
    found = evaluate_discovery(linker, corpus, entities, chosen_by, **options)
    if found.is_optimistic:
        typer.echo(f"arborlink: {_OPTIMISTIC}", err=True)
    if as_json:
        typer.echo(json.dumps(found.to_dict() | {"n_skipped": problems.n_skipped}, allow_nan=False))
    else:
        _print_rows(found)


def _print_rows(found: DiscoveryEvaluation) -> None:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, 2, 0, 2))
    table.add_column("Method", no_wrap=True)
    for heading in ("NMI", "ARI", "Mean", "k", "Threshold", f"Mean on {found.chosen_on}"):
        table.add_column(heading, justify="right", no_wrap=True)
    for row in found.rows:
        figures = (row.nmi, row.ari, row.nmi_ari_mean)
        table.add_row(
            row.method.replace("_", " "),
            *(f"{figure:.4f}" for figure in figures),
            str(row.k),
            f"{row.threshold:.6g}",
            f"{row.chosen_mean:.4f}",
        )
    console = output_console()
    console.print(table)
    hidden = f"{found.n_hidden:,} of {found.n_hideable:,} entities hidden, with {found.n_hidden_mentions:,} mentions"
    console.print(Text(f"\n{hidden}; {found.n_mentions_clustered:,} mentions clustered"))
    console.print(Text(f"Protocol: {found.protocol}"))
