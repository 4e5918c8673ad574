"""The id map: which ids a newer knowledge base has retired, and what it calls them now."""

from __future__ import annotations

import json
from pathlib import Path

from arborlink.errors import InputError
from arborlink.files import read_lines


def read_id_map(path: str | Path) -> dict[str, str]:
    """Read a JSON object ``{"retired id": "current id", ...}``, plain or gzip.

    Raises:
        InputError: it is not such an object, or a current id is itself retired by the map.
    """
    path = Path(path)
    try:
        content = json.loads("\n".join(text for _, text in read_lines(path)))
    except (ValueError, RecursionError) as error:
        raise InputError(f"not JSON: {error}; expected an object of retired and current ids", path) from error
    if not isinstance(content, dict):
        raise InputError(
            f"expected a JSON object of retired and current ids, found {type(content).__name__}", path
        )
    for retired, current in content.items():
        if not isinstance(current, str) or not current:
            raise InputError(f"id {retired!r} maps to {current!r}; expected the current id, a string", path)
        if content.get(current, current) != current:
            raise InputError(
                f"id {retired!r} maps to {current!r}, which the map retires too; {_advice(content, retired)}",
                path,
            )
    return content


def _advice(id_map: dict[str, str], retired: str) -> str:
    """What to map an id to that reaches a current one, if any, over others."""
    way = [retired]
    while id_map.get(way[-1], way[-1]) != way[-1]:
        following = id_map[way[-1]]
        if following in way:
            circle = " → ".join([*way[way.index(following) :], following])
            return f"the map goes in a circle ({circle}): take out the id that is current"
        way.append(following)
    return f"map it to {way[-1]!r}"
