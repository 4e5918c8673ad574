"""Why a mention went where it went: the path from its entity, its weakest step, the runner-up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from itertools import islice
from typing import Any

from arborlink.errors import InputError
from arborlink.result.links import Candidate, Link


@dataclass(frozen=True, slots=True)
class Step:
    """One edge of the path: ``affinity`` is that between this mention and the node before it.

    ``None`` where a reviewer decided that the two are one thing.
    """

    mention: str
    document: str
    text: str
    affinity: float | None


@dataclass(frozen=True, slots=True)
class Explanation:
    """The path that decided a mention.

    Args:
        mention: id of the mention asked about.
        text: what it says.
        entity: id of the entity it was linked to, ``None`` if it was discovered.
        name: that entity's name; the name of the discovered cluster if there is no entity.
        root: id of the entity or mention the path starts at.
        steps: from the root to the mention; the last step is the mention itself. Empty where the mention is the
            root of a discovered cluster.
        bottleneck: position in ``steps`` of the weakest edge, the one that decides; ``None`` without steps that have
            an affinity.
        runner_up: the nearest entity other than its own, by itself, without a path.
    """

    mention: str
    text: str
    entity: str | None
    name: str
    root: str
    steps: tuple[Step, ...]
    bottleneck: int | None
    runner_up: Candidate | None

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return asdict(self)

    def __str__(self) -> str:
        kind = "entity" if self.entity is not None else "discovered entity, first mention"
        name = _on_one_line(self.name)
        verdict = f"{name} ({self.entity})" if self.entity is not None else "a discovered entity"
        lines = [
            f'"{_on_one_line(self.text)}" ({self.mention}) → {verdict}',
            f"  {name}  [{kind} {self.root}]",
        ]
        for number, step in enumerate(self.steps):
            mark = "   ← bottleneck" if number == self.bottleneck and len(self.steps) > 1 else ""
            joined = "decided" if step.affinity is None else f"{step.affinity:.3f}"
            lines.append(
                f'{"  " * (number + 1)}└─ {joined} ─ "{_on_one_line(step.text)}"  ({step.mention}){mark}'
            )
        if self.runner_up is not None:
            lines.append(self._runner_up_line(self.runner_up))
        return "\n".join(lines)

    def _runner_up_line(self, runner_up: Candidate) -> str:
        other = (
            f"{_on_one_line(runner_up.name or '')} ({runner_up.entity}), affinity {runner_up.affinity:.3f}"
        )
        if self.entity is None:
            return f"  Nearest entity: {other}, not near enough"
        if len(self.steps) == 1 and self.steps[0].affinity == runner_up.affinity:
            return f"  As near: {other}; of equally near entities the first in the knowledge base is taken"
        return f"  Runner-up: {other} to the mention by itself"


def explain(links: Mapping[str, Link], mention: str, discovered: Mapping[int, str]) -> Explanation:
    """Explain one mention of a result.

    Args:
        links: the links of the result, by mention id.
        mention: id of the mention.
        discovered: names of the clusters without an entity, by number.
    """
    if mention not in links:
        raise InputError(f"there is no mention {mention!r} in the result{_hint(links, mention)}")
    link = links[mention]
    path = [link]
    while path[-1].parent_kind == "mention":
        assert path[-1].parent is not None
        path.append(links[path[-1].parent])
    top = path[-1]
    steps = tuple(
        Step(each.mention, each.document, each.text, each.affinity)
        for each in reversed(path)
        if each.parent is not None
    )
    known = {number: step.affinity for number, step in enumerate(steps) if step.affinity is not None}
    weakest = min(known, key=lambda number: known[number], default=None)
    return Explanation(
        mention=link.mention,
        text=link.text,
        entity=link.entity,
        name=link.name or discovered[link.cluster],
        root=link.entity if link.entity is not None else top.mention,
        steps=steps,
        bottleneck=weakest,
        runner_up=link.runner_up,
    )


def _on_one_line(text: str) -> str:
    """The text with white space folded, so that a line end in a mention does not break the tree."""
    return " ".join(text.split())


def _hint(links: Mapping[str, Link], asked: str) -> str:
    """Mentions whose id holds what was asked for, or that say it."""
    near = (
        link.mention for link in links.values() if asked and (asked in link.mention or asked == link.text)
    )
    shown = list(islice(near, 3))
    return f"; did you mean {', '.join(shown)}?" if shown else ""
