"""All that linking found out, in memory or read back from a folder."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
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
        candidates: the nearest entities of each mention, if they were asked for.
    """

    def __init__(
        self,
        links: Iterable[Link],
        settings: Mapping[str, Any],
        candidates: Mapping[str, tuple[Candidate, ...]] | None = None,
    ) -> None:
        self.links = tuple(links)
        self.settings = dict(settings)
        self.candidates = candidates
        # Where the candidates lie that were not read; a result that is written elsewhere takes them along.
        self._candidates_file: Path | None = None

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

    def __len__(self) -> int:
        return len(self.links)

    def explain(self, mention: str) -> Explanation:
        """Why the mention went where it went."""
        return explain(self._by_mention, mention)

    def write(self, folder: str | Path) -> None:
        """Write the result; the folder counts as one only when all of it is there."""
        files: dict[str, Iterable[Mapping[str, Any]]] = {
            LINKS: (link.to_dict() for link in self.links),
            CLUSTERS: (cluster.to_dict() for cluster in self.clusters),
        }
        if self.candidates is not None:
            files[CANDIDATES] = (_candidates_record(*item) for item in self.candidates.items())
        elif self._candidates_file is not None:
            files[CANDIDATES] = read_records(self._candidates_file)
        write_folder(Path(folder), files, self.settings)

    @classmethod
    def read(cls, folder: str | Path) -> Result:
        """Read a complete result folder. Candidates stay on disk, and go along when the result is written again.

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
            result._candidates_file = folder / CANDIDATES
        return result

    @cached_property
    def _by_mention(self) -> dict[str, Link]:
        return {link.mention: link for link in self.links}

    def __repr__(self) -> str:
        n_linked = sum(link.entity is not None for link in self.links)
        return f"Result({len(self)} mentions, {n_linked} linked, {len(self.discovered)} entities discovered)"


def _candidates_record(mention: str, candidates: tuple[Candidate, ...]) -> dict[str, Any]:
    return {
        "mention": mention,
        "entities": [candidate.entity for candidate in candidates],
        "affinities": [candidate.affinity for candidate in candidates],
    }
