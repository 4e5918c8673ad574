"""JSON lines as dictionaries, and their fields with messages a person can act on."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from arborlink.errors import InputError
from arborlink.files import read_lines
from arborlink.formats.problems import Problems

_SURROGATE_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")
_decode = json.JSONDecoder().decode
_encode = json.JSONEncoder(ensure_ascii=False).encode


def read_json_lines(path: Path, problems: Problems) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield (line number, object) for every line that is not blank."""
    for number, line in read_lines(path):
        if not line or line.isspace():
            continue
        try:
            record = parse_object(line)
        except InputError as error:
            problems.found(error.at(path, number))
        else:
            yield number, record


def parse_object(line: str) -> dict[str, Any]:
    """One JSON object from one line of text."""
    try:
        record = _decode(line)
    except json.JSONDecodeError as error:
        raise InputError(
            f"broken JSON at column {error.colno}: {error.msg}; each line must hold one whole object"
        ) from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"JSON that cannot be read: {error}") from error
    if type(record) is not dict:
        raise InputError(f"the line holds {kind_of(record)}; expected one JSON object per line")
    if _SURROGATE_ESCAPE.search(line):
        _refuse_lone_surrogates(record)
    return record


def _refuse_lone_surrogates(record: dict[str, Any]) -> None:
    try:
        encode_json(record).encode("utf-8")
    except UnicodeEncodeError as error:
        code = ord(error.object[error.start])
        raise InputError(
            f"the escape \\u{code:04x} is half a character (a lone surrogate); "
            "write the character whole or remove it"
        ) from error


def encode_json(record: dict[str, object]) -> str:
    """One line for one object."""
    try:
        return _encode(record)
    except (TypeError, ValueError) as error:
        raise InputError(f"a field of {next(iter(record.values()))!r} cannot be written: {error}") from error


def kind_of(value: object) -> str:
    """What a JSON value is, in words, with the value where it is short."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return f"the number {value!r}"
    if isinstance(value, str):
        return f"the string {value!r}" if len(value) <= 40 else "a string"
    return "a list" if isinstance(value, list) else "an object"


def string(value: object, name: str) -> str:
    """A field that must be a string."""
    if isinstance(value, str):
        return value
    raise InputError(f'"{name}" is {kind_of(value)}; expected a string')


def identifier(value: object, name: str) -> str:
    """A field that holds an id: a string, or a whole number, which is taken as its digits."""
    if type(value) is str:
        return value
    if type(value) is int:
        return str(value)
    raise InputError(f'"{name}" is {kind_of(value)}; expected a string or a whole number')


def whole_number(value: object, name: str) -> int:
    """A field that must be a whole number, written as one."""
    if type(value) is int:
        return value
    raise InputError(f'"{name}" is {kind_of(value)}; expected a whole number')


def strings(value: object, name: str) -> tuple[str, ...]:
    """A field that must be a list of strings; null is the empty list."""
    if value is None:
        return ()
    if not isinstance(value, list):
        raise InputError(f'"{name}" is {kind_of(value)}; expected a list of strings')
    for item in value:
        if type(item) is not str:
            raise InputError(f'"{name}" holds {kind_of(item)}; expected a list of strings')
    return tuple(value)


def string_or_strings(value: object, name: str) -> tuple[str, ...]:
    """A field that may be one string or a list of them; empty strings say nothing and are left out."""
    if type(value) is str:
        return (value,) if value else ()
    if value is not None and not isinstance(value, list):
        raise InputError(f'"{name}" is {kind_of(value)}; expected a string or a list of strings')
    return tuple(filter(None, strings(value, name)))


def required(record: dict[str, Any], name: str, what: str) -> Any:
    """Take a field out of the record; a record without it is refused, with its other fields named."""
    try:
        return record.pop(name)
    except KeyError:
        found = ", ".join(f'"{field}"' for field in list(record)[:8]) or "no field at all"
        raise InputError(f'{what} needs the field "{name}"; found {found}') from None
