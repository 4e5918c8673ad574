"""Linking: accuracy of every mode, its k chosen on dev, for the whole and for parts; recall of the candidates."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arborlink.evaluation.gold import Gold
from arborlink.experiments.data_sets import DataSet
from arborlink.experiments.documents_bootstrap import document_draws, share_interval
from arborlink.experiments.models import Found
from arborlink.experiments.results import MODES, RECALL_AT
from arborlink.experiments.ties import tie_figures
from arborlink.partition import Mode, partition

Right = NDArray[np.bool_]
Parts = dict[str, NDArray[np.bool_]]


@dataclass(frozen=True)
class Linked:
    """The entity of each mention, for every mode and number of neighbours.

    Args:
        found: the neighbours it was inferred from.
        entity: int64, shape (n_mentions,), for each way.
        seconds: that the partition took, for each way.
    """

    found: Found
    entity: dict[tuple[Mode, int], NDArray[np.int64]]
    seconds: dict[tuple[Mode, int], float]

    @classmethod
    def of(cls, found: Found, neighbours: Sequence[int]) -> Linked:
        """Partition in every way; ``independent`` has k = 0, and without neighbours there is nothing else."""
        most = found.hood.others.items.shape[1]
        counts = sorted({min(k, most) for k in neighbours} - {0})
        ways: list[tuple[Mode, int]] = [
            (mode, k) for mode in MODES for k in ((0,) if mode == "independent" else counts)
        ]
        entity, seconds = {}, {}
        for mode, k in ways:
            start = time.perf_counter()
            entity[mode, k] = partition(found.hood.graph(k), mode).entity.astype(np.int64)
            seconds[mode, k] = time.perf_counter() - start
        return cls(found, entity, seconds)

    def right(self, gold: Gold) -> dict[tuple[Mode, int], Right]:
        """Whether each mention is linked rightly, for each way."""
        numbers = np.arange(len(gold.labels))
        return {way: gold.is_right(numbers, entity) for way, entity in self.entity.items()}


def linking_figures(
    dev: Linked,
    test: Linked,
    data_set: DataSet,
    seen: set[str],
    preferred: Sequence[str],
    id_map: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Everything about linking, ready for JSON.

    Args:
        dev: chooses k for each mode, and the mode.
        test: is reported.
        data_set: whose parts are reported.
        seen: gold entities that labels have been seen of.
        preferred: modes, the preferred first, for where dev cannot tell two apart.
        id_map: from retired to current gold ids.
    """
    gold_dev, gold = (Gold.of(each.found.split.corpus, each.found.split.kb, id_map) for each in (dev, test))
    parts = _parts(test, gold, data_set, seen)
    right_dev, right = dev.right(gold_dev), test.right(gold)
    draws = document_draws(len(test.found.split.corpus))
    modes = {}
    rights: dict[str, Right] = {}
    for mode in dict.fromkeys(mode for mode, _ in test.entity):
        ks = [k for own, k in right_dev if own == mode]
        on_dev = {k: _share(right_dev[mode, k], gold_dev.linkable) or 0.0 for k in ks}
        k = max(ks, key=lambda each: (on_dev[each], -each))
        rights[mode] = right[mode, k]
        modes[mode] = {
            "k": k,
            "dev_accuracy": on_dev[k],
            "accuracy": {part: _share(rights[mode], among) for part, among in parts.items()},
            "interval": {part: _interval(rights[mode], among, gold, draws) for part, among in parts.items()},
            "by_k": {
                str(each): {"dev": on_dev[each], "test": _share(right[mode, each], gold.linkable)}
                for each in on_dev
            },
            "partition_seconds": test.seconds[mode, k],
        }
    order = [mode for mode in preferred if mode in modes]
    return {
        "mode": max(order, key=lambda mode: (modes[mode]["dev_accuracy"], -order.index(mode))),
        "counts": _counts(gold),
        "modes": modes,
        "recall": _recall(test, gold, parts),
        # whatever gives another order than affinities do has its own opinion of equally near ones
        "ties": None if test.found.before is not None else tie_figures(test.found.hood.near, gold),
        "documents": _documents(test, gold, parts, rights),
    }


def _parts(test: Linked, gold: Gold, data_set: DataSet, seen_ids: set[str]) -> Parts:
    """The mentions of each part; all of them linkable."""
    seen = gold.any_id_in(seen_ids)
    parts: Parts = {"all": gold.linkable, "seen": gold.linkable & seen, "unseen": gold.linkable & ~seen}
    own = [data_set.part_of(mention) for _, mention in test.found.split.corpus.mentions]
    for name in sorted({name for names in own for name in names}):
        parts[name] = gold.linkable & np.array([name in names for names in own], bool)
    return parts


def _counts(gold: Gold) -> dict[str, int]:
    return {
        "mentions": len(gold.labels),
        "linkable": int(gold.linkable.sum()),
        "outside": int(gold.outside.sum()),
        "nil_unknown": int(gold.nil_unknown.sum()),
        "composite": int(gold.composite.sum()),
        "replaced": gold.n_replaced,
    }


def _recall(test: Linked, gold: Gold, parts: Parts) -> dict[str, Any]:
    items = test.found.hood.near.items[:, :RECALL_AT].astype(np.int64)
    n, k = items.shape
    hit: Right = np.asarray(
        gold.is_right(np.repeat(np.arange(n), k), items.ravel()).reshape(n, k).max(axis=1, initial=False)
    )
    draws = document_draws(len(test.found.split.corpus))
    return {
        "at": RECALL_AT,
        "share": {part: _share(hit, among) for part, among in parts.items()},
        "interval": _interval(hit, parts["all"], gold, draws),
    }


def _documents(test: Linked, gold: Gold, parts: Parts, rights: dict[str, Right]) -> dict[str, Any]:
    """Right and linkable mentions of each document: what two runs are compared by."""
    ids = [document.id for document in test.found.split.corpus]
    return {
        "fingerprint": sha256("\n".join(ids).encode()).hexdigest()[:16],
        "linkable": {part: _per_document(among, gold, len(ids)) for part, among in parts.items()},
        "right": {
            mode: {part: _per_document(right & among, gold, len(ids)) for part, among in parts.items()}
            for mode, right in rights.items()
        },
    }


def _per_document(mask: Right, gold: Gold, n_documents: int) -> list[int]:
    counted: list[int] = np.bincount(gold.document[mask], minlength=n_documents).tolist()
    return counted


def _interval(
    right: Right, among: Right, gold: Gold, draws: NDArray[np.float64]
) -> tuple[float, float] | None:
    n = draws.shape[1]
    return share_interval(_per_document(right & among, gold, n), _per_document(among, gold, n), draws)


def _share(right: Right, among: Right) -> float | None:
    return float(right[among].mean()) if among.any() else None
