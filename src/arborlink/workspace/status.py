"""What a workspace holds, in numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from arborlink.workspace.settings import WorkspaceSettings


@dataclass(frozen=True, slots=True)
class LogEntry:
    """What made a version: the command, when, and how much it changed."""

    version: int
    time: str
    command: str
    summary: Mapping[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return asdict(self)

    def __str__(self) -> str:
        counts = ", ".join(f"{name} {value}" for name, value in self.summary.items())
        return f"{self.command}: {counts}" if counts else self.command


@dataclass(frozen=True, slots=True)
class Status:
    """Counts of the last committed version.

    Args:
        version: of the workspace.
        settings: model and inference.
        n_documents: documents.
        n_mentions: their mentions.
        n_entities: entities of the knowledge base, promoted ones among them.
        n_linked: mentions that are linked to an entity.
        n_discoveries: discovered entities, rejected ones among them.
        n_rejected: discovered entities that are rejected.
        n_decisions: decisions in force.
    """

    version: int
    settings: WorkspaceSettings
    n_documents: int
    n_mentions: int
    n_entities: int
    n_linked: int
    n_discoveries: int
    n_rejected: int
    n_decisions: int

    @classmethod
    def of(cls, meta: Mapping[str, Any]) -> Status:
        """The status of what the database says about itself."""
        settings = WorkspaceSettings.from_dict(meta["settings"])
        return cls(version=meta["version"], settings=settings, **meta["counts"])

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return asdict(self)

    def __str__(self) -> str:
        inference = self.settings.inference
        threshold = "none" if inference.threshold is None else f"{inference.threshold:g}"
        neighbours = f"{inference.neighbours} neighbour{'s' if inference.neighbours != 1 else ''}"
        n_unlinked = self.n_mentions - self.n_linked
        return "\n".join(
            [
                f"Version {self.version}",
                f"Model {self.settings.choice.name} ({self.settings.fingerprint})",
                f"Inference {inference.mode}, {neighbours}, threshold {threshold}"
                + (f", detour {self.settings.detour:g}" if self.settings.detour else "")
                + (", by type" if inference.by_type else ""),
                f"{self.n_documents:,} documents, {self.n_mentions:,} mentions, {self.n_entities:,} entities",
                f"{self.n_linked:,} mentions linked, {n_unlinked:,} in {self.n_discoveries:,} discoveries"
                + (f" ({self.n_rejected:,} rejected)" if self.n_rejected else ""),
                f"{self.n_decisions:,} decisions in force",
            ]
        )
