"""``train.toml``: a training's settings read, changed one by one, and written with their descriptions."""

from __future__ import annotations

import re
import textwrap
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

from pydantic import BaseModel, ValidationError

from arborlink.errors import InputError
from arborlink.files import read_lines
from arborlink.training.config import TrainingConfig
from arborlink.training.sections import Sections

Config = TypeVar("Config", bound=Sections)
_WIDTH = 100
_LONGEST_SHOWN = 60
# Below it, a name that is "near" has little in common with what was written.
_LEAST_LIKENESS = 0.6
_KINDS = {"integer": "a whole number", "number": "a number", "boolean": "true or false", "string": "a string"}


@dataclass(frozen=True)
class Setting:
    """One setting of the file.

    Args:
        key: section and name, as in ``trainer.epochs``.
        default: its value where the file does not name it; ``None`` is "not set".
        expected: the values it takes, in words.
        description: what it does.
        example: a value to show where the default is ``None``.
    """

    key: str
    default: Any
    expected: str
    description: str
    example: Any = None


@cache
def settings(kind: type[Sections] = TrainingConfig) -> dict[str, Setting]:
    """Every setting by its key, in the order of the file."""
    found: dict[str, Setting] = {}
    for section, section_field in kind.model_fields.items():
        model = cast(type[BaseModel], section_field.annotation)
        schemas = model.model_json_schema()["properties"]
        for name, field in model.model_fields.items():
            key, default = f"{section}.{name}", field.get_default(call_default_factory=True)
            example = field.examples[0] if field.examples else None
            found[key] = Setting(key, default, _expected(schemas[name]), field.description or "", example)
    return found


def read_config(path: str | Path) -> TrainingConfig:
    """Read a file of settings of a training; see :func:`read_sections`."""
    return read_sections(TrainingConfig, path)


def read_sections(kind: type[Config], path: str | Path) -> Config:
    """Read a file of settings; those it leaves out have their defaults.

    Raises:
        InputError: the file cannot be read, is not TOML, or names a setting or a value that there is not.
    """
    path = Path(path)
    text = "\n".join(line for _, line in read_lines(path))
    try:
        values = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        what, where, line = _toml_problem(error, text)
        raise InputError(f"broken TOML: {what}{where}", path, line) from error
    return make_sections(kind, values, path)


def make_config(values: Mapping[str, Any], path: str | Path | None = None) -> TrainingConfig:
    """The configuration of ``{section: {name: value}}``; ``path`` names the file in errors.

    Raises:
        InputError: a setting that there is not, or a value it does not take.

    Example:
        >>> make_config({"trainer": {"epochs": 5}}).trainer.epochs
        5
    """
    return make_sections(TrainingConfig, values, path)


def make_sections(kind: type[Config], values: Mapping[str, Any], path: str | Path | None = None) -> Config:
    """The same for settings of another kind.

    Raises:
        InputError: a setting that there is not, or a value it does not take.
    """
    try:
        return kind.model_validate(values)
    except ValidationError as error:
        found = error.errors(include_url=False)
        # A misspelt name is the likelier cause of other complaints than the other way round.
        first = next((problem for problem in found if problem["type"] == "extra_forbidden"), found[0])
        raise InputError(_problem(kind, dict(first), values), path) from error


def with_settings(config: Config, assignments: Iterable[str]) -> Config:
    """The same configuration with ``section.name=value`` in place of what it says; the last of two counts.

    Values are TOML; a bare word is a string, and ``none`` unsets a setting that need not be set.

    Raises:
        InputError: not an assignment, no such setting, or a value it does not take.

    Example:
        >>> changed = with_settings(TrainingConfig(), ["trainer.epochs=5", "encoder.pooling=span"])
        >>> changed.trainer.epochs, changed.encoder.pooling
        (5, 'span')
    """
    values = config.model_dump()
    for assignment in assignments:
        key, equals, text = (part.strip() for part in assignment.partition("="))
        if not equals:
            raise InputError(f"{assignment!r} is no assignment; expected key=value, such as trainer.epochs=3")
        if key not in settings(type(config)):
            raise InputError(_unknown(type(config), key))
        section, name = key.split(".")
        values[section][name] = _parsed(settings(type(config))[key], text)
    return make_sections(type(config), values)


def write_config(config: Sections) -> str:
    """The file that says the same, every setting below its description; one that is not set is commented out."""
    lines = [f"# Settings of `arborlink {config.command} --config FILE`; each may be left out."]
    values = config.model_dump()
    opened = ""
    for setting in settings(type(config)).values():
        section, name = setting.key.split(".")
        if section != opened:
            lines += ["", f"[{section}]"]
            opened = section
        for told in (setting.description, f"Expected: {setting.expected}."):
            lines += textwrap.wrap(told, _WIDTH, initial_indent="# ", subsequent_indent="# ")
        value = values[section][name]
        lines.append(
            f"# {name} = {toml_value(setting.example)}" if value is None else f"{name} = {toml_value(value)}"
        )
    return "\n".join(lines) + "\n"


