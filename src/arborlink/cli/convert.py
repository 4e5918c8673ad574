"""``arborlink convert``: documents or a knowledge base from one format into another."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from arborlink.cli.skipped import report_skipped
from arborlink.document import Document
from arborlink.entity import Entity
from arborlink.errors import InputError
from arborlink.formats import (
    DOCUMENT_FORMATS,
    ENTITY_FORMATS,
    Problems,
    detect_format,
    read_documents,
    read_entities,
    read_umls,
    write_documents,
    write_entities,
)
from arborlink.formats.detect import check_format, formats_of, guess_format, guess_from_name

Item = TypeVar("Item", Document, Entity)
_COUNT_EVERY = 5_000


def convert(
    input_path: Annotated[Path, typer.Argument(metavar="INPUT", help="File or folder to read.")],
    output_path: Annotated[
        Path, typer.Argument(metavar="OUTPUT", help="File or folder to write; .gz is packed.")
    ],
    role: Annotated[
        str | None,
        typer.Option(help="What INPUT holds: documents or kb. Left out, INPUT must leave no doubt."),
    ] = None,
    from_format: Annotated[
        str | None,
        typer.Option(
            "--from", metavar="FORMAT", help="jsonl, pubtator, zeshel, umls; found out if left out."
        ),
    ] = None,
    to_format: Annotated[
        str | None,
        typer.Option(
            "--to", metavar="FORMAT", help="jsonl, pubtator, zeshel; from OUTPUT's name if left out."
        ),
    ] = None,
    skip_invalid: Annotated[
        bool, typer.Option("--skip-invalid", help="Leave out invalid records, count them and tell.")
    ] = False,
    language: Annotated[
        list[str] | None,
        typer.Option(metavar="CODE", help="UMLS only: language of the names, best first [default: ENG]."),
    ] = None,
    source: Annotated[
        list[str] | None,
        typer.Option(metavar="SAB", help="UMLS only: take names and definitions of this vocabulary alone."),
    ] = None,
    keep_suppressed: Annotated[
        bool, typer.Option("--keep-suppressed", help="UMLS only: keep obsolete and suppressible terms.")
    ] = False,
) -> None:
    """Convert documents or a knowledge base between formats.

    Formats are jsonl, pubtator (documents), zeshel and umls (knowledge base, read only). The report goes to
    standard error; nothing appears under OUTPUT before all of it is written.
    """
    role = role or _role(input_path, output_path, from_format)
    formats_of(role)
    from_format = (
        check_format(from_format, role, input_path) if from_format else detect_format(input_path, role)
    )
    to_format = (
        check_format(to_format, role, output_path) if to_format else _format_of_output(output_path, role)
    )
    if from_format != "umls" and (language or source or keep_suppressed):
        raise InputError(
            f"--language, --source and --keep-suppressed are for umls, not {from_format}", input_path
        )
    problems = Problems(skip=skip_invalid)
    if role == "documents":
        tally = _Tally("documents", input_path)
        documents = read_documents(input_path, format=from_format, problems=problems)
        write_documents(tally.count(documents), output_path, format=to_format)
    else:
        tally = _Tally("entities", input_path)
        if from_format == "umls":
            entities = read_umls(
                input_path,
                languages=language or ("ENG",),
                keep_suppressed=keep_suppressed,
                sources=source,
                problems=problems,
            )
        else:
            entities = read_entities(input_path, format=from_format, problems=problems)
        write_entities(tally.count(entities), output_path, format=to_format)
    _report(f"read {tally.summary()} from {input_path} ({from_format})")
    _report(f"wrote {output_path} ({to_format})")
    if to_format == "zeshel" and tally.n_without_mentions:
        _report(f"{tally.n_without_mentions:,} documents have no mention: zeshel keeps their pages only")
    report_skipped(problems)


def _role(input_path: Path, output_path: Path, from_format: str | None) -> str:
    """What is being converted, where format, input or output leave no doubt."""
    if from_format in DOCUMENT_FORMATS and from_format not in ENTITY_FORMATS:
        return "documents"
    if from_format in ENTITY_FORMATS and from_format not in DOCUMENT_FORMATS:
        return "kb"
    for guess in (guess_format(input_path), guess_from_name(output_path)):
        if guess is not None and guess.role is not None:
            return guess.role
    raise InputError("documents or a knowledge base? Say --role documents or --role kb", input_path)


def _format_of_output(path: Path, role: str) -> str:
    guess = guess_from_name(path)
    if guess is None:
        raise InputError(
            "the name tells no format (.jsonl, .pubtator, X/mentions/NAME.json, X/documents); say --to",
            path,
        )
    if guess.role not in (None, role):
        raise InputError(f"the name is that of {guess.format} {guess.role}; say the format with --to", path)
    return guess.format


class _Tally:
    """Counts what passes, on a terminal while it passes."""

    def __init__(self, noun: str, path: Path) -> None:
        self.noun = noun
        self.path = path
        self.n_items = 0
        self.n_mentions = 0
        self.n_without_mentions = 0

    def count(self, items: Iterable[Item]) -> Iterator[Item]:
        watched = sys.stderr is not None and sys.stderr.isatty()
        for item in items:
            self.n_items += 1
            if isinstance(item, Document):
                self.n_mentions += len(item.mentions)
                self.n_without_mentions += not item.mentions
            yield item
            if watched and self.n_items % _COUNT_EVERY == 0:
                print(f"\r{self.n_items:,} {self.noun}", end="", file=sys.stderr, flush=True)
        if watched and self.n_items >= _COUNT_EVERY:
            print("\r\x1b[K", end="", file=sys.stderr)
        if self.n_items == 0 and self.noun == "entities":
            raise InputError("the knowledge base is empty: nothing was written", self.path)

    def summary(self) -> str:
        """The counts in words."""
        if self.noun == "entities":
            return f"{self.n_items:,} entities"
        return f"{self.n_items:,} documents with {self.n_mentions:,} mentions"


def _report(message: str) -> None:
    typer.echo(message, err=True)
