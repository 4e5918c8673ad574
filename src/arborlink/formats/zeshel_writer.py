"""Writing ZeShEL: files of pages and, beside them, mentions.

Where ZeShEL has no field, one is added that its other readers overlook: ``types`` where they are not just the
world, ``label_document_ids`` for composite mentions, ``aliases``, and whatever ``extra`` holds.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path

from arborlink.document import Document, Mention
from arborlink.entity import Entity
from arborlink.errors import InputError
from arborlink.files import write_text
from arborlink.formats.json_fields import encode_json
from arborlink.formats.problems import Problems
from arborlink.formats.zeshel_pages import SUFFIXES, Page, read_pages, world_file, world_of
from arborlink.formats.zeshel_tokens import with_blanks_around

MAX_WORLDS = 500
UNTYPED = "untyped"
_LABEL_FIELDS = ("label_document_id", "label_document_ids", "types")
_MENTION_FIELDS = frozenset(
    ("mention_id", "context_document_id", "corpus", "start_index", "end_index", "text", *_LABEL_FIELDS)
)


def write_documents(documents: Iterable[Document], path: Path) -> None:
    """Write ``X/mentions/NAME.json`` and the pages its mentions stand in to ``X/documents/<world>.json``.

    Blanks are put into the text around mentions that do not begin and end with a token. A mention's world is
    its first type, else NAME. A document without mentions leaves a page that no mention points to. Pages that
    are there already stay; one with the same id must have the same text.
    """
    if not path.parent.name.startswith("mentions") or not path.name.endswith(SUFFIXES):
        raise InputError(
            "ZeShEL's mentions stand in a file like X/mentions/NAME.json; name the output so", path
        )
    folder = path.parent.parent / "documents"
    worlds: dict[str, dict[str, Page]] = {}
    with ExitStack() as files:
        out = files.enter_context(write_text(path))
        for document in documents:
            page, rows = _page_and_rows(document, world_of(path))
            for world in {str(row["corpus"]): None for row in rows} or (_world((), world_of(path)),):
                worlds.setdefault(world, {})[page.id] = page
            for row in rows:
                out.write(encode_json(row) + "\n")
        _refuse_too_many(worlds, path)
        for world, pages in worlds.items():
            file = _target(folder, world, path)
            _write_pages(files, file, _with_contexts(file, pages))


def _page_and_rows(document: Document, default_world: str) -> tuple[Page, list[dict[str, object]]]:
    """The context page of a document, and its mentions as lines of the mentions file."""
    text, spans = with_blanks_around(document.text, document.mentions)
    others = dict(document.extra)
    title = others.pop("title", None)
    page = Page(0, document.id, title if isinstance(title, str) else document.id, text, False, others)
    tokens = text.split(" ")
    rows = []
    for mention, (first, last) in zip(document.mentions, spans, strict=True):
        place: dict[str, object] = {
            "mention_id": mention.id,
            "context_document_id": document.id,
            "corpus": _world(mention.types, default_world),
            "start_index": first,
            "end_index": last,
            "text": " ".join(tokens[first : last + 1]),
        }
        rows.append(place | _label(mention, default_world))
    return page, rows


def _label(mention: Mention, default_world: str) -> dict[str, object]:
    label: dict[str, object] = {}
    if mention.entities is not None:
        label["label_document_id"] = mention.entities[0] if mention.entities else None
        if len(mention.entities) > 1:
            label["label_document_ids"] = list(mention.entities)
    if mention.types != (_world(mention.types, default_world),):
        label["types"] = list(mention.types)
    return label | {name: value for name, value in mention.extra.items() if name not in _MENTION_FIELDS}


def _with_contexts(file: Path, pages: dict[str, Page]) -> Iterator[Page]:
    """The pages that stand in the file, then those that are new."""
    new = dict(pages)
    for page in _pages_there(file):
        again = new.pop(page.id, None)
        if again is not None and again.text != page.text:
            raise _other_text(page, file)
        yield page
    yield from new.values()


def write_entities(entities: Iterable[Entity], path: Path) -> None:
    """Write entities as pages: into one file, or (if the path names a folder) one file per first type.

    Context pages that are in a file already stay; a file that holds entities already is left as it is, with
    an error.
    """
    in_one_file = path.name.endswith(SUFFIXES)
    worlds: dict[str, dict[str, Page]] = {}
    for entity in entities:
        world = world_of(path) if in_one_file else _world(entity.types, UNTYPED)
        worlds.setdefault(world, {})[entity.id] = _entity_page(entity, world)
    _refuse_too_many(worlds, path)
    with ExitStack() as files:
        for world, pages in worlds.items():
            file = path if in_one_file else _target(path, world, path)
            _write_pages(files, file, _with_entities(file, pages))


def _entity_page(entity: Entity, world: str) -> Page:
    others = dict(entity.extra)
    leading = others.pop("leading_title", None)
    if not isinstance(leading, str):
        leading = entity.name
    text = (
        f"{leading} {entity.description}" if leading and entity.description else leading or entity.description
    )
    for name, values in (("aliases", entity.aliases), ("types", entity.types)):
        others.pop(name, None)
        if values != ((world,) if name == "types" else ()):
            others[name] = list(values)
    return Page(0, entity.id, entity.name, text, True, others)


def _with_entities(file: Path, pages: dict[str, Page]) -> Iterator[Page]:
    for page in _pages_there(file):
        if page.is_entity:
            raise InputError("the file holds entities already; delete it or write into another folder", file)
        if page.id not in pages:
            yield page
        elif pages[page.id].text != page.text:
            raise _other_text(page, file)
    yield from pages.values()


def _refuse_too_many(worlds: dict[str, dict[str, Page]], path: Path) -> None:
    # all files of a run are open until the last is complete
    if len(worlds) > MAX_WORLDS:
        raise InputError(
            f"there are {len(worlds)} first types, each of which would be a world (at most {MAX_WORLDS}); "
            "remove or merge types, or write entities into one file X/documents/NAME.json",
            path,
        )


def _pages_there(file: Path) -> Iterator[Page]:
    return read_pages(file, Problems()) if file.exists() else iter(())


def _other_text(page: Page, file: Path) -> InputError:
    return InputError(
        f"page {page.id!r} is there already with another text, which mentions may point into; "
        "write into another folder",
        file,
        page.line,
    )


def _write_pages(files: ExitStack, file: Path, pages: Iterable[Page]) -> None:
    out = files.enter_context(write_text(file))
    for page in pages:
        out.write(encode_json(page.as_object()) + "\n")


def _world(types: tuple[str, ...], default: str) -> str:
    """A world's name, fit to be the name of a file."""
    return re.sub(r"[^\w .()-]", "_", types[0] if types else default)[:60].strip(" .") or UNTYPED


def _target(folder: Path, world: str, like: Path) -> Path:
    packed = like.name.endswith(".gz")
    return world_file(folder, world) or folder / f"{world}.json{'.gz' if packed else ''}"
