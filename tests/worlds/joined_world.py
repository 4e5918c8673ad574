"""Settings of two models that have little in common, and documents to compare them on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from embeddings_world import affinity

from arborlink import Corpus, Document, Entity, KnowledgeBase, Mention
from arborlink.encoders.model_folder import Inference, ModelSettings
from arborlink.encoders.views import Markers

SMALL = ModelSettings(
    24,
    32,
    inference=Inference("minimax", 3, 0.25),
    name_share=0.3,
    sameness=0.2,
    description_names=True,
    detour=0.1,
)
LARGE = ModelSettings(40, 48, markers=Markers("<m>", "</m>", "<t>"), temperature=0.1)
CORPUS = Corpus(
    [
        Document("d", "the rat had a fever of the liver", (Mention("m", 4, 7), Mention("n", 14, 19))),
        Document("e", "rats and the drug", (Mention("o", 0, 4), Mention("p", 13, 17))),
    ]
)
KB = KnowledgeBase(
    [
        Entity("r", "rat", ("rats",)),
        Entity("f", "fever", (), "a failure of the liver"),
        Entity("x", "drug", (), "against fever"),
    ]
)


def affinities(encoder: Any) -> Any:
    mentions, entities = encoder.encode_mentions(CORPUS), encoder.encode_entities(KB, CORPUS)
    return np.array([[affinity(mentions, entities, i, j) for j in range(len(KB))] for i in range(4)])


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def change(folder: Path, **changes: Any) -> None:
    path = folder / "arborlink.json"
    content = json.loads(path.read_text()) | changes
    path.write_text(json.dumps({key: value for key, value in content.items() if value != "(gone)"}))
