"""The type and identifier columns of a PubTator mention line, read and written.

Several semantic types stand as ``T116,T123``. Identifiers come in dialects: ``D1``, ``MESH:D1``, ``D1|D2``
(BC5CDR), ``D1+D2`` (NCBI disease), ``6531;6532`` (PubTator Central), ``-1`` for "in no vocabulary", and an
empty column or ``-`` for "nobody said".
"""

from __future__ import annotations

import re

NIL = "-1"
_UNLABELLED = ("", "-")
# "Body Part, Organ, or Organ Component" is one type
_TYPE_SEPARATOR = re.compile(r",(?!\s)")
# the vocabularies whose ids are commonly written bare; HP:0000001 or OMIM:100050 is the id itself
_PREFIX = re.compile(r"(?:MESH|UMLS):(?=.)", re.IGNORECASE)
# + , ; may be part of an id of somebody's own; they separate only where every part looks like an accession
_ACCESSIONS = re.compile(r"(?:[A-Za-z]+:)?[A-Za-z]*\d+(?:[+,;](?:[A-Za-z]+:)?[A-Za-z]*\d+)+")
# a tmVar id describes a variant and has bars of its own
_VARIANT = "tmVar:"


def split_types(column: str) -> tuple[str, ...]:
    """The types of a mention: ``"T116,T123"`` gives two."""
    return tuple(filter(None, _TYPE_SEPARATOR.split(column)))


def join_types(types: tuple[str, ...]) -> str:
    """The column for these types."""
    return ",".join(types)


def split_identifiers(column: str) -> tuple[str, ...] | None:
    """The gold label of a mention, as `arborlink.document.Mention` holds it."""
    column = column.strip()
    if column in _UNLABELLED:
        return None
    if column.startswith(_VARIANT):
        return (column,)
    parts = re.split(r"[+,;]", column) if _ACCESSIONS.fullmatch(column) else column.split("|")
    # "D002544|-1": one part of a composite has an entity, the other has none
    return tuple(without_prefix(part) for part in parts if part and part != NIL)


def without_prefix(id_: str) -> str:
    """``"MESH:D1"`` and ``"UMLS:C1"`` without their vocabulary."""
    prefix = _PREFIX.match(id_)
    return id_[prefix.end() :] if prefix else id_


def join_identifiers(entities: tuple[str, ...] | None) -> str:
    """The column for a gold label."""
    if entities is None:
        return ""
    return "|".join(entities) or NIL
