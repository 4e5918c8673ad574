"""Exact nearest neighbours by inner product, block by block.

FAISS searches on a CPU, torch on an accelerator (and on a CPU without FAISS). Neither ever holds the affinities of
all pairs at once.
"""

from __future__ import annotations

from arborlink.search.apart import nearest_apart
from arborlink.search.neighbours import Neighbours, nearest, nearest_others
from arborlink.search.top_rows import top_rows

__all__ = ["Neighbours", "nearest", "nearest_apart", "nearest_others", "top_rows"]
