"""From labelled documents to a way of linking them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from arborlink.corpus import Corpus
from arborlink.discovery.aim import Aim
from arborlink.discovery.choice import Choice, best_point, choose
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
        name_share: the share of names that the curves are of; ``None`` of a model without names beside towers.
        name_shares: the best point of each share that was tried; empty where there was none to choose.
    """

    aim: Aim
    curves: tuple[ThresholdCurve, ...]
    choice: Choice
    by_type: bool
    name_share: float | None = None
    name_shares: Mapping[float, Choice] = field(default_factory=dict)

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
                "name_share": self.name_share,
                **chosen.figures,
            },
            "name_shares": [
                {
                    "name_share": share,
                    "mode": best.curve.mode,
                    "neighbours": best.curve.neighbours,
                    "threshold": best.threshold,
                    **best.figures,
                }
                for share, best in self.name_shares.items()
            ],
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
    name_shares: Sequence[float] = (),
) -> Tuning:
    """Choose mode, neighbours and threshold on labelled documents, and the share of names if there are some to try.

    Mentions and entities are encoded and searched once for each share, for the largest number of neighbours.

    Args:
        linker: the model.
        corpus: documents with gold labels; the model must not have been trained on them.
        kb: the knowledge base. Mentions of entities that it lacks are what discovery is measured by.
        aim: what for.
        modes: what may be chosen.
        neighbours: numbers of neighbours that may be chosen; ``independent`` has none.
        by_type: mentions only meet what their types allow; ``None`` is as the model says.
        name_shares: shares of the comparison of names beside towers that may be chosen; none leaves the linker's own.

    Raises:
        InputError: nothing to choose from, labels that cannot tell, an aim that nothing meets, or shares for a model
            that has no names beside towers.
    """
    aim = Aim.parse(aim) if isinstance(aim, str) else aim
    ways = _ways(modes, neighbours)
    gold = Gold.of(corpus, kb)
    aim.check(gold)
    typed = linker.defaults.by_type if by_type is None else by_type
    labels = labels_of(corpus, kb, is_asked=by_type is not None) if typed else None

    def curves_of(sharing: Linker) -> tuple[ThresholdCurve, ...]:
        hood = sharing.neighbourhood(corpus, kb, 1, max(k for _, k in ways), labels=labels)
        return tuple(threshold_curve(hood.graph(k), mode, gold, neighbours=k, aim=aim) for mode, k in ways)

    if not name_shares:
        curves = curves_of(linker)
        return Tuning(aim, curves, choose(curves, aim), typed, linker.name_share)
    sharing = [linker.with_name_share(share) for share in dict.fromkeys(name_shares)]
    tried = {each.name_share: curves_of(each) for each in sharing if each.name_share is not None}
    choice = choose([curve for curves in tried.values() for curve in curves], aim)
    share = next(share for share, curves in tried.items() if any(choice.curve is each for each in curves))
    bests = {
        share: max(found, key=lambda best: tuple(aim.ranks(best.curve)[best.point].tolist()))
        for share, curves in tried.items()
        if (found := [best for curve in curves if (best := best_point(curve, aim)) is not None])
    }
    return Tuning(aim, tried[share], choice, typed, share, bests | {share: choice})


def _ways(modes: Sequence[Mode], neighbours: Sequence[int]) -> list[tuple[Mode, int]]:
    unknown = [mode for mode in modes if mode not in MODES]
    if unknown or not modes:
        named = ", ".join(map(repr, unknown)) or "none"
        raise InputError(f"the modes to try are {named}; expected some of {', '.join(MODES)}")
    if not neighbours or min(neighbours) < 0:
        raise InputError(f"the neighbours to try are {list(neighbours)}; expected numbers from 0 on")
    counts = sorted(set(neighbours))
    return [(mode, k) for mode in dict.fromkeys(modes) for k in ((0,) if mode == "independent" else counts)]