def toml_value(value: Any) -> str:
    """A string, a truth value, a number or a list of these, as TOML writes it."""
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace('"', '\\"')
        return '"' + re.sub(r"[\x00-\x1f\x7f]", lambda sign: f"\\u{ord(sign[0]):04x}", escaped) + '"'
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml_value, value)) + "]"
    return repr(value) if isinstance(value, int | float) else str(value)


def _parsed(setting: Setting, text: str) -> Any:
    if text == "none" and setting.default is None:
        return None
    try:
        parsed = tomllib.loads(f"value = {text}")
    except (ValueError, RecursionError) as error:
        if text.startswith(('"', "'", "[", "{")):
            what, _, _ = _toml_problem(error, text)
            raise InputError(f"{setting.key} is {_cut(text)}, which is broken TOML: {what}") from error
        return text
    # A folder may be called 2024 or true; a line break would begin another assignment.
    is_text = isinstance(setting.default, str) and not isinstance(parsed["value"], str)
    return text if is_text or len(parsed) > 1 else parsed["value"]


def _toml_problem(error: Exception, text: str) -> tuple[str, str, int | None]:
    """What is wrong, where on the line, and on which line; Python's parser tells these in its message only."""
    if isinstance(error, RecursionError):
        return "it is nested too deeply", "", None
    if placed := re.fullmatch(r"(.*) \(at line (\d+), column (\d+)\)", str(error), re.DOTALL):
        return placed[1], f" at column {placed[3]}", int(placed[2])
    what, at_end, _ = str(error).partition(" (at end of document)")
    return what, " at the end" if at_end else "", text.count("\n") + 1 if at_end else None


def _problem(kind: type[Sections], error: dict[str, Any], values: Mapping[str, Any]) -> str:
    section, *names = map(str, error["loc"])
    if error["type"] == "extra_forbidden":
        return _unknown(kind, ".".join([section, *names]), is_section=isinstance(error["input"], Mapping))
    if not names:
        if error["type"] == "value_error":  # a check of several settings, which names them itself
            return str(error["ctx"]["error"])
        return (
            f"{section} is {_shown(values[section])}; expected a section [{section}] with settings below it"
        )
    key = f"{section}.{names[0]}"
    of_validator = error["type"] == "value_error"
    expected = str(error["ctx"]["error"]) if of_validator else settings(kind)[key].expected
    return f"{key} is {_shown(values[section][names[0]])}; expected {expected}"


def _unknown(kind: type[Sections], key: str, is_section: bool = False) -> str:
    sections, all_of_them = (
        list(kind.model_fields),
        f"`arborlink {kind.command} --init-config` prints them all",
    )
    if key in sections:
        return f"{key} is a section, not a setting; {all_of_them}"
    if is_section and "." not in key:
        near = max(sections, key=lambda section: _likeness(key, section))
        hint = f"did you mean [{near}]?" if _likeness(key, near) >= _LEAST_LIKENESS else None
        return (
            f"[{key}] is not a section; {hint or 'there are ' + ', '.join(f'[{name}]' for name in sections)}"
        )
    near = max(settings(kind), key=lambda known: _likeness_of_keys(key, known))
    is_near = _likeness_of_keys(key, near) >= _LEAST_LIKENESS
    return f"{key} is not a setting; " + (f"did you mean {near}?" if is_near else all_of_them)


def _likeness(written: str, known: str) -> float:
    return SequenceMatcher(None, written, known).ratio()


def _likeness_of_keys(written: str, known: str) -> float:
    """Likeness of the names; among equals the section decides, so that a setting in a wrong section is found."""
    section, _, name = written.rpartition(".")
    known_section, _, known_name = known.partition(".")
    return _likeness(name, known_name) + 0.1 * _likeness(section, known_section)


def _expected(schema: dict[str, Any]) -> str:
    schema = schema["anyOf"][0] if "anyOf" in schema else schema
    if "enum" in schema:
        return "one of " + ", ".join(map(toml_value, schema["enum"]))
    if schema["type"] == "array":
        size = "a list of one or more" if schema.get("minItems") else "a list"
        return f"{size}, each item {_expected(schema['items'])}"
    return _KINDS[schema["type"]] + _range(schema)


def _range(schema: dict[str, Any]) -> str:
    if "exclusiveMinimum" in schema:
        return f" above {schema['exclusiveMinimum']:,}, at most {schema['maximum']:,}"
    if "exclusiveMaximum" in schema:
        return f" from {schema['minimum']:,} to below {schema['exclusiveMaximum']:,}"
    return f" from {schema['minimum']:,} to {schema['maximum']:,}" if "minimum" in schema else ""


def _shown(value: Any) -> str:
    if isinstance(value, Mapping):
        return "a section"
    try:
        return _cut(toml_value(value))
    except ValueError:  # Python writes out no number of thousands of digits, though TOML may hold one
        return "a number too long to show"


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_SHOWN else text[: _LONGEST_SHOWN - 1] + "…"
