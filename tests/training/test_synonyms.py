"""Aliases that no training document uses are linked better where they were asked as mentions."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from training_world import settings

from arborlink.corpus import Corpus
from arborlink.document import Document, Mention
from arborlink.entity import Entity
from arborlink.knowledge_base import KnowledgeBase
from arborlink.training import TrainingReport, train

N_ENTITIES = 24
_CHANCE = random.Random(7)
NAMES, ALIASES = (
    ["".join(_CHANCE.choices("abdegiklmnorstu", k=6)) for _ in range(N_ENTITIES)] for _ in range(2)
)
KB = KnowledgeBase(
    Entity(f"Q{number}", name, aliases=(alias,))
    for number, (name, alias) in enumerate(zip(NAMES, ALIASES, strict=True))
)


def mentioned(prefix: str, surfaces: list[str], seed: int) -> Corpus:
    """A short document for each entity, which is called by its surface there."""
    chance = random.Random(seed)
    documents = []
    for number, surface in enumerate(surfaces):
        before = chance.choice(("so ", "we saw ", "near "))
        span = Mention(f"{prefix}{number}.0", len(before), len(before + surface), (), (f"Q{number}",))
        documents.append(Document(f"{prefix}{number}", f"{before}{surface}.", (span,)))
    return Corpus(documents)


def trained(base: Path, output: Path, tell: Any, **objective: Any) -> TrainingReport:
    config = settings(
        base,
        objective=objective,
        trainer={"epochs": 8, "learning_rate": 5e-3},
        dev={"modes": ["independent"], "neighbours": [1]},
    )
    learnt = Corpus([*mentioned("t", NAMES, 1), *mentioned("u", NAMES, 2)])
    return train(KB, learnt, mentioned("d", ALIASES, 3), output, config, device="cpu", tell=tell)


def test_synonyms_of_the_knowledge_base_are_learned(tiny_model: Path, tmp_path: Path) -> None:
    lines: list[str] = []
    without = trained(tiny_model, tmp_path / "without", lines.append)
    with_names = trained(tiny_model, tmp_path / "with", lines.append, name_mentions=0.5)
    assert lines[0] == "48 mentions: 48 of 24 of the 24 entities"
    assert f"{lines[0]}; in each epoch 24 of 24 aliases of 24 entities as mentions" in lines
    last = [report.epochs[-1].accuracy or 0.0 for report in (without, with_names)]
    assert last[0] + 0.2 < last[1]
    assert [epoch.n_steps for epoch in with_names.epochs] == [4] * 8  # 72 queries in steps of about 16
    assert [epoch.n_steps for epoch in without.epochs] == [3] * 8
