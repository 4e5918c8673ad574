"""An entry of a knowledge base."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

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
        if not self.name.strip():
            raise InputError(f"entity {self.id!r} has no name")
        for field_name in ("aliases", "types"):
            value = getattr(self, field_name)
            # a string would pass for a sequence of its characters
            if isinstance(value, str):
                raise InputError(
                    f"entity {self.id!r} has {field_name}={value!r}; expected a tuple: ({value!r},)"
                )

    @property
    def names(self) -> tuple[str, ...]:
        """The preferred name, then the aliases, each once and none blank."""
        return tuple(dict.fromkeys(name for name in (self.name, *self.aliases) if name.strip()))
