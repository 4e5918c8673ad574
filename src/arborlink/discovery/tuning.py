"""From labelled documents to a way of linking them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from arborlink.corpus import Corpus
from arborlink.discovery.aim import Aim
from arborlink.discovery.choice import Choice, choose
from arborlink.discovery.curve import ThresholdCurve
from arborlink.discovery.thresholds import threshold_curve
from arborlink.errors import InputError
from arborlink.evaluation.gold import Gold
from arborlink.knowledge_base import KnowledgeBase
from arborlink.linker import Linker
from arborlink.partition import MODES, Mode
from arborlink.type_labels import labels_of

DEFAULT_MODES: tuple[Mode, ...] = ("directed", "undirected", "minimax")
DEFAULT_NEIGHBOURS = (1, 2, 4, 8)


@dataclass(frozen=True, eq=False, slots=True)
class Tuning:
    """What was tried on labelled documents, and what was best.

    Args:
        aim: what for.
        curves: one for each mode and number of neighbours.
        choice: the best point of all.
        by_type: whether mentions only met what their types allow.
    """

    aim: Aim
    curves: tuple[ThresholdCurve, ...]
    choice: Choice
    by_type: bool

    def to_json(self) -> dict[str, Any]:
        """The choice, its figures and all curves as plain values; see ``docs/thresholds.md``."""
        chosen = self.choice
        return {
            "version": 1,
            "aim": str(self.aim),
            "chosen": {
                "mode": chosen.curve.mode,
                "neighbours": chosen.curve.neighbours,
                "threshold": chosen.threshold,
                "by_type": self.by_type,
                **chosen.figures,
            },
            "curves": [
                curve.to_json(keep=chosen.point if curve is chosen.curve else None) for curve in self.curves
            ],
        }


def tune(
    linker: Linker,
    corpus: Corpus,
    kb: KnowledgeBase,
    aim: Aim | str = "nmi-ari",
    *,
    modes: Sequence[Mode] = DEFAULT_MODES,
    neighbours: Sequence[int] = DEFAULT_NEIGHBOURS,
    by_type: bool | None = None,
) -> Tuning:
    """Choose mode, neighbours and threshold on labelled documents.

    Mentions and entities are encoded and searched once, for the largest number of neighbours.

    Args:
        linker: the model.
        corpus: documents with gold labels; the model must not have been trained on them.
        kb: the knowledge base. Mentions of entities that it lacks are what discovery is measured by.
        aim: what for.
        modes: what may be chosen.
        neighbours: numbers of neighbours that may be chosen; ``independent`` has none.
        by_type: mentions only meet what their types allow; ``None`` is as the model says.

    Raises:
        InputError: nothing to choose from, labels that cannot tell, or an aim that nothing meets.
    """
    aim = Aim.parse(aim) if isinstance(aim, str) else aim
    ways = _ways(modes, neighbours)
    gold = Gold.of(corpus, kb)
    aim.check(gold)
    typed = linker.defaults.by_type if by_type is None else by_type
    labels = labels_of(corpus, kb, is_asked=by_type is not None) if typed else None
    hood = linker.neighbourhood(corpus, kb, 1, max(k for _, k in ways), labels=labels)
    curves = tuple(threshold_curve(hood.graph(k), mode, gold, neighbours=k, aim=aim) for mode, k in ways)
    return Tuning(aim, curves, choose(curves, aim), typed)


def _ways(modes: Sequence[Mode], neighbours: Sequence[int]) -> list[tuple[Mode, int]]:
    unknown = [mode for mode in modes if mode not in MODES]
    if unknown or not modes:
        named = ", ".join(map(repr, unknown)) or "none"
        raise InputError(f"the modes to try are {named}; expected some of {', '.join(MODES)}")
    if not neighbours or min(neighbours) < 0:
        raise InputError(f"the neighbours to try are {list(neighbours)}; expected numbers from 0 on")
    counts = sorted(set(neighbours))
    return [(mode, k) for mode in dict.fromkeys(modes) for k in ((0,) if mode == "independent" else counts)]
