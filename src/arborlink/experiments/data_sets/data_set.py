"""A data set: documents in splits, the knowledge base that each split is linked to, who may meet whom."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from hashlib import file_digest
from pathlib import Path

from arborlink.corpus import Corpus
from arborlink.document import Document, Mention
from arborlink.errors import InputError
from arborlink.evaluation.gold import gold_ids
from arborlink.files import collector_paused
from arborlink.knowledge_base import KnowledgeBase
from arborlink.labels import Labels
from arborlink.type_labels import type_labels

# With a limit on documents, so many entities besides the gold ones are kept for each document.
_OTHERS_PER_DOCUMENT = 10


@dataclass(frozen=True, eq=False)
class Split:
    """Documents and the knowledge base they are linked to.

    Args:
        name: ``dev`` or ``test``, with what was added to it.
        corpus: the documents.
        kb: the entities that its mentions may be linked to.
        by_type: mentions only meet entities and mentions of their own types (or world).
        given: who may meet whom, where types alone do not tell.
    """

    name: str
    corpus: Corpus
    kb: KnowledgeBase
    by_type: bool
    given: Labels | None = None

    @cached_property
    def labels(self) -> Labels | None:
        """Who may meet whom, if not everybody may."""
        if self.given is not None:
            return self.given
        return type_labels(self.corpus, self.kb) if self.by_type else None


class DataSet(ABC):
    """One data set, read from files as far as it is needed, each file once.

    Args:
        folder: where its files are.
        by_type: mentions only meet what is of their own type; ``None`` is what is usual for the data set.
        limit: take only so many documents of each split, for a trial; ``None`` takes all.
    """

    name: str
    parts_by_type = False
    """Whether figures are also given for each type of mention."""
    usually_by_type = False

    def __init__(self, folder: Path, by_type: bool | None = None, limit: int | None = None) -> None:
        self.folder = folder
        self.by_type = self.usually_by_type if by_type is None else by_type
        self.limit = limit
        self._documents: dict[str, tuple[Document, ...]] = {}
        self._corpora: dict[tuple[str, ...], Corpus] = {}
        self._kbs: dict[tuple[str, ...], KnowledgeBase] = {}
        self._splits: dict[str, Split] = {}

    @abstractmethod
    def read_split(self, split: str) -> list[Document]:
        """Read the documents of a split; names beyond train, dev and test are the layout's own."""

    @abstractmethod
    def read_kb(self, splits: tuple[str, ...]) -> KnowledgeBase:
        """Read the entities that mentions of these splits may be linked to."""

    @abstractmethod
    def files(self) -> list[Path]:
        """Every file that a result depends on."""

    def with_missing(self, split: str) -> str | None:
        """The split with the mentions of really missing entities in it; ``None`` where the data set has none."""
        return split

    @property
    def id_map(self) -> Mapping[str, str] | None:
        """From retired to current gold ids, if the data set has such a map."""
        return None

    def part_of(self, mention: Mention) -> tuple[str, ...]:
        """The parts that figures are given for besides the whole: types or worlds."""
        return mention.types if self.parts_by_type else ()

    def documents(self, split: str) -> tuple[Document, ...]:
        """The documents of a split."""
        if split not in self._documents:
            with collector_paused():
                self._documents[split] = tuple(self.read_split(split)[: self.limit])
        return self._documents[split]

    def corpus(self, *splits: str) -> Corpus:
        """The documents of some splits together; one that stands in several keeps the mentions of all."""
        if splits not in self._corpora:
            everything = (document for split in splits for document in self.documents(split))
            self._corpora[splits] = Corpus(merged(everything))
        return self._corpora[splits]

    def kb(self, *splits: str) -> KnowledgeBase:
        """The entities for these splits."""
        if splits not in self._kbs:
            with collector_paused():
                kb = self.read_kb(splits)
            if self.limit is not None:
                kb = self._cut(kb, splits or ("train", "dev", "test"), self.limit)
            self._kbs[splits] = kb
        return self._kbs[splits]

    def split(self, name: str) -> Split:
        """A split with its knowledge base."""
        if name not in self._splits:
            self._splits[name] = Split(name, self.corpus(name), self.kb(name), self.by_type)
        return self._splits[name]

    @cached_property
    def train_ids(self) -> set[str]:
        """Gold ids of the train split, as they are given and as the map of retired ids changes them: what is seen."""
        return self._gold_ids("train")

    @cached_property
    def dev_ids(self) -> set[str]:
        """Likewise those of the dev split."""
        return self._gold_ids("dev")

    def _gold_ids(self, split: str) -> set[str]:
        return gold_ids(self.corpus(split)) | gold_ids(self.corpus(split), self.id_map)

    def fingerprint(self) -> dict[str, str]:
        """SHA-256 of every file, by its path in the folder."""
        return {str(path.relative_to(self.folder)): sha256_of(path) for path in self.files()}

    def need(self, *names: str) -> Path:
        """The first of these files that is there.

        Raises:
            InputError: none is.
        """
        for name in names:
            if (self.folder / name).exists():
                return self.folder / name
        raise InputError(
            f"the data set {self.name} has no {' or '.join(names)}; docs/experiments_howto.md says what it needs",
            self.folder,
        )

    def _cut(self, kb: KnowledgeBase, splits: tuple[str, ...], limit: int) -> KnowledgeBase:
        gold = {
            id_
            for split in splits
            for document in self.documents(split)
            for mention in document.mentions
            for id_ in mention.entities or ()
        }
        others = (entity.id for entity in kb if entity.id not in gold)
        kept = gold | {id_ for id_, _ in zip(others, range(limit * _OTHERS_PER_DOCUMENT), strict=False)}
        return KnowledgeBase(entity for entity in kb if entity.id in kept)


def merged(documents: Iterable[Document]) -> list[Document]:
    """Documents with each id once, mentions of all that share it together, in order of their place."""
    found: dict[str, Document] = {}
    for document in documents:
        before = found.get(document.id)
        if before is None:
            found[document.id] = document
            continue
        mentions = {mention.id: mention for mention in (*before.mentions, *document.mentions)}
        ordered = sorted(mentions.values(), key=lambda mention: (mention.start, mention.end))
        found[document.id] = Document(document.id, before.text, tuple(ordered), before.extra)
    return list(found.values())


@cache
def sha256_of(path: Path) -> str:
    """SHA-256 of a file's content, in hexadecimal."""
    with path.open("rb") as stream:
        return file_digest(stream, "sha256").hexdigest()
