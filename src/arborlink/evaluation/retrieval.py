"""Figures of the candidates: is the right entity among the first k?"""

from __future__ import annotations

from arborlink.evaluation.candidates import Candidates
from arborlink.evaluation.figures import Figure
from arborlink.evaluation.gold import Gold
from arborlink.evaluation.linking import NOTHING_LINKABLE
from arborlink.evaluation.metrics import recall_at

CUT_OFFS = (1, 2, 4, 8, 16, 32, 64)
"""The cut-offs of the figures; the depth of the lists is one more where it is none of these."""


def retrieval_figures(gold: Gold, candidates: Candidates | None) -> list[Figure]:
    """Recall over the linkable mentions at every cut-off that was asked for or all lists are long enough for.

    Recall at 64 of lists of 10 would be recall at 10 under another name: a longer cut-off has no value.
    """
    if candidates is None:
        keys = [*(f"recall_at_{k}" for k in CUT_OFFS), "n_without_candidates"]
        return [Figure(key, None, "candidates", "no candidates were given") for key in keys]
    n_without = int((gold.linkable & (candidates.n_each == 0)).sum())
    return [
        *_recall(gold, candidates),
        Figure("n_without_candidates", n_without, "candidates", "linkable mentions, missed at every k"),
    ]


def _recall(gold: Gold, candidates: Candidates) -> list[Figure]:
    depth = candidates.depth(gold.linkable)
    if not depth:
        reason = "no linkable mention has candidates" if gold.linkable.any() else NOTHING_LINKABLE
        return [Figure(f"recall_at_{k}", None, "candidates", reason) for k in CUT_OFFS]
    ranks = candidates.ranks(gold)[gold.linkable]
    if candidates.asked is not None:
        too_short = f"candidates asked for: {depth}"
    else:
        too_short = f"the shortest candidate list has {depth} {'entity' if depth == 1 else 'entities'}"
    return [
        Figure(f"recall_at_{k}", recall_at(ranks, k), "candidates", f"of {len(ranks):,} linkable mentions")
        if k <= depth
        else Figure(f"recall_at_{k}", None, "candidates", too_short)
        for k in sorted({*CUT_OFFS, depth})
    ]
