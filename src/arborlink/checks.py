"""What documents, mentions and entities check of the values they are made of."""

from __future__ import annotations

from collections.abc import Iterable

from arborlink.errors import InputError


def check_string(value: str, what: str) -> str:
    """The value, if it is a string, whatever a caller without a type checker gave."""
    if not isinstance(value, str):
        raise InputError(f"{what} is {value!r}; expected a string")
    return value


def string_tuple(values: Iterable[str], owner: str, owner_id: str, name: str) -> tuple[str, ...]:
    """The values of a field as a tuple of strings; a tuple of strings is returned as it is."""
    if type(values) is not tuple:
        # a string would pass for a sequence of its characters
        if isinstance(values, str):
            raise InputError(f"{owner} {owner_id!r} has {name}={values!r}; expected a tuple: ({values!r},)")
        try:
            values = tuple(values)
        except TypeError as error:
            raise InputError(
                f"{owner} {owner_id!r} has {name}={values!r}; expected a tuple of strings"
            ) from error
    for value in values:
        if not isinstance(value, str):
            raise InputError(f"{owner} {owner_id!r} has {value!r} among its {name}; expected strings")
    return values
