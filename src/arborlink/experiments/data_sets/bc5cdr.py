"""BC5CDR: chemicals and diseases, linked to MeSH; the type of a mention is known."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from arborlink.corpus import Corpus
from arborlink.document import Document
from arborlink.evaluation import read_id_map
from arborlink.experiments.data_sets.data_set import DataSet
from arborlink.knowledge_base import KnowledgeBase


class Bc5cdr(DataSet):
    """``{train,dev,test}.pubtator.gz``, ``kb.jsonl.gz`` and ``retired_id_map.json``."""

    name = "bc5cdr"
    parts_by_type = True
    usually_by_type = True

    def read_split(self, split: str) -> list[Document]:
        """Read a PubTator file."""
        return list(Corpus.read(self._documents_file(split), format="pubtator"))

    def read_kb(self, splits: tuple[str, ...]) -> KnowledgeBase:
        """One for all."""
        return KnowledgeBase.read(self.need("kb.jsonl.gz", "kb.jsonl"))

    def kb(self, *splits: str) -> KnowledgeBase:
        """One for all, read once."""
        return super().kb()

    def files(self) -> list[Path]:
        """Documents, knowledge base and, if it is there, the map of retired ids."""
        documents = [self._documents_file(split) for split in ("train", "dev", "test")]
        maps = [path for path in (self.folder / "retired_id_map.json",) if path.is_file()]
        return [*documents, self.need("kb.jsonl.gz", "kb.jsonl"), *maps]

    @property
    def id_map(self) -> Mapping[str, str] | None:
        """From retired to current ids of MeSH, if the file is there."""
        path = self.folder / "retired_id_map.json"
        return read_id_map(path) if path.is_file() else None

    def _documents_file(self, split: str) -> Path:
        return self.need(f"{split}.pubtator.gz", f"{split}.pubtator")
