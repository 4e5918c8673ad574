"""Who may meet whom: queries and targets that share a label, found without a mask over all pairs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Labels:
    """Labels (types, worlds) of the items on each side; an item without any meets everything."""

    of_queries: Sequence[frozenset[str]]
    of_targets: Sequence[frozenset[str]]

    def meetings(self) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64] | None]]:
        """For each distinct label set of the queries: the queries that have it, the targets they may meet.

        ``None`` stands for all targets.
        """
        members: dict[frozenset[str], list[int]] = {}
        for number, labels in enumerate(self.of_queries):
            members.setdefault(labels, []).append(number)
        bearers: dict[str, list[int]] = {}
        unlabelled = []
        for number, labels in enumerate(self.of_targets):
            if not labels:
                unlabelled.append(number)
            for label in labels:
                bearers.setdefault(label, []).append(number)
        for labels in sorted(members, key=sorted):
            allowed = None
            if labels:
                lists = [unlabelled, *(bearers.get(label, []) for label in labels)]
                allowed = np.unique(np.concatenate([np.array(each, dtype=np.int64) for each in lists]))
            yield np.array(members[labels], dtype=np.int64), allowed


def same_labels(labels: Iterable[frozenset[str]]) -> list[frozenset[str]]:
    """One label for each distinct set of labels, none at all being a set too: who may meet as mentions.

    Mentions that only share some types, or have none, would carry a link over to a type that is not theirs.
    """
    return [frozenset(["|".join(sorted(own))]) for own in labels]
