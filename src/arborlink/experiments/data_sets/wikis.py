"""Wikis in ZeShEL's form: every world is a knowledge base of its own, and a mention only meets its own world."""

from __future__ import annotations

from pathlib import Path

from arborlink.document import Document
from arborlink.errors import InputError
from arborlink.experiments.data_sets.data_set import DataSet, merged
from arborlink.formats import read_documents, read_entities
from arborlink.knowledge_base import KnowledgeBase

_FILES = {"dev": "val"}
_NIL = "+missing"
BY_WORLD = "by_world"
_HELD_OUT = ("heldout_train_seen", "heldout_train_unseen")


class Wikis(DataSet):
    """``documents/<world>.json.gz`` and ``mentions/{train,val,test,…}.json.gz``.

    ``dev`` is ``val``. The split ``by_world`` has all anchors of ``mentions_by_world``, without those that are held
    out, and ``by_world/<world>`` those of one world; ``test+missing`` adds those of ``mentions_nil``, whose page no
    knowledge base has.
    """

    name = "wikis"
    parts_by_type = True
    usually_by_type = True

    def read_split(self, split: str) -> list[Document]:
        """Read one file of mentions, or those that a split is made of."""
        whole, _, world = split.partition("/")
        if whole == BY_WORLD:
            return self._by_world(world)
        plain = split.removesuffix(_NIL)
        documents = list(self._read(self._mentions_file("mentions", plain)))
        if plain != split:
            documents = merged([*documents, *self._read(self._mentions_file("mentions_nil", plain))])
        return documents

    def read_kb(self, splits: tuple[str, ...]) -> KnowledgeBase:
        """The entities of all worlds that these splits speak of."""
        worlds = sorted(
            {
                world
                for split in splits
                for document in self.documents(split)
                for mention in document.mentions
                for world in mention.types
            }
        )
        return KnowledgeBase(
            entity for world in worlds for entity in read_entities(self._world_file(world), format="zeshel")
        )

    def files(self) -> list[Path]:
        """Every world, and every file of mentions."""
        folders = ("documents", "mentions", "mentions_by_world", "mentions_nil")
        found = [path for name in folders for path in sorted((self.folder / name).glob("*.json*"))]
        if not found:
            self.need("documents")
        return found

    def with_missing(self, split: str) -> str | None:
        """With the mentions of pages that no knowledge base has, where there is a file of them."""
        is_there = any((self.folder / "mentions_nil").glob(f"{_FILES.get(split, split)}.json*"))
        return split + _NIL if is_there else None

    def _by_world(self, world: str) -> list[Document]:
        """All anchors of a world, or of all worlds, but those that are held out."""
        held_out = {
            (document.id, mention.start, mention.end)
            for split in _HELD_OUT
            for document in self.documents(split)
            for mention in document.mentions
        }
        files = sorted((self.folder / "mentions_by_world").glob(f"{world or '*'}.json*"))
        if not files:
            missing = world or "<world>"
            raise InputError(f"the data set has no mentions_by_world/{missing}.json.gz", self.folder)
        return [
            Document(
                document.id,
                document.text,
                tuple(
                    mention
                    for mention in document.mentions
                    if (document.id, mention.start, mention.end) not in held_out
                ),
                document.extra,
            )
            for document in merged(document for file in files for document in self._read(file))
        ]

    def _read(self, path: Path) -> list[Document]:
        return list(read_documents(path, format="zeshel"))

    def _mentions_file(self, folder: str, split: str) -> Path:
        name = _FILES.get(split, split)
        return self.need(f"{folder}/{name}.json.gz", f"{folder}/{name}.json")

    def _world_file(self, world: str) -> Path:
        return self.need(f"documents/{world}.json.gz", f"documents/{world}.json")


class Zeshel(Wikis):
    """ZeShEL as published: the same files, ``mentions_nil`` and ``mentions_by_world`` left out."""

    name = "zeshel"
