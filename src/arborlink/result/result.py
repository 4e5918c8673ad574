"""All that linking found out, in memory or read back from a folder."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from arborlink.errors import ResultError
from arborlink.result.explanation import Explanation, explain
from arborlink.result.folder import (
    CANDIDATES,
    CLUSTERS,
    LINKS,
    read_manifest,
    read_records,
    settings_of,
    write_folder,
)
from arborlink.result.links import Candidate, Cluster, Link, clusters_of


class Result:
    """Links of all mentions, and the clusters they form.

    Args:
        links: one for each mention, in corpus order.
        settings: how they were made: model, inference, neighbours, threshold, counts, times.
        candidates: the nearest entities of each mention, best first, if they were asked for.

    Example::

        result["d.0"].entity, "d.0" in result, [link.text for link in result]
    """

    def __init__(
        self,
        links: Iterable[Link],
        settings: Mapping[str, Any],
        candidates: Mapping[str, tuple[Candidate, ...]] | None = None,
    ) -> None:
        self.links = tuple(links)
        self.settings = dict(settings)
        self._candidates = candidates
        # Of a result that was read: the folder, and size and hash of the candidates there that are not read yet.
        self._unread_candidates: tuple[Path, Any] | None = None

    @property
    def candidates(self) -> Mapping[str, tuple[Candidate, ...]] | None:
        """The nearest entities of each mention, best first; ``None`` if they were not asked for.

        Those of a result that was read are read when they are first asked for, without names.

        Raises:
            ResultError: the folder holds another result by now.
        """
        if self._candidates is None and self._unread_candidates is not None:
            file = _unchanged(*self._unread_candidates)
            try:
                self._candidates = dict(_candidates_of(record) for record in read_records(file))
            except (KeyError, TypeError, ValueError) as error:
                raise ResultError(f"{file}: not candidates of this version: {error}") from error
        return self._candidates

    @cached_property
    def clusters(self) -> tuple[Cluster, ...]:
        """Known and discovered entities that have a mention."""
        return clusters_of(self.links)

    @property
    def discovered(self) -> tuple[Cluster, ...]:
        """The clusters without an entity, largest first."""
        new = (cluster for cluster in self.clusters if cluster.entity is None)
        return tuple(sorted(new, key=lambda cluster: (-len(cluster.mentions), cluster.cluster)))

    def __getitem__(self, mention: str) -> Link:
        return self._by_mention[mention]

    def __iter__(self) -> Iterator[Link]:
        return iter(self.links)

    def __contains__(self, mention: object) -> bool:
        """Whether there is a link of the mention of this id."""
        return mention in self._by_mention

    def __len__(self) -> int:
        return len(self.links)

    def explain(self, mention: str) -> Explanation:
        """Why the mention went where it went."""
        return explain(self._by_mention, mention, self._discovered_names)

    def write(self, folder: str | Path) -> None:
        """Write the result; the folder counts as one only when all of it is there."""
        files: dict[str, Iterable[Mapping[str, Any]]] = {
            LINKS: (link.to_dict() for link in self.links),
            CLUSTERS: (cluster.to_dict() for cluster in self.clusters),
        }
        if self._candidates is not None:
            files[CANDIDATES] = (_candidates_record(*item) for item in self._candidates.items())
        elif self._unread_candidates is not None:
            files[CANDIDATES] = read_records(_unchanged(*self._unread_candidates))
        write_folder(Path(folder), files, self.settings)

    @classmethod
    def read(cls, folder: str | Path) -> Result:
        """Read a complete result folder. Candidates are read only when asked for; writing keeps them.

        Raises:
            ResultError: the folder is missing, incomplete, changed, or of another version.
        """
        folder = Path(folder)
        manifest = read_manifest(folder)
        try:
            links = [Link.from_dict(record) for record in read_records(folder / LINKS)]
        except (KeyError, TypeError) as error:
            raise ResultError(f"{folder / LINKS}: not links of this version: {error}") from error
        result = cls(links, settings_of(manifest))
        if CANDIDATES in manifest["files"]:
            result._unread_candidates = folder, manifest["files"][CANDIDATES]
        return result

    @cached_property
    def _by_mention(self) -> dict[str, Link]:
        return {link.mention: link for link in self.links}

    @cached_property
    def _discovered_names(self) -> dict[int, str]:
        return {cluster.cluster: cluster.name for cluster in self.clusters if cluster.entity is None}

    def __repr__(self) -> str:
        n_linked = sum(link.entity is not None for link in self.links)
        return f"Result({len(self)} mentions, {n_linked} linked, {len(self.discovered)} entities discovered)"


def _unchanged(folder: Path, identity: Any) -> Path:
    """The candidates file of a folder, if it is still the one that the result was read with."""
    if read_manifest(folder)["files"].get(CANDIDATES) != identity:
        raise ResultError(f"{folder}: holds another result by now; read it again")
    return folder / CANDIDATES


def _candidates_of(record: Mapping[str, Any]) -> tuple[str, tuple[Candidate, ...]]:
    pairs = zip(record["entities"], record["affinities"], strict=True)
    return record["mention"], tuple(Candidate(entity, None, affinity) for entity, affinity in pairs)


def _candidates_record(mention: str, candidates: tuple[Candidate, ...]) -> dict[str, Any]:
    return {
        "mention": mention,
        "entities": [candidate.entity for candidate in candidates],
        "affinities": [candidate.affinity for candidate in candidates],
    }
