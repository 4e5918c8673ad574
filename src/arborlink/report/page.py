"""The page: styles, one script and the packed data put into ``assets/page.html``.

The data are JSON, packed by gzip and written in base64: nothing in them can end the element they stand in, whatever
texts and names hold, and a browser reads them no slower than plain JSON of more than twice the size
(``docs/report.md``). The script makes text nodes of all of it. A Content-Security-Policy allows this one script and
this one style sheet, by their hashes, and nothing from anywhere else.
"""

from __future__ import annotations

import gzip
import json
from base64 import b64encode
from collections.abc import Mapping
from hashlib import sha256
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arborlink.corpus import Corpus
from arborlink.files import write_text
from arborlink.knowledge_base import KnowledgeBase
from arborlink.report.assets import asset, joined_modules, joined_styles
from arborlink.report.columns import columns_of
from arborlink.report.curves import curves_for_page
from arborlink.result import Result

if TYPE_CHECKING:
    from arborlink.discovery import Tuning

STYLES = ("style.css", "controls.css", "mentions.css", "arborescence.css", "charts.css", "report.css")
SCRIPT = "report.js"
_VERSION = 1
_SETTINGS = (
    "arborlink",
    "model",
    "inference",
    "neighbours",
    "threshold",
    "detour",
    "name_share",
    "shared_words",
    "by_type",
    "n_documents",
    "n_mentions",
    "n_entities",
    "n_linked",
    "n_discovered",
    "n_skipped",
)


def write_report(
    path: str | Path,
    result: Result,
    corpus: Corpus | None = None,
    kb: KnowledgeBase | None = None,
    *,
    tuning: Tuning | Mapping[str, Any] | None = None,
    title: str = "ArborLink report",
) -> None:
    """Write the report of a result; see :func:`report_page`. The file appears when all of it is written.

    Example::

        result = Linker.load().link(corpus, kb, threshold=0.5)
        write_report("report.html", result, corpus, kb)
    """
    page = report_page(result, corpus, kb, tuning=tuning, title=title)
    with write_text(Path(path)) as stream:
        stream.write(page)


def report_page(
    result: Result,
    corpus: Corpus | None = None,
    kb: KnowledgeBase | None = None,
    *,
    tuning: Tuning | Mapping[str, Any] | None = None,
    title: str = "ArborLink report",
) -> str:
    """The report of a result as one HTML text. The same input gives the same text.

    Args:
        result: what ``Linker.link`` returned, or a result that was read.
        corpus: the documents that were linked. Without them the report has mentions, but not the text around them.
        kb: the knowledge base. Without it there are no descriptions of entities, and nothing is measured.
        tuning: threshold curves to draw: a tuning, or what :func:`arborlink.report.read_curves` read.
        title: what stands at the top.

    Raises:
        InputError: documents, knowledge base or curves do not fit the result.
    """
    data = columns_of(result, corpus, kb) | {
        "version": _VERSION,
        "title": title,
        "settings": {name: result.settings[name] for name in _SETTINGS if name in result.settings},
        "evaluation": None,
        "labels_unused": False,
        "curves": _curves(tuning),
    }
    if corpus is not None:
        _add_gold(data, result, corpus, kb)
    style, script = joined_styles(STYLES), joined_modules(SCRIPT)
    parts = {
        "title": escape(title),
        "policy": escape(content_security_policy(style, script)),
        "style": style,
        "script": script,
        "data": packed(data),
    }
    return fill(asset("page.html"), parts)


def content_security_policy(style: str, script: str) -> str:
    """A policy that allows one inline style sheet and one inline script, and nothing else at all."""
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src '{_hash(script)}'",
            f"style-src '{_hash(style)}'",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )


def packed(data: Mapping[str, Any]) -> str:
    """JSON, packed by gzip, in base64."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    # a lone surrogate has no UTF-8 form; the question mark in its place is as long, so offsets stay right
    return b64encode(gzip.compress(text.encode("utf-8", "replace"), mtime=0)).decode("ascii")


def fill(template: str, parts: Mapping[str, str]) -> str:
    """The template with each ``{{name}}`` replaced; what is put in is not looked at again."""
    first, *rest = template.split("{{")
    filled = [first]
    for piece in rest:
        name, after = piece.split("}}", maxsplit=1)
        filled += (parts[name.strip()], after)
    return "".join(filled)


def _curves(tuning: Tuning | Mapping[str, Any] | None) -> dict[str, Any] | None:
    if tuning is None:
        return None
    return curves_for_page(tuning if isinstance(tuning, Mapping) else tuning.to_json())


def _add_gold(data: dict[str, Any], result: Result, corpus: Corpus, kb: KnowledgeBase | None) -> None:
    from arborlink.report.verdicts import figures, is_labelled, verdicts

    if not is_labelled(corpus):
        return
    if kb is None:
        data["labels_unused"] = True
        return
    data["evaluation"] = figures(result, corpus, kb)
    data["mentions"] |= verdicts(result, corpus, kb)


def _hash(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode('utf-8')).digest()).decode('ascii')}"
