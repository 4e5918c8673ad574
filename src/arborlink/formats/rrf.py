"""UMLS tables in Rich Release Format: fields between bars, rows sorted by concept."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from arborlink.errors import InputError
from arborlink.files import read_lines
from arborlink.formats.problems import Problems

Row = list[str]
Group = tuple[str, int, list[Row]]


def find_table(folder: Path, name: str) -> Path | None:
    """The table ``name`` in a folder or in the folder's ``META``, plain or packed."""
    for place in (folder, folder / "META"):
        for suffix in (".RRF", ".RRF.gz"):
            if (place / f"{name}{suffix}").is_file():
                return place / f"{name}{suffix}"
    return None


def read_groups(path: Path, n_fields: int, problems: Problems) -> Iterator[Group]:
    """Yield (concept, line of its first row, its rows) for each run of rows of one concept.

    Raises:
        InputError: the rows are not sorted by concept, so that joining tables in one pass would lose rows.
    """
    concept, first_line = "", 0
    rows: list[Row] = []
    for line, text in read_lines(path):
        if not text:
            continue
        row = text.split("|")
        # a row ends with a bar, which some tools cut off
        if not n_fields <= len(row) <= n_fields + 1:
            found = f"a row has {text.count('|')} bars; expected {n_fields} fields, each followed by a bar"
            problems.found(InputError(found, path, line))
            continue
        if row[0] != concept or not rows:
            if row[0] < concept:
                found = f"concept {row[0]} comes after {concept}; sort the table by concept (LC_ALL=C sort)"
                raise InputError(found, path, line)
            if rows:
                yield concept, first_line, rows
            concept, first_line, rows = row[0], line, []
        rows.append(row)
    if rows:
        yield concept, first_line, rows


class SortedTable:
    """A sorted table read alongside another one: ask for concepts in ascending order."""

    def __init__(self, path: Path | None, n_fields: int, problems: Problems) -> None:
        self._groups = iter(()) if path is None else read_groups(path, n_fields, problems)
        self._next: Group | None = next(self._groups, None)

    def rows(self, concept: str) -> list[Row]:
        """The rows of a concept, none if it has none here."""
        while self._next is not None and self._next[0] < concept:
            self._next = next(self._groups, None)
        return self._next[2] if self._next is not None and self._next[0] == concept else []

    def read_to_end(self) -> None:
        """Read what is left, so that a row out of order does not go unnoticed."""
        for _ in self._groups:
            pass
