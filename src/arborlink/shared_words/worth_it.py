"""Whether a knowledge base describes its entities at such length that shared words are worth a try."""

from __future__ import annotations

import statistics
from itertools import islice

from arborlink.knowledge_base import KnowledgeBase

# Every wiki that was measured gained, and the shortest descriptions had 56 words (docs/experiments.md).
LONG = 50
USUAL_SHARE = 0.4
_LOOKED_AT = 1000


def usual_length(kb: KnowledgeBase) -> int:
    """The median number of words of a description, of entities evenly drawn; those without one count as 0."""
    step = max(1, len(kb) // _LOOKED_AT)
    lengths = [len(entity.description.split()) for entity in islice(kb, 0, None, step)]
    return int(statistics.median(lengths))
