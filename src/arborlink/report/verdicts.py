"""What the gold labels say, of every mention and of all together."""

from __future__ import annotations

from typing import Any

from arborlink.corpus import Corpus
from arborlink.evaluation import Evaluation, Gold, evaluate
from arborlink.knowledge_base import KnowledgeBase
from arborlink.result import Result

UNLABELLED, RIGHT, WRONG, MISSED = range(4)
_MOST_LABELS = 3


def is_labelled(corpus: Corpus) -> bool:
    """Whether any mention has a gold label."""
    return any(mention.entities is not None for _, mention in corpus.mentions)


def verdicts(result: Result, corpus: Corpus, kb: KnowledgeBase) -> dict[str, list[Any]]:
    """For each mention of the corpus: whether its link is right, and where it is not, what would have been.

    ``verdict`` is 0 without a label, 1 for what is right (an entity, or none where the knowledge base lacks it),
    2 for a wrong entity, 3 for an entity of the knowledge base that was not found. ``gold`` names what would have
    been right, empty where nothing is wrong.
    """
    gold = Gold.of(corpus, kb)
    verdict: list[int] = []
    right_names: list[str] = []
    for number, (_, mention) in enumerate(corpus.mentions):
        link = result[mention.id]
        entity = link.entity
        if gold.unlabelled[number]:
            found = UNLABELLED
        elif entity is None:
            found = MISSED if gold.linkable[number] else RIGHT
        else:
            found = RIGHT if entity in (mention.entities or ()) else WRONG
        verdict.append(found)
        right_names.append(_named(mention.entities or (), kb, link.name) if found in (WRONG, MISSED) else "")
    return {"verdict": verdict, "gold": right_names}


def figures(result: Result, corpus: Corpus, kb: KnowledgeBase) -> dict[str, Any]:
    """The figures of ``arborlink evaluate`` for the page, and the protocol they were counted by."""
    evaluation: Evaluation = evaluate(result, corpus, kb)
    return {
        "protocol": evaluation.protocol,
        "figures": [[each.key, each.value, each.group, each.note] for each in evaluation],
    }


def _named(labels: tuple[str, ...], kb: KnowledgeBase, linked: str | None) -> str:
    """The names of the gold entities; with its id one that is called what the linked entity is called."""
    if not labels:
        return "nothing in the knowledge base"
    shown = " or ".join(_name(label, kb, linked) for label in labels[:_MOST_LABELS])
    return f"{shown} or others" if len(labels) > _MOST_LABELS else shown


def _name(label: str, kb: KnowledgeBase, linked: str | None) -> str:
    if label not in kb:
        return f"{label} (not in the knowledge base)"
    name = kb[label].name
    return f"{name} ({label})" if name == linked else name
