"""What a reviewer can decide, as plain values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, ClassVar

from arborlink.errors import InputError


@dataclass(frozen=True, slots=True)
class Promote:
    """A discovery becomes an entity of the knowledge base, under the discovery's id.

    Args:
        discovery: its id.
        name: of the new entity; this and the rest, where not given, are drawn from the evidence.
        aliases: other names.
        types: what kind of entity it is.
        description: what it is, in words.
    """

    kind: ClassVar[str] = "promote"
    discovery: str
    name: str | None = None
    aliases: tuple[str, ...] | None = None
    types: tuple[str, ...] | None = None
    description: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {"kind": self.kind, **asdict(self)}


@dataclass(frozen=True, slots=True)
class Reject:
    """A discovery is no entity worth having: it is not proposed again."""

    kind: ClassVar[str] = "reject"
    discovery: str

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {"kind": self.kind, **asdict(self)}


@dataclass(frozen=True, slots=True)
class Merge:
    """Discoveries are one thing; or all of them are a known entity, whose id is then among ``ids``."""

    kind: ClassVar[str] = "merge"
    ids: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {"kind": self.kind, **asdict(self)}


@dataclass(frozen=True, slots=True)
class Split:
    """Some mentions of a discovery are one thing, and not what its other mentions are."""

    kind: ClassVar[str] = "split"
    discovery: str
    mentions: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {"kind": self.kind, **asdict(self)}


@dataclass(frozen=True, slots=True)
class Together:
    """Mentions are one thing, whatever it is."""

    kind: ClassVar[str] = "together"
    mentions: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {"kind": self.kind, **asdict(self)}


@dataclass(frozen=True, slots=True)
class Apart:
    """Two mentions are different things."""

    kind: ClassVar[str] = "apart"
    one: str
    other: str

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {"kind": self.kind, **asdict(self)}


@dataclass(frozen=True, slots=True)
class Relink:
    """A mention is this entity."""

    kind: ClassVar[str] = "relink"
    mention: str
    entity: str

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {"kind": self.kind, **asdict(self)}


@dataclass(frozen=True, slots=True)
class Unlink:
    """A mention is not this entity."""

    kind: ClassVar[str] = "unlink"
    mention: str
    entity: str

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {"kind": self.kind, **asdict(self)}


Decision = Promote | Reject | Merge | Split | Together | Apart | Relink | Unlink
_KINDS: dict[str, type[Decision]] = {
    each.kind: each for each in (Promote, Reject, Merge, Split, Together, Apart, Relink, Unlink)
}
DECISION_KINDS = tuple(_KINDS)
_LISTS = ("ids", "mentions", "aliases", "types")
_MAY_BE_NONE = ("name", "aliases", "types", "description")


def decision_from_dict(record: Mapping[str, Any]) -> Decision:
    """The decision of a record with ``kind`` and the fields of that kind.

    Raises:
        InputError: the kind or a field is unknown, missing or of another type.

    Example:
        >>> decision_from_dict({"kind": "relink", "mention": "d.0", "entity": "Q1"})
        Relink(mention='d.0', entity='Q1')
    """
    if not isinstance(record, Mapping):
        raise InputError(f"a decision is {record!r}; expected an object")
    kind = _KINDS.get(str(record.get("kind")))
    if kind is None:
        raise InputError(
            f"a decision of kind {record.get('kind')!r} is not known; expected one of {', '.join(_KINDS)}"
        )
    names = [field.name for field in fields(kind)]
    if unknown := set(record) - {"kind", *names}:
        raise InputError(
            f"a decision of kind {kind.kind!r} has no field {sorted(unknown)[0]!r}; expected {', '.join(names)}"
        )
    return kind(**{name: _checked(record.get(name), name, kind.kind) for name in names})


def _checked(value: Any, name: str, kind: str) -> Any:
    if value is None and name in _MAY_BE_NONE:
        return None
    if name in _LISTS:
        if isinstance(value, list | tuple) and all(isinstance(each, str) for each in value):
            return tuple(value)
        raise InputError(f"{name} of a decision of kind {kind!r} is {value!r}; expected a list of strings")
    if not isinstance(value, str) or not value:
        raise InputError(f"{name} of a decision of kind {kind!r} is {value!r}; expected a string")
    return value
