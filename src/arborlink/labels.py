"""Who may meet whom: queries and targets that share a label, found without a mask over all pairs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
