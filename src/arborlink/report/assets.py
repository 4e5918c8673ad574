"""Styles and scripts of the pages, each in a file of its own under ``assets/``.

Scripts are ES modules: a server may hand them out as they are, and :func:`joined_modules` makes one script of several
for a page that is a single file. For that, imports stand on lines of their own and name what they import, exports
stand before what they export, and no two modules use one name at their top.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib.resources import files

_IMPORT = re.compile(r'^import \{[^}]*\} from "\./([\w-]+\.js)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|const|class)\b)", re.MULTILINE)


def asset(name: str) -> str:
    """The text of a file under ``assets/``."""
    return files("arborlink.report").joinpath("assets", name).read_text(encoding="utf-8")


def joined_modules(start: str) -> str:
    """One script of a module and all it imports, each once, what is imported before what imports it.

    Example:
        >>> "import " in joined_modules("report.js")
        False
    """
    ordered: list[str] = []
    _visit(start, ordered, ())
    return "\n".join(_EXPORT.sub("", _IMPORT.sub("", asset(name))) for name in ordered)


def joined_styles(names: Sequence[str]) -> str:
    """Several style sheets as one."""
    return "\n".join(asset(name) for name in names)


def _visit(name: str, ordered: list[str], above: tuple[str, ...]) -> None:
    assert name not in above, f"{name} imports itself through {' and '.join(above)}"
    for imported in _IMPORT.findall(asset(name)):
        if imported not in ordered:
            _visit(imported, ordered, (*above, name))
    if name not in ordered:
        ordered.append(name)
