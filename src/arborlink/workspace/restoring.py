"""Ids that ended with a decision come back when it is undone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from arborlink.workspace.changes import HistoryEvent
from arborlink.workspace.stable_ids import Event, Reconciled


@dataclass(frozen=True, slots=True)
class Restoration:
    """Live discoveries as the reconciliation is to see them, with some that had ended.

    Args:
        old: the mentions of each id.
        ids: those that had ended.
        taken: what was taken for them from discoveries that are alive.
    """

    old: dict[str, set[str]]
    ids: tuple[str, ...]
    taken: dict[str, set[str]]

    def told(
        self, found: Reconciled, new: Mapping[str, set[str]], version: int, time: str
    ) -> Iterator[HistoryEvent]:
        """What really happened, from what the reconciliation saw.

        Args:
            found: ids for the new partition.
            new: its clusters, by those ids.
            version: of the workspace, that is to be.
            time: when, in UTC.
        """
        for id_ in self.ids:
            if id_ in new:
                yield HistoryEvent(id_, version, time, "restored", (), tuple(sorted(new[id_])))
        for event in found.events:
            if event.id in self.ids and event.id not in new:
                continue  # it stays ended
            seen = self._less(event)
            if seen.mentions:
                yield HistoryEvent.of(seen, version, time)
        for id_, mentions in self.taken.items():
            if gone := mentions - new.get(id_, mentions):
                yield HistoryEvent(id_, version, time, "shrunk", (), tuple(sorted(gone)))

    def _less(self, event: Event) -> Event:
        """Without mentions that came only because they had been taken away."""
        if event.kind != "grown" or event.id not in self.taken:
            return event
        return replace(
            event, mentions=tuple(each for each in event.mentions if each not in self.taken[event.id])
        )


def restored(live: Mapping[str, set[str]], ended: Mapping[str, set[str]]) -> Restoration:
    """Give ended ids their mentions back; a discovery that is alive keeps at least one of its own.

    Args:
        live: the mentions of each id that is alive.
        ended: the mentions that each ended id had.
    """
    old = {id_: set(members) for id_, members in live.items()}
    taken: dict[str, set[str]] = {}
    for id_, had in sorted(ended.items()):
        mentions = set(had)
        for other, members in old.items():
            common = members & mentions
            if common == members:
                mentions -= common
            elif common:
                members -= common
                taken.setdefault(other, set()).update(common)
        if mentions and id_ not in old:
            old[id_] = mentions
    back = tuple(id_ for id_ in sorted(ended) if id_ in old and id_ not in live)
    return Restoration(old, back, {id_: each for id_, each in taken.items() if id_ in live})
