"""What a re-ranker's training did."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from arborlink.reranking import Reranker
from arborlink.training.course import Course, Epoch


@dataclass(frozen=True)
class RerankerReport:
    """A finished training of a re-ranker.

    Args:
        config: every setting.
        n_mentions: training mentions that were learned from.
        n_pairs: pairs of an epoch.
        epochs: what each did.
        losses: (step, mean loss since the entry before).
        sizes: mentions of a step and tokens of a chunk (0: whole steps), as they were in this run.
        weight: how much the towers have to say, as stored.
        seconds: of searching the candidates and reading the texts.
    """

    config: dict[str, Any]
    n_mentions: int
    n_pairs: int
    epochs: list[Epoch]
    losses: list[tuple[int, float]]
    sizes: dict[str, int]
    weight: float
    seconds: dict[str, float]

    @property
    def best(self) -> Epoch:
        """The epoch the re-ranker is from: the best on dev, the last without dev."""
        return Course(self.epochs).best or self.epochs[-1]

    def to_dict(self) -> dict[str, Any]:
        """Everything, ready for JSON."""
        return {**asdict(self), "best_epoch": self.best.number}

    def summary(self) -> str:
        """A few lines for the screen."""
        best = self.best
        seconds = sum(epoch.total_seconds for epoch in self.epochs)
        lines = [
            f"Trained {len(self.epochs)} epochs on {self.n_mentions:,} mentions, {self.n_pairs:,} pairs each, in "
            f"{seconds:,.1f} s; kept epoch {best.number}, weight {self.weight:g}"
        ]
        if best.dev:
            before, after = best.dev["accuracy_before"], best.dev["accuracy"]
            lines.append(
                f"Dev: accuracy {100 * after:.1f} with independent inference, {100 * before:.1f} without the "
                f"re-ranker, over {best.dev['n_linkable']:,} mentions with their entity in the knowledge base"
            )
            if after <= before:
                lines.append("It does no good on dev: link with --rerank 0, or train it longer or on more")
        return "\n".join(lines)


@dataclass(frozen=True)
class TrainedReranker:
    """A re-ranker, and how it came to be.

    Args:
        reranker: ready for :meth:`Linker.with_reranker <arborlink.linker.Linker.with_reranker>`.
        report: what its training did.
    """

    reranker: Reranker
    report: RerankerReport
