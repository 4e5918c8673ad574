"""Reading a knowledge base from a UMLS release: MRCONSO, and MRDEF and MRSTY where they are there.

The tables are sorted by concept, so they are read side by side in one pass and never held in memory.

References:
    UMLS Reference Manual, chapter 3, "Metathesaurus - Rich Release Format (RRF)".
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from arborlink.entity import Entity
from arborlink.errors import InputError
from arborlink.formats.problems import Problems
from arborlink.formats.rrf import Row, SortedTable, find_table, read_groups

# the columns of each table that are used, and how many it has
_LANGUAGE, _TERM_STATUS, _STRING_TYPE, _IS_PREFERRED, _ATOM, _SOURCE, _STRING, _SUPPRESS = (
    1,
    2,
    4,
    6,
    7,
    11,
    14,
    16,
)
_N_MRCONSO = 18
_DEF_ATOM, _DEF_SOURCE, _DEFINITION, _DEF_SUPPRESS = 1, 4, 5, 6
_N_MRDEF = 8
_TYPE_ID, _TYPE_NAME = 1, 3
_N_MRSTY = 6

SUPPRESSED = frozenset("OYE")


def read_umls(
    path: str | Path,
    *,
    languages: Sequence[str] = ("ENG",),
    keep_suppressed: bool = False,
    sources: Collection[str] | None = None,
    problems: Problems | None = None,
) -> Iterator[Entity]:
    """Read the concepts of a UMLS release as entities.

    Args:
        path: the folder of the tables (or the one above its ``META``), or an MRCONSO file, whose neighbours
            are used.
        languages: languages of the names (``LAT``); the preferred name comes from the first that has one.
        keep_suppressed: keep terms and definitions marked obsolete or suppressible (``SUPPRESS`` O, Y, E).
        sources: only names and definitions of these vocabularies (``SAB``); ``None`` takes all.
        problems: what to do about rows that cannot be used.

    Yields:
        One entity per concept that has a name left: ``id`` the CUI, ``types`` the semantic types' TUIs (as
        MedMentions labels them), ``extra["semantic_types"]`` their names.
    """
    problems = problems or Problems()
    terms, folder = _terms_table(Path(path))
    definitions = SortedTable(find_table(folder, "MRDEF"), _N_MRDEF, problems)
    types = SortedTable(find_table(folder, "MRSTY"), _N_MRSTY, problems)
    language_rank = {language: rank for rank, language in enumerate(languages)}
    for concept, line, rows in read_groups(terms, _N_MRCONSO, problems):
        kept = [
            row
            for row in rows
            if row[_LANGUAGE] in language_rank
            and (keep_suppressed or row[_SUPPRESS] not in SUPPRESSED)
            and (sources is None or row[_SOURCE] in sources)
            and row[_STRING].strip()
        ]
        if not kept:
            continue
        foreign = {row[_ATOM] for row in rows if row[_LANGUAGE] not in language_rank}
        definition = _definition(definitions.rows(concept), foreign, keep_suppressed, sources)
        try:
            yield _entity(concept, kept, language_rank, definition, types.rows(concept))
        except InputError as error:
            problems.found(error.at(terms, line))
    definitions.read_to_end()
    types.read_to_end()


def _terms_table(path: Path) -> tuple[Path, Path]:
    """The MRCONSO table and the folder its neighbours are in."""
    if not path.is_dir():
        return path, path.parent
    table = find_table(path, "MRCONSO")
    if table is None:
        raise InputError("the folder holds no MRCONSO.RRF or MRCONSO.RRF.gz", path)
    return table, table.parent


def _entity(
    concept: str, rows: list[Row], language_rank: dict[str, int], definition: str, type_rows: list[Row]
) -> Entity:
    # ties go to the row that comes first
    best = min(
        rows,
        key=lambda row: (
            language_rank[row[_LANGUAGE]],
            row[_TERM_STATUS] != "P",
            row[_STRING_TYPE] != "PF",
            row[_IS_PREFERRED] != "Y",
        ),
    )
    name = best[_STRING]
    by_folded = {name.casefold(): name}
    for row in rows:
        by_folded.setdefault(row[_STRING].casefold(), row[_STRING])
    aliases = tuple(by_folded.values())[1:]
    types = {row[_TYPE_ID]: row[_TYPE_NAME] for row in type_rows}
    extra: dict[str, object] = {"semantic_types": list(types.values())} if types else {}
    return Entity(concept, name, aliases, definition, tuple(types), extra)


def _definition(
    rows: list[Row], foreign: Collection[str], keep_suppressed: bool, sources: Collection[str] | None
) -> str:
    """The first definition that may be used. MRDEF has no language: the atom it defines has one."""
    for row in rows:
        if (
            row[_DEF_ATOM] not in foreign
            and (keep_suppressed or row[_DEF_SUPPRESS] not in SUPPRESSED)
            and (sources is None or row[_DEF_SOURCE] in sources)
        ):
            return row[_DEFINITION]
    return ""
