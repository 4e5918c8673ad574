"""All that is measured of a model on a data set; every split is encoded and searched once."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from arborlink.experiments.data_sets import DataSet
from arborlink.experiments.discovery import hidden_figures, missing_figures
from arborlink.experiments.linking import Linked, linking_figures
from arborlink.experiments.models import Finder, Found, voted
from arborlink.experiments.reordering import Find, Reordering
from arborlink.experiments.results import AFTER_RERANKING, EXAMPLES, RECALL_AT, VARIANTS
from arborlink.experiments.run_file import Experiment
from arborlink.experiments.second_look import SecondLook
from arborlink.training.config import DevConfig


class Measuring:
    """A model on a data set.

    Args:
        finder: the model.
        data_set: the data set.
        experiment: which protocols.
        ways: modes and numbers of neighbours to try.
        seed: decides which entities are hidden.
        device: where voters are searched.
        look: a re-ranker, if the run has one.
    """

    def __init__(
        self,
        finder: Finder,
        data_set: DataSet,
        experiment: Experiment,
        ways: DevConfig,
        seed: int,
        device: str,
        look: SecondLook | None = None,
    ) -> None:
        self.finder = finder
        self.data_set = data_set
        self.experiment = experiment
        self.ways = ways
        self.seed = seed
        self.device = device
        self.look = look
        self._found: dict[str, Found] = {}

    def everything(self) -> dict[str, Any]:
        """Figures of every protocol; those of each other variant that the run asks for under its name."""
        ways: dict[str, Find] = {"": self._find}
        if self.experiment.examples and (find := self._find_with_examples()) is not None:
            ways[EXAMPLES] = find
        figures: dict[str, Any] = {"by_type": self.data_set.by_type}
        for variant, find in ways.items():
            figures |= _under(variant, self._figures(find))
        if self.look is not None:
            order = Reordering(self.look, ways)
            for variant in ways:
                own = {"reranker": order.judged(variant), **self._figures(partial(order.find, variant))}
                figures |= _under(AFTER_RERANKING[variant], own)
        return figures

    def _find(self, split: str) -> Found:
        if split not in self._found:
            own = self.data_set.split(split)
            self._found[split] = self.finder.find(own, RECALL_AT, max(self.ways.neighbours))
        return self._found[split]

    def _find_with_examples(self) -> Find | None:
        """With the mentions of the train splits as voters; ``None`` where no entity of test has any."""
        corpus = self.data_set.corpus(*self.experiment.train_splits(self.data_set.name))
        kb = self.data_set.split("test").kb
        examples = self.finder.examples(corpus, kb)
        if examples is None or self.data_set.split("dev").kb is not kb:
            return None
        voters = examples
        found: dict[str, Found] = {}

        def find(split: str) -> Found:
            if split not in found:
                found[split] = voted(self._find(split), voters, self.device)
            return found[split]

        return find

    def _figures(self, find: Find) -> dict[str, Any]:
        protocols, data_set = self.experiment.protocols, self.data_set
        dev, test = find("dev"), find("test")
        most = min(each.hood.others.items.shape[1] for each in (dev, test))
        tried = [k for k in self.ways.neighbours if k <= most]
        figures: dict[str, Any] = {"seconds": test.seconds}
        if "linking" in protocols:
            linked = Linked.of(dev, tried), Linked.of(test, tried)
            figures["linking"] = linking_figures(*linked, data_set, self.ways.modes)
            if data_set.id_map is not None:
                mapped = linking_figures(*linked, data_set, self.ways.modes, data_set.id_map)
                figures["linking_mapped"] = mapped
        if tried and "hidden" in protocols:
            figures["hidden"] = hidden_figures(dev, test, self.experiment.hide, self.seed, tried)
        if tried and "missing" in protocols:
            dev, test = (find(data_set.with_missing(split) or split) for split in ("dev", "test"))
            figures["missing"] = missing_figures(dev, test, tried, data_set.train_ids)
        return figures


def _under(variant: str, figures: dict[str, Any]) -> dict[str, Any]:
    return {variant: figures} if variant else figures


def summaries(name: str, figures: dict[str, Any]) -> Iterator[str]:
    """A line for each variant that was measured."""
    for variant, shown in VARIANTS.items():
        if own := figures.get(variant) if variant else figures:
            yield summary(f"{name}{shown}", own)


def summary(name: str, figures: dict[str, Any]) -> str:
    """The most important figures in one line."""
    parts = [name]
    if "linking" in figures:
        linking = figures["linking"]
        for mode, own in linking["modes"].items():
            mark = "*" if mode == linking["mode"] else ""
            parts.append(f"{mode}{mark} {100 * (own['accuracy']['all'] or 0):.1f} (k = {own['k']})")
        parts.append(f"recall@{linking['recall']['at']} {100 * (linking['recall']['share']['all'] or 0):.1f}")
    for protocol in ("hidden", "missing"):
        if figures.get(protocol):
            methods = figures[protocol]["methods"]
            best = max(methods, key=lambda method: methods[method]["dev_mean"])
            parts.append(f"{protocol} {methods[best]['mean']:.4f} ({best})")
    return ", ".join(parts)
