"""``arborlink report``: a result as one HTML file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arborlink.cli.kb import read_kb
from arborlink.cli.options import Format, KbFormat, SkipInvalid
from arborlink.cli.output import expanded
from arborlink.cli.skipped import report_skipped
from arborlink.errors import InputError

if TYPE_CHECKING:
    from arborlink.corpus import Corpus
    from arborlink.formats import Problems
    from arborlink.knowledge_base import KnowledgeBase
    from arborlink.result import Result


def report(
    folder: Annotated[Path, typer.Argument(help="Result folder of `arborlink link`.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="File for the report.")] = Path(
        "report.html"
    ),
    documents: Annotated[
        Path | None,
        typer.Option(
            help="The documents that were linked.  [default: where they were when they were linked]"
        ),
    ] = None,
    kb: Annotated[
        Path | None, typer.Option(help="The knowledge base they were linked to.  [default: likewise]")
    ] = None,
    curve: Annotated[
        Path | None, typer.Option(help="Threshold curves of `arborlink tune --output`, to be drawn.")
    ] = None,
    title: Annotated[
        str | None, typer.Option(help="What stands at the top.  [default: the name of the folder]")
    ] = None,
    format: Format = None,
    kb_format: KbFormat = None,
    skip_invalid: SkipInvalid = False,
) -> None:
    """Write a report that opens in any browser, without a network: figures, documents, clusters and their trees."""
    from arborlink.formats import Problems
    from arborlink.report import read_curves, write_report
    from arborlink.result import Result

    output = expanded(output)
    check_report_file(output, folder, *(path for path in (documents, kb, curve) if path is not None))
    result = Result.read(folder)
    curves = None if curve is None else read_curves(curve)
    problems = Problems(skip=skip_invalid)
    corpus = _documents(result, documents, format, problems)
    entities = _entities(result, kb, kb_format, problems)
    report_skipped(problems)
    named = title or expanded(folder).absolute().name
    write_report(output, result, corpus, entities, tuning=curves, title=named)
    typer.echo(f"Written to {output}; open it in a browser")


def check_report_file(path: Path, folder: Path, *inputs: Path) -> None:
    """Tell before the work what would spoil its end, or what its end would spoil."""
    from arborlink.result.folder import NAMES

    if path.is_dir():
        raise InputError("is a folder; the report is a file, such as report.html", path)
    taken = [*inputs, *(folder / name for name in NAMES)]
    if path.absolute() in [each.absolute() for each in taken] or (
        path.exists() and any(each.exists() and path.samefile(each) for each in taken)
    ):
        raise InputError("is one of the inputs or of the result's files; choose another file", path)


def sources(
    documents: Path, format: str | None, kb: Path, kb_format: str | None, skip_invalid: bool
) -> dict[str, Any]:
    """What a manifest keeps of the inputs, so that a report can be made from the folder alone."""
    return {
        "documents": {"path": str(documents.absolute()), "format": format},
        "kb": {"path": str(kb.absolute()), "format": kb_format},
        "skip_invalid": skip_invalid,
    }


def _documents(result: Result, given: Path | None, format: str | None, problems: Problems) -> Corpus | None:
    """The documents given; else those of the manifest, if they are still what was linked."""
    from arborlink.corpus import Corpus
    from arborlink.report.columns import check_documents

    if given is not None:
        corpus = Corpus.read(given, format=format, problems=problems)
        _check_given(result, corpus, given)
        return corpus
    path, known_format = _source(result.settings, "documents")
    if path is None:
        _tell_lack("documents", "their texts", "no path is known")
        return None
    try:
        corpus = Corpus.read(path, format=known_format, problems=_problems(result))
        check_documents(result, corpus)
    except InputError as error:
        _tell_lack("documents", "their texts", str(error))
        return None
    return corpus


def _check_given(result: Result, corpus: Corpus, path: Path) -> None:
    from arborlink.report.columns import check_documents

    try:
        check_documents(result, corpus)
    except InputError as error:
        raise error.at(path) from error


def _entities(
    result: Result, given: Path | None, kb_format: str | None, problems: Problems
) -> KnowledgeBase | None:
    if given is not None:
        return read_kb(given, kb_format, problems)
    path, known_format = _source(result.settings, "kb")
    if path is None:
        _tell_lack("kb", "descriptions and figures", "no path is known")
        return None
    try:
        return read_kb(path, known_format, _problems(result))
    except InputError as error:
        _tell_lack("kb", "descriptions and figures", str(error))
        return None


def _source(settings: Mapping[str, Any], name: str) -> tuple[Path | None, str | None]:
    """Path and format of an input as the manifest has them; nothing where it has none, or something else."""
    kept = settings.get("sources")
    source = kept.get(name) if isinstance(kept, Mapping) else None
    if not isinstance(source, Mapping) or not isinstance(source.get("path"), str):
        return None, None
    return Path(source["path"]), source.get("format")


def _problems(result: Result) -> Problems:
    """Inputs are read as they were read for the result."""
    from arborlink.formats import Problems

    kept = result.settings.get("sources")
    return Problems(skip=isinstance(kept, Mapping) and bool(kept.get("skip_invalid")))


def _tell_lack(option: str, what: str, why: str) -> None:
    typer.echo(f"without {what}: {why}; give --{option} to have them in the report", err=True)
