"""``arborlink propose``: discovered clusters as proposals for new entities."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arborlink.cli.kb import read_kb
from arborlink.cli.options import Format, KbFormat, SkipInvalid
from arborlink.cli.output import expanded
from arborlink.cli.skipped import report_skipped
from arborlink.cli.streams import console as output_console
from arborlink.errors import InputError

if TYPE_CHECKING:
    from arborlink.proposals import Proposal
    from arborlink.result import Result


def propose(
    folder: Annotated[Path, typer.Argument(help="Result folder of `arborlink link`.")],
    documents: Annotated[Path, typer.Option(help="The documents that were linked.")],
    kb: Annotated[Path, typer.Option(help="The knowledge base they were linked to.")],
    output: Annotated[
        Path, typer.Option(help="File for the proposals, one JSON object a line; .gz is packed.")
    ] = Path("proposals.jsonl"),
    top: Annotated[
        int, typer.Option(min=0, help="Evidence mentions and nearest entities of each proposal, at most.")
    ] = 5,
    context: Annotated[
        int, typer.Option(min=0, help="Characters on each side of an evidence mention, at most.")
    ] = 80,
    min_mentions: Annotated[
        int, typer.Option(min=1, help="Leave out clusters with fewer mentions than this.")
    ] = 1,
    rows: Annotated[int, typer.Option(min=0, help="Proposals to print; the file holds all of them.")] = 20,
    format: Format = None,
    kb_format: KbFormat = None,
    skip_invalid: SkipInvalid = False,
) -> None:
    """Propose what was discovered as new entities: name, aliases, types, evidence, nearest known entities."""
    from arborlink.corpus import Corpus
    from arborlink.formats import Problems
    from arborlink.proposals import proposals, write_proposals
    from arborlink.result import Result

    output = expanded(output)
    _check_output(output, folder, documents, kb)
    result = Result.read(folder)
    problems = Problems(skip=skip_invalid)
    corpus = Corpus.read(documents, format=format, problems=problems)
    entities = read_kb(kb, kb_format, problems)
    report_skipped(problems)
    found = proposals(result, corpus, entities, top=top, context=context)
    kept = [proposal for proposal in found if proposal.n_mentions >= min_mentions]
    write_proposals(kept, output)
    if not found:
        typer.echo(_nothing_found(result))
    elif not kept:
        typer.echo(
            f"None of the {len(found):,} discovered entities has {min_mentions:,} mentions; the largest has "
            f"{max(proposal.n_mentions for proposal in found):,}. Lower --min-mentions to see it."
        )
    elif rows:
        _print_table(kept[:rows])
    if kept[rows:]:
        typer.echo(f"… and {len(kept) - rows:,} more" if rows else f"{len(kept):,} proposals")
    typer.echo(f"Written to {output}")


def _check_output(output: Path, folder: Path, *inputs: Path) -> None:
    """Tell before the work what would spoil its end, or what its end would spoil."""
    from arborlink.result.folder import NAMES

    if output.is_dir():
        raise InputError("is a folder; --output names a file", output)
    taken = [*inputs, *(folder / name for name in NAMES)]
    if output.exists() and any(given.exists() and output.samefile(given) for given in taken):
        raise InputError("is one of the inputs; choose another name for --output", output)


def _nothing_found(result: Result) -> str:
    threshold = result.settings.get("threshold")
    if threshold is None:
        return (
            "Nothing was discovered: the result was made without a threshold, so every mention went to an entity. "
            "Link again with --threshold X, the least affinity that joins two nodes."
        )
    return (
        f"Nothing was discovered: an entity reaches every mention over affinities of {threshold:g} or more. "
        "Link again with a higher --threshold to discover more."
    )


def _print_table(found: Sequence[Proposal]) -> None:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, 2, 0, 0))
    table.add_column("Name", ratio=3)
    for heading in ("Mentions", "Documents"):
        table.add_column(heading, justify="right", no_wrap=True)
    for heading, ratio in (("Also", 3), ("Types", 2), ("Nearest known", 3)):
        table.add_column(heading, ratio=ratio)
    for proposal in found:
        counts = (f"{proposal.n_mentions:,}", f"{proposal.n_documents:,}")
        words = (_also(proposal), _types(proposal), _nearest(proposal))
        table.add_row(Text(proposal.name), *counts, *map(Text, words))
    output_console().print(table)


def _also(proposal: Proposal, shown: int = 3) -> str:
    aliases = [f"{alias.text} ({alias.n_mentions})" for alias in proposal.aliases[:shown]]
    return ", ".join([*aliases, "…"] if len(proposal.aliases) > shown else aliases)


def _types(proposal: Proposal, shown: int = 2) -> str:
    types = [f"{each.type} {each.share:.0%}" for each in proposal.types[:shown]]
    mark = "?" if proposal.types_from == "nearest_entities" else ""
    return ", ".join(f"{each}{mark}" for each in types)


def _nearest(proposal: Proposal) -> str:
    return f"{proposal.nearest[0].name} {proposal.nearest[0].affinity:.3f}" if proposal.nearest else "–"
