"""How much a proposal is worth a curator's time."""

from __future__ import annotations

import math


def value_of(n_documents: int, n_mentions: int, coherence: float | None, nearest: float | None) -> float:
    """What proposals are sorted by, the largest first, in six digits.

    ``log2(1 + documents) + ½ log2(1 + mentions) + ½ σ(coherence) + ½ σ(−nearest)`` with σ(x) = 1 / (1 + e⁻ˣ).
    The first two terms grow without bound, but slowly, and the last two stay below ½ each whatever the scale of
    the affinities: first counts how widely the entity is used, then how sure it is one and a new one.

    Args:
        n_documents: documents touched.
        n_mentions: size of the cluster.
        coherence: mean affinity of the edges of its tree; ``None`` (a single mention) adds 0.
        nearest: affinity of the nearest entity of the knowledge base; ``None`` (nothing is near) adds ½.

    Example:
        >>> value_of(3, 3, None, None)
        3.5
    """
    spread = math.log2(1 + n_documents) + math.log2(1 + n_mentions) / 2
    held_together = 0.0 if coherence is None else _sigmoid(coherence) / 2
    is_new = 0.5 if nearest is None else _sigmoid(-nearest) / 2
    return round(spread + held_together + is_new, 6)


def _sigmoid(x: float) -> float:
    # by way of tanh, which does not overflow for the large inner products some encoders make
    return (1 + math.tanh(x / 2)) / 2
