"""A corpus: documents in order, every mention reachable by position or id."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path

from arborlink.document import Document, Mention
from arborlink.errors import InputError
from arborlink.files import collector_paused
from arborlink.formats import Problems, read_documents, write_documents


class Corpus:
    """An immutable sequence of documents. Mentions are numbered through it, from 0, in reading order.

    Example:
        >>> corpus = Corpus([Document("d", "Ada met Bob.", (Mention("d.0", 0, 3), Mention("d.1", 8, 11)))])
        >>> [document.text_of(mention) for document, mention in corpus.mentions]
        ['Ada', 'Bob']
    """

    def __init__(self, documents: Iterable[Document]) -> None:
        self._documents = tuple(documents)
        if len({document.id for document in self._documents}) != len(self._documents):
            raise InputError(f"document id {_first_repeated(d.id for d in self._documents)!r} stands twice")
        if len(self.mention_index) != self.n_mentions:
            raise InputError(f"mention id {_first_repeated(m.id for _, m in self.mentions)!r} stands twice")

    @classmethod
    def read(cls, path: str | Path, *, format: str | None = None, problems: Problems | None = None) -> Corpus:
        """Read documents in any known format; ``format`` names it where content and name do not tell."""
        with collector_paused():
            return cls(read_documents(path, format=format, problems=problems))

    def write(self, path: str | Path, *, format: str | None = None) -> None:
        """Write the documents; nothing appears under ``path`` before all of it is written.

        Without ``format`` the name tells it; a name that tells none gets ``jsonl``.
        """
        write_documents(self._documents, path, format=format)

    @property
    def documents(self) -> tuple[Document, ...]:
        """The documents, in order."""
        return self._documents

    @cached_property
    def mentions(self) -> tuple[tuple[Document, Mention], ...]:
        """Every mention with its document; the position here is the mention's number."""
        return tuple((document, mention) for document in self._documents for mention in document.mentions)

    @cached_property
    def mention_index(self) -> dict[str, int]:
        """Number of a mention, by id."""
        return {mention.id: number for number, (_, mention) in enumerate(self.mentions)}

    @property
    def n_mentions(self) -> int:
        """How many mentions the documents hold together."""
        return len(self.mentions)

    def __len__(self) -> int:
        return len(self._documents)

    def __iter__(self) -> Iterator[Document]:
        return iter(self._documents)

    def __repr__(self) -> str:
        return f"Corpus({len(self)} documents, {self.n_mentions} mentions)"


def _first_repeated(ids: Iterable[str]) -> str:
    seen: set[str] = set()
    return next(id_ for id_ in ids if id_ in seen or seen.add(id_))  # type: ignore[func-returns-value]
