"""Documents and the mentions marked in them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from operator import index

from arborlink.checks import check_string, string_tuple
from arborlink.errors import InputError


@dataclass(frozen=True, slots=True)
class Mention:
    """A marked span of a document.

    Args:
        id: unique within the corpus.
        start: first character, in code points of the document's text.
        end: one past the last character.
        types: what kind of entity the span names, if known (a semantic type, a world).
        entities: the gold label. ``None``: not labelled. ``()``: known to be outside every knowledge base,
            cluster unknown. One id: the gold entity; where the knowledge base lacks it, the id names the gold
            cluster of an entity to be discovered. Several ids: a composite mention ("liver and kidney
            failure"), for which any of them is right.
        extra: fields of the input that ArborLink has no use for, kept for the writers.
    """

    id: str
    start: int
    end: int
    types: tuple[str, ...] = ()
    entities: tuple[str, ...] | None = None
    extra: Mapping[str, object] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        if not self.id:
            raise InputError(f"a mention at {self.start}..{self.end} has an empty id")
        check_string(self.id, "the id of a mention")
        if type(self.start) is not int or type(self.end) is not int:
            self._set_offsets()
        if self.start < 0:
            raise InputError(f"mention {self.id!r} starts at {self.start}; offsets count from 0")
        if self.end <= self.start:
            raise InputError(
                f"mention {self.id!r} has no text: it starts at {self.start} and ends at {self.end}"
            )
        types, entities = self.types, self.entities
        # compared, because most are tuples already and setting a field of a frozen class is slow
        if (checked := string_tuple(types, "mention", self.id, "types")) is not types:
            object.__setattr__(self, "types", checked)
        if entities is not None:
            checked = string_tuple(entities, "mention", self.id, "entities")
            if checked is not entities:
                object.__setattr__(self, "entities", checked)

    def _set_offsets(self) -> None:
        """Make plain integers of offsets that are whole numbers of another class, such as NumPy's."""
        try:
            start, end = int(index(self.start)), int(index(self.end))
        except TypeError as error:
            raise InputError(
                f"mention {self.id!r} has the offsets {self.start!r}..{self.end!r}; expected whole numbers"
            ) from error
        object.__setattr__(self, "start", start)
        object.__setattr__(self, "end", end)


@dataclass(frozen=True, slots=True)
class Document:
    """A text and its mentions, in the order they were given."""

    id: str
    text: str
    mentions: tuple[Mention, ...] = ()
    extra: Mapping[str, object] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        if not self.id:
            raise InputError("a document has an empty id")
        check_string(self.id, "the id of a document")
        check_string(self.text, f"the text of document {self.id!r}")
        object.__setattr__(self, "mentions", tuple(self.mentions))
        seen: set[str] = set()
        for mention in self.mentions:
            if mention.end > len(self.text):
                raise InputError(
                    f"mention {mention.id!r} ends at {mention.end} but document {self.id!r} has "
                    f"{len(self.text)} characters"
                )
            if not self.text[mention.start : mention.end].strip():
                raise InputError(
                    f"mention {mention.id!r} has no text: document {self.id!r} is blank at "
                    f"{mention.start}..{mention.end}"
                )
            if mention.id in seen:
                raise InputError(f"mention id {mention.id!r} stands twice in document {self.id!r}")
            seen.add(mention.id)

    def text_of(self, mention: Mention) -> str:
        """The characters the mention marks."""
        return self.text[mention.start : mention.end]


def mention_id(document_id: str, position: int) -> str:
    """The id of a mention that came without one: its document and its place (from 0) among the mentions."""
    return f"{document_id}.{position}"
