"""A world of a few one-letter entities, so that a network of a few weights learns who is who in seconds."""

from __future__ import annotations

import random
from typing import Any

from arborlink.corpus import Corpus
from arborlink.document import Document, Mention
from arborlink.entity import Entity
from arborlink.knowledge_base import KnowledgeBase
from arborlink.training.config_file import make_sections
from arborlink.training.reranker import RerankerConfig

LETTERS = "bdkm"


def letter_kb() -> KnowledgeBase:
    """Q0 to Q3, each named by a letter; the names of mentions and of entities have no letter in common."""
    return KnowledgeBase(
        Entity(f"Q{number}", letter * 3, types=("Even" if number % 2 == 0 else "Odd",))
        for number, letter in enumerate(LETTERS)
    )


def letter_documents(prefix: str, n: int, seed: int) -> Corpus:
    """Documents with one mention each: two digits stand for the letter of the entity."""
    chance = random.Random(seed)
    return Corpus(_document(f"{prefix}{number}", chance) for number in range(n))


def _document(name: str, chance: random.Random) -> Document:
    number = chance.randrange(len(LETTERS))
    before = chance.choice(("so ", "we ", "no "))
    kind = "Even" if number % 2 == 0 else "Odd"
    mention = Mention(f"{name}.0", len(before), len(before) + 2, (kind,), (f"Q{number}",))
    return Document(name, f"{before}{number}{number}.", (mention,))


def quick_config(base: object, **sections: Any) -> RerankerConfig:
    """Settings that learn the letters, with what a test wants changed."""
    quick: dict[str, Any] = {
        "reranker": {"base": str(base), "mention_tokens": 32, "entity_tokens": 16, "candidates": 4, "n": 4},
        "trainer": {
            "epochs": 3,
            "batch_size": 8,
            "learning_rate": 3e-3,
            "precision": "fp32",
            "warmup": 0.1,
        },
    }
    return make_sections(RerankerConfig, {name: own | sections.get(name, {}) for name, own in quick.items()})
