"""A small labelled world for trainings that take a second: made-up entities, each mentioned under two names."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

from safetensors.torch import load_file
from torch import Tensor

from arborlink.corpus import Corpus
from arborlink.document import Document, Mention
from arborlink.entity import Entity
from arborlink.knowledge_base import KnowledgeBase
from arborlink.training import TrainingConfig, TrainingReport, train
from arborlink.training.config_file import make_config

N_ENTITIES, N_TRAIN, N_DEV = 12, 30, 10
Settings = dict[str, Any]


def _words(n: int) -> list[str]:
    chance = random.Random(7)
    return ["".join(chance.choices("abdegiklmnorstu", k=6)) for _ in range(n)]


_NAMES = _words(3 * N_ENTITIES)


def small_kb(description: bool = True) -> KnowledgeBase:
    """Q0 to Q11; every other one is a person, the others are places."""
    return KnowledgeBase(
        Entity(
            f"Q{number}",
            _NAMES[number],
            aliases=(_NAMES[number + N_ENTITIES],),
            description=f"of {_NAMES[number + 2 * N_ENTITIES]}" if description else "",
            types=("Person" if number % 2 else "Place",),
        )
        for number in range(N_ENTITIES)
    )


def documents(prefix: str, n: int, seed: int) -> Corpus:
    """Documents with two mentions each, of different entities."""
    chance = random.Random(seed)
    return Corpus(_document(f"{prefix}{number}", chance) for number in range(n))


def _document(name: str, chance: random.Random) -> Document:
    text, mentions = "", []
    for place, number in enumerate(chance.sample(range(N_ENTITIES), 2)):
        surface = _NAMES[number + chance.choice((0, N_ENTITIES))]
        text += chance.choice((" so ", " we saw ", " near "))
        start = len(text)
        text += surface
        kind = "Person" if number % 2 else "Place"
        mentions.append(Mention(f"{name}.{place}", start, len(text), (kind,), (f"Q{number}",)))
    return Document(name, text + ".", tuple(mentions))


def labelled(*spans: tuple[str, tuple[str, ...] | None]) -> Corpus:
    """One short document for each (surface, gold entities)."""
    return Corpus(
        Document(
            f"own{number}", f"we saw {surface}.", (Mention(f"own{number}.0", 7, 7 + len(surface), (), gold),)
        )
        for number, (surface, gold) in enumerate(spans)
    )


def train_documents() -> Corpus:
    """30 documents, 60 mentions."""
    return documents("t", N_TRAIN, 1)


def dev_documents() -> Corpus:
    """10 documents, 20 mentions."""
    return documents("d", N_DEV, 2)


def settings(base: Path, **sections: Any) -> TrainingConfig:
    """Quick settings, with what a test wants changed: ``settings(base, trainer={"epochs": 3})``."""
    quick: Settings = {
        "encoder": {"base": str(base), "mention_tokens": 32, "entity_tokens": 32},
        "objective": {"entity_negatives": 3, "mention_negatives": 3},
        "trainer": {
            "epochs": 2,
            "batch_size": 16,
            "block_size": 4,
            "learning_rate": 2e-3,
            "precision": "fp32",
        },
        "dev": {"neighbours": [1, 2], "recall_at": 4},
    }
    return make_config({name: own | sections.get(name, {}) for name, own in quick.items()})


def run(
    base: Path,
    output: Path,
    *,
    with_dev: bool = True,
    resume: bool = False,
    tell: Callable[[str], None] = lambda line: None,
    **sections: Any,
) -> TrainingReport:
    """Train on the small world."""
    config = settings(base, **sections)
    dev = dev_documents() if with_dev else None
    return train(small_kb(), train_documents(), dev, output, config, resume=resume, device="cpu", tell=tell)


def weights(tower: Path) -> dict[str, Tensor]:
    """All weights of a saved tower, by name."""
    return load_file(tower / "model.safetensors")


def without_times(report: TrainingReport) -> dict[str, Any]:
    """What a training did, but for how long it took."""
    content = report.to_dict()
    for epoch in content["epochs"]:
        del epoch["seconds"]
    return content
