"""Build the demo world's JSONL from the texts people edit.

``tools/demo_world/entities.txt`` holds the entities, ``tools/demo_world/documents.txt`` the documents, their
mentions marked as ``[[surface|entity-id]]``. This writes ``kb.jsonl`` and ``documents.jsonl`` of
``src/arborlink/demo``; with ``--check`` it only says whether they are up to date. Run it from anywhere::

    python tools/build_demo_world.py
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "tools" / "demo_world"
TARGET = ROOT / "src" / "arborlink" / "demo"
MARK = re.compile(r"\[\[([^|\]]+)\|([^|\]]+)\]\]")


class SourceError(Exception):
    """A mistake in the authoring texts."""


def blocks(path: Path, kinds: tuple[str, ...]) -> Iterator[tuple[str, str, list[str]]]:
    """Yield (kind, id, lines) for each block; a block opens with a line such as ``entity some-id``."""
    opening = re.compile(rf"({'|'.join(kinds)}) ([a-z0-9-]+)")
    current: tuple[str, str, list[str]] | None = None
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if line.startswith("#"):
            continue
        if opened := opening.fullmatch(line):
            if current:
                yield current
            current = (opened[1], opened[2], [])
        elif current:
            current[2].append(line)
        elif line.strip():
            raise SourceError(f"{path.name}:{number}: text before the first block: {line!r}")
    if current:
        yield current


def parse_entities(path: Path) -> tuple[list[dict[str, object]], dict[str, str]]:
    """The knowledge base records, and the type of every entity, missing ones included, by id."""
    records: list[dict[str, object]] = []
    types: dict[str, str] = {}
    for kind, entity_id, lines in blocks(path, ("entity", "missing")):
        fields = dict(line.split(": ", 1) for line in lines if line)
        if unknown := set(fields) - {"name", "also", "type", "about"}:
            raise SourceError(f"{path.name}: {entity_id} has unknown fields {sorted(unknown)}")
        if absent := {"name", "type", "about"} - set(fields):
            raise SourceError(f"{path.name}: {entity_id} lacks {sorted(absent)}")
        if entity_id in types:
            raise SourceError(f"{path.name}: {entity_id} stands twice")
        types[entity_id] = fields["type"]
        if kind == "entity":
            records.append(entity_record(entity_id, fields))
    return records, types


def entity_record(entity_id: str, fields: dict[str, str]) -> dict[str, object]:
    """One line of the knowledge base."""
    aliases = [alias.strip() for alias in fields.get("also", "").split(";") if alias.strip()]
    return {
        "id": entity_id,
        "name": fields["name"],
        **({"aliases": aliases} if aliases else {}),
        "description": fields["about"],
        "types": [fields["type"]],
    }


def parse_documents(path: Path, types: dict[str, str]) -> list[dict[str, object]]:
    """The document records; wrapped lines become one, blank lines part paragraphs."""
    records: list[dict[str, object]] = []
    for _, document_id, lines in blocks(path, ("document",)):
        paragraphs = re.split(r"\n\s*\n", "\n".join(lines).strip())
        marked = "\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)
        records.append(document_record(document_id, marked, types))
    return records


def document_record(document_id: str, marked: str, types: dict[str, str]) -> dict[str, object]:
    """One document with its marks turned into offsets in code points."""
    text = ""
    mentions: list[dict[str, object]] = []
    end_of_last = 0
    for mark in MARK.finditer(marked):
        surface, entity_id = mark[1], mark[2]
        if entity_id not in types:
            raise SourceError(
                f"document {document_id}: {surface!r} is marked as {entity_id!r}, which no block declares"
            )
        text += marked[end_of_last : mark.start()]
        mentions.append(
            {
                "id": f"{document_id}.{len(mentions)}",
                "start": len(text),
                "end": len(text) + len(surface),
                "type": types[entity_id],
                "entity": entity_id,
            }
        )
        text += surface
        end_of_last = mark.end()
    text += marked[end_of_last:]
    if "[[" in text or "]]" in text:
        raise SourceError(f"document {document_id}: a mark is not closed or lacks its id")
    return {"id": document_id, "text": text, "mentions": mentions}


def build() -> dict[str, str]:
    """The content of every built file, by name."""
    entities, types = parse_entities(SOURCE / "entities.txt")
    documents = parse_documents(SOURCE / "documents.txt", types)
    return {"kb.jsonl": as_jsonl(entities), "documents.jsonl": as_jsonl(documents)}


def as_jsonl(records: list[dict[str, object]]) -> str:
    """One record a line, readable characters kept as they are."""
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


def main(arguments: list[str]) -> int:
    """Write the files, or with ``--check`` compare them; 1 means out of date, 2 a mistake in the source."""
    try:
        built = build()
    except SourceError as error:
        print(error, file=sys.stderr)
        return 2
    if arguments == ["--check"]:
        stale = [
            name
            for name, content in built.items()
            if not (TARGET / name).is_file() or (TARGET / name).read_text(encoding="utf-8") != content
        ]
        print(f"out of date: {', '.join(stale)}" if stale else "up to date")
        return 1 if stale else 0
    for name, content in built.items():
        (TARGET / name).write_text(content, encoding="utf-8")
        print(f"{name}: {len(content.splitlines())} records")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
