"""What values in a model's ``arborlink.json`` must be; the messages have no place yet."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from arborlink.errors import ModelError


def content_of(content: object, *versions: int) -> Mapping[str, Any]:
    """The fields of the file, of one of these versions.

    Raises:
        ModelError: it holds no object, or one of another version.
    """
    if not isinstance(content, dict):
        raise ModelError("not a model ArborLink saved: the file does not hold an object")
    version = field_of(content, "version", int)
    if version not in versions:
        known = " and ".join(map(str, versions))
        raise ModelError(
            f"version {version}, but this ArborLink reads version{'s' if len(versions) > 1 else ''} {known}"
        )
    return content


def of_type(value: object, expected: type, what: str) -> Any:
    """The value, if it is of the type; ``what`` names it in the message."""
    # true and false are numbers to Python, and a whole number will do for a fractional one
    right = isinstance(value, (int, float) if expected is float else expected)
    if not right or (isinstance(value, bool) and expected is not bool):
        kinds = {
            dict: "an object",
            list: "a list",
            int: "a whole number",
            float: "a number",
            str: "a string",
            bool: "true or false",
        }
        raise ModelError(f"{what} is {value!r}; expected {kinds[expected]}")
    return value


def number_of(value: object, what: str) -> float:
    """A number, whole or not."""
    try:
        return float(of_type(value, float, what))
    except OverflowError as error:
        raise ModelError(f"{what}: {error}") from error


def field_of(fields: Mapping[str, Any], name: str, expected: type) -> Any:
    """The value of a field that must be there."""
    if name not in fields:
        raise ModelError(f"not a model ArborLink saved: {name} is missing")
    return of_type(fields[name], expected, name)


def only(fields: Mapping[str, Any], known: tuple[str, ...], what: str) -> None:
    """Refuse an object with other fields than these."""
    if set(fields) != set(known):
        raise ModelError(
            f"{what} has the fields {', '.join(fields) or '(none)'}; expected {', '.join(known)}"
        )


def folder_name(value: object, what: str) -> str:
    """The name of a folder beside the file, and no path."""
    folder: str = of_type(value, str, what)
    if folder in ("", ".", "..") or set(folder) & set("/\\:\0"):
        raise ModelError(f"{what} is {folder!r}; expected the name of a folder beside the file")
    return folder


def temperature_of(fields: Mapping[str, Any]) -> float:
    """Models from before it was kept were trained with the default."""
    temperature = number_of(fields.get("temperature", 0.05), "temperature")
    if not 0 < temperature < math.inf:
        raise ModelError(f"temperature is {temperature}; expected a number above 0")
    return temperature


def share_of(fields: Mapping[str, Any], name: str) -> float:
    """Models from before it was kept have none."""
    share = number_of(fields.get(name, 0.0), name)
    if not 0 <= share < 1:
        raise ModelError(f"{name} is {share}; expected a number from 0 to less than 1")
    return share
