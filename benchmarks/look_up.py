"""The usual floor: exact look-up of a mention's string among the names."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from arborlink import Corpus, KnowledgeBase


def look_up(corpus: Corpus, kb: KnowledgeBase) -> NDArray[np.int32]:
    """The first entity that bears the mention's string as a name, whatever the case; -1 if none."""
    bearers: dict[str, int] = {}
    for number, entity in enumerate(kb):
        for name in entity.names:
            bearers.setdefault(name.casefold(), number)
    strings = (document.text_of(mention).casefold() for document, mention in corpus.mentions)
    return np.array([bearers.get(string, -1) for string in strings], dtype=np.int32)
