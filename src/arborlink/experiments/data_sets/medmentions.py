"""MedMentions: with the open knowledge base in native files, and as published with the user's own UMLS."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

from arborlink.corpus import Corpus
from arborlink.document import Document
from arborlink.errors import InputError
from arborlink.experiments.data_sets.data_set import DataSet
from arborlink.files import read_lines
from arborlink.formats import read_documents
from arborlink.knowledge_base import KnowledgeBase

_LISTS = {"train": "trng", "dev": "dev", "test": "test"}


class MedMentions(DataSet):
    """``{train,dev,test,kb}.jsonl.gz``; types are not used."""

    name = "medmentions"

    def read_split(self, split: str) -> list[Document]:
        """Read a native file."""
        return list(Corpus.read(self._file(split)))

    def read_kb(self, splits: tuple[str, ...]) -> KnowledgeBase:
        """One for all."""
        return KnowledgeBase.read(self._file("kb"))

    def kb(self, *splits: str) -> KnowledgeBase:
        """One for all, read once."""
        return super().kb()

    def files(self) -> list[Path]:
        """All four."""
        return [self._file(name) for name in ("train", "dev", "test", "kb")]

    def _file(self, name: str) -> Path:
        return self.need(f"{name}.jsonl.gz", f"{name}.jsonl")


class OfficialMedMentions(DataSet):
    """The published ST21pv release and a UMLS release.

    ``corpus_pubtator.txt``, ``corpus_pubtator_pmids_{trng,dev,test}.txt``, all plain or gzip, and ``META`` with
    MRCONSO.RRF, MRDEF.RRF and MRSTY.RRF.
    """

    name = "medmentions_umls"

    def read_split(self, split: str) -> list[Document]:
        """The documents on the list of a split."""
        if split not in _LISTS:
            raise InputError(f"the data set {self.name} has no split {split!r}; it has {', '.join(_LISTS)}")
        wanted = {line.strip() for _, line in read_lines(self._list(split))}
        return [document for document in self._all if document.id in wanted]

    def read_kb(self, splits: tuple[str, ...]) -> KnowledgeBase:
        """The whole of UMLS."""
        return KnowledgeBase.read(self.need("META", "MRCONSO.RRF", "MRCONSO.RRF.gz"), format="umls")

    def kb(self, *splits: str) -> KnowledgeBase:
        """One for all, read once."""
        return super().kb()

    def files(self) -> list[Path]:
        """Corpus, lists and the tables of UMLS."""
        tables = sorted(path for path in self.folder.rglob("MR*.RRF*") if path.is_file())
        return [self._corpus_file(), *map(self._list, _LISTS), *tables]

    @cached_property
    def _all(self) -> tuple[Document, ...]:
        return tuple(read_documents(self._corpus_file(), format="pubtator"))

    def _corpus_file(self) -> Path:
        return self.need("corpus_pubtator.txt.gz", "corpus_pubtator.txt")

    def _list(self, split: str) -> Path:
        name = f"corpus_pubtator_pmids_{_LISTS[split]}.txt"
        return self.need(name, f"{name}.gz")
