"""Which names of a large knowledge base are worth encoding for the mentions at hand.

A transformer takes a millisecond a name on a CPU; comparing spelling takes a thousandth of that. A name that is
among the nearest by spelling for no mention string is hardly ever the best one for any of them:
``benchmarks/untrained_default.py`` measures what that costs (docs/encoders.md has the figures).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from arborlink.search import top_rows


def shortlist(mentions: NDArray[np.float32], names: NDArray[np.float32], n_each: int) -> NDArray[np.int64]:
    """Rows of ``names`` that are among the ``n_each`` nearest of some row of ``mentions``; sorted, int64."""
    if n_each * len(mentions) == 0 or len(names) <= n_each:
        return np.arange(len(names))
    _, rows = top_rows(mentions, names, n_each)
    return np.unique(rows).astype(np.int64)
