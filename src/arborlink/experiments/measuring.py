"""All that is measured of a model on a data set; every split is encoded and searched once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property, partial
from typing import Any

from arborlink.corpus import Corpus
from arborlink.evaluation.gold import Gold
from arborlink.experiments.data_sets import DataSet
from arborlink.experiments.discovery import hidden_figures, missing_figures
from arborlink.experiments.linking import Linked, linking_figures
from arborlink.experiments.models import Finder, Found, Voters, looked_at, n_searched, voted
from arborlink.experiments.reordering import Find, Reordering, Way
from arborlink.experiments.results import AFTER_RERANKING, EXAMPLES, RECALL_AT, VARIANTS
from arborlink.experiments.run_file import Experiment
from arborlink.experiments.second_look import SecondLook
from arborlink.shared_words import SharedWords
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
        words: have their say before it, if the run wants them to.
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
        words: SharedWords | None = None,
    ) -> None:
        self.finder = finder
        self.data_set = data_set
        self.experiment = experiment
        self.ways = ways
        self.seed = seed
        self.device = device
        self.look = look
        self.words = words
        self._searched: dict[str, Found] = {}
        self._found: dict[tuple[str, str], Found] = {}

    def everything(self) -> dict[str, Any]:
        """Figures of every protocol; those of each other variant that the run asks for under its name."""
        figures: dict[str, Any] = {"by_type": self.data_set.by_type}
        for variant in self.variants:
            figures |= under(variant, self.figures(variant))
        if self.look is not None:
            order = Reordering(self.look, self._ways)
            for variant in self.variants:
                if self.look.reads_examples and EXAMPLES in self.variants and variant != EXAMPLES:
                    continue
                again = self._figures(partial(order.find, variant), self._seen(variant))
                own = {"reranker": order.judged(variant), **again}
                figures |= under(AFTER_RERANKING[variant], own)
        return figures

    @property
    def variants(self) -> tuple[str, ...]:
        """Ways to find entities: by their own texts, and with examples where the run asks for them."""
        return tuple(self._ways)

    def figures(self, variant: str) -> dict[str, Any]:
        """Figures of every protocol for one variant."""
        return self._figures(self._ways[variant].find, self._seen(variant))

    def accuracy_on_dev(self, variant: str) -> float:
        """That of the best mode and number of neighbours; 0 where dev has no mention that can be linked."""
        dev = self._ways[variant].find("dev")
        gold = Gold.of(dev.split.corpus, dev.split.kb)
        if not gold.linkable.any():
            return 0.0
        rights = Linked.of(dev, self.ways.neighbours).right(gold).values()
        return max(float(right[gold.linkable].mean()) for right in rights)

    @cached_property
    def _ways(self) -> dict[str, Way]:
        ways = {"": Way(partial(self._look, "", self._search))}
        if self.experiment.examples and (way := self._with_examples()) is not None:
            ways[EXAMPLES] = way
        return ways

    def _search(self, split: str) -> Found:
        if split not in self._searched:
            own, n_near = self.data_set.split(split), n_searched(self.words, RECALL_AT)
            found = self.finder.find(own, n_near, max(self.ways.neighbours))
            # the vectors of all entities are only kept for words to level their names
            self._searched[split] = found if self.words is not None else replace(found, named=None)
        return self._searched[split]

    def _look(self, variant: str, find: Find, split: str) -> Found:
        """What was found after shared words have had their say, where the run wants them to."""
        if (variant, split) not in self._found:
            self._found[variant, split] = looked_at(find(split), self.words, RECALL_AT)
        return self._found[variant, split]

    def _with_examples(self) -> Way | None:
        """With labelled mentions as voters; ``None`` where no entity of test has any."""
        kb = self.data_set.split("test").kb
        on_dev = Voters.of(self.finder, self._examples("dev"), kb)
        if on_dev is None or self.data_set.split("dev").kb is not kb:
            return None
        same = self._examples("test") is on_dev.corpus
        on_test = on_dev if same else Voters.of(self.finder, self._examples("test"), kb)

        def find(split: str) -> Found:
            voters = on_dev if on_test is None or split.startswith("dev") else on_test
            return voted(self._search(split), voters, self.device)

        return Way(partial(self._look, EXAMPLES, find), self._examples)

    def _examples(self, split: str) -> Corpus:
        """The documents whose labels vote on a split: those trained on, and on test those of dev where asked for."""
        splits = self.experiment.train_splits(self.data_set.name)
        if self.experiment.dev_examples and not split.startswith("dev"):
            splits = (*splits, "dev")
        return self.data_set.corpus(*splits)

    def _seen(self, variant: str) -> set[str]:
        """The gold entities that a variant has seen labels of by the time it is tested."""
        if variant != EXAMPLES or not self.experiment.dev_examples:
            return self.data_set.train_ids
        return self.data_set.train_ids | self.data_set.dev_ids

    def _figures(self, find: Find, seen: set[str]) -> dict[str, Any]:
        protocols, data_set = self.experiment.protocols, self.data_set
        dev, test = find("dev"), find("test")
        most = min(each.hood.others.items.shape[1] for each in (dev, test))
        tried = [k for k in self.ways.neighbours if k <= most]
        figures: dict[str, Any] = {"seconds": test.seconds}
        if "linking" in protocols:
            linked = Linked.of(dev, tried), Linked.of(test, tried)
            figures["linking"] = linking_figures(*linked, data_set, seen, self.ways.modes)
            if data_set.id_map is not None:
                mapped = linking_figures(*linked, data_set, seen, self.ways.modes, data_set.id_map)
                figures["linking_mapped"] = mapped
        if tried and "hidden" in protocols:
            figures["hidden"] = hidden_figures(dev, test, self.experiment.hide, self.seed, tried)
        if tried and "missing" in protocols:
            dev, test = (find(data_set.with_missing(split) or split) for split in ("dev", "test"))
            figures["missing"] = missing_figures(dev, test, tried, data_set.train_ids)
        return figures


def under(variant: str, figures: dict[str, Any]) -> dict[str, Any]:
    """The figures of a variant where a result has them."""
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
