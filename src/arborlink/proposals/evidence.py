"""The tree of a discovered cluster: what holds it together, and its most central mentions in their surroundings."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum

from arborlink.document import Document, Mention
from arborlink.proposals.proposal import Coherence, Evidence
from arborlink.result import Link

Member = tuple[Link, Document, Mention]


def coherence_of(links: Sequence[Link]) -> Coherence | None:
    """Mean and least affinity of the tree's edges, the mean in six digits; ``None`` where there is no edge."""
    affinities = [link.affinity for link in links if link.affinity is not None]
    return Coherence(_mean(affinities), min(affinities)) if affinities else None


def evidence_of(members: Sequence[Member], top: int, context: int) -> tuple[Evidence, ...]:
    """The most central mentions, at most ``top``, each with up to ``context`` characters on each side.

    Central is who has the most edges in the tree, parent and children alike, because the root of a discovered
    cluster is a mention like others; of equals who has the highest mean affinity over its edges, then the earlier.
    """
    affinities = _affinities_at([link for link, _, _ in members])
    shown = [
        _in_context(document, mention, affinities[link.mention], context)
        for link, document, mention in members
    ]
    return tuple(sorted(shown, key=lambda each: (-each.n_edges, -(each.affinity or 0.0)))[:top])


def _affinities_at(links: Sequence[Link]) -> dict[str, list[float]]:
    """The affinities of the tree's edges at each mention."""
    at: dict[str, list[float]] = {link.mention: [] for link in links}
    for link in links:
        if link.affinity is not None and link.parent is not None:
            at[link.mention].append(link.affinity)
            at[link.parent].append(link.affinity)
    return at


def _in_context(document: Document, mention: Mention, affinities: list[float], context: int) -> Evidence:
    text, start, end = document.text, mention.start, mention.end
    return Evidence(
        document=document.id,
        mention=mention.id,
        start=start,
        end=end,
        before=text[_word_start(text, max(0, start - context), start) : start],
        text=document.text_of(mention),
        after=text[end : _word_end(text, min(len(text), end + context), end)],
        n_edges=len(affinities),
        affinity=_mean(affinities) if affinities else None,
    )


def _word_start(text: str, cut: int, start: int) -> int:
    """The first place from ``cut`` on that does not stand inside a word; ``cut`` itself if one word fills it all."""
    places = (at for at in range(cut, start) if at == 0 or text[at - 1].isspace())
    return next(places, cut)


def _word_end(text: str, cut: int, end: int) -> int:
    places = (at for at in range(cut, end, -1) if at == len(text) or text[at].isspace())
    return next(places, cut)


def _mean(values: Sequence[float]) -> float:
    return round(fsum(values) / len(values), 6)
