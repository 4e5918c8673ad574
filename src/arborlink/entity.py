"""An entry of a knowledge base."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from arborlink.checks import check_string, string_tuple
from arborlink.errors import InputError


@dataclass(frozen=True, slots=True)
class Entity:
    """One entity: a preferred name, other names, a description, types.

    ``extra`` keeps the fields of the input that ArborLink has no use for, for the writers.
    """

    id: str
    name: str
    aliases: tuple[str, ...] = ()
    description: str = ""
    types: tuple[str, ...] = ()
    extra: Mapping[str, object] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        if not self.id:
            raise InputError(f"an entity named {self.name!r} has an empty id")
        check_string(self.id, "the id of an entity")
        if self.name is None or not check_string(self.name, f"the name of entity {self.id!r}").strip():
            raise InputError(f"entity {self.id!r} has no name")
        check_string(self.description, f"the description of entity {self.id!r}")
        aliases, types = self.aliases, self.types
        # compared, because most are tuples already and setting a field of a frozen class is slow
        if (checked := string_tuple(aliases, "entity", self.id, "aliases")) is not aliases:
            object.__setattr__(self, "aliases", checked)
        if (checked := string_tuple(types, "entity", self.id, "types")) is not types:
            object.__setattr__(self, "types", checked)

    @property
    def names(self) -> tuple[str, ...]:
        """The preferred name, then the aliases, each once and none blank."""
        return tuple(dict.fromkeys(name for name in (self.name, *self.aliases) if name.strip()))
