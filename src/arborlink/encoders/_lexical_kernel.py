"""The inner loop of :mod:`arborlink.encoders.lexical`, apart because importing numba takes a while."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from arborlink.compiled import compiled

N_PLACES = 4  # dimensions an n-gram is spread over: one alone lets two frequent n-grams cancel or double


@compiled
def fold(
    codes: NDArray[np.uint32], offsets: NDArray[np.int64], dimension: int, shortest: int, longest: int
) -> NDArray[np.float32]:
    """Sum, for each text, a signed unit at ``N_PLACES`` hashed dimensions per n-gram, then scale to length one."""
    n_texts = len(offsets) - 1
    vectors = np.zeros((n_texts, dimension), dtype=np.float32)
    for text in range(n_texts):
        vector = vectors[text]
        begin, end = offsets[text], offsets[text + 1]
        for start in range(begin, end):
            key = np.uint64(14695981039346656037)
            for stop in range(start, min(start + longest, end)):
                code = codes[stop]
                key = (key ^ np.uint64(code)) * np.uint64(1099511628211)
                if stop - start + 1 >= shortest:
                    mixed = (key ^ (key >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
                    mixed ^= mixed >> np.uint64(32)
                    for _ in range(N_PLACES):
                        sign = np.float32(1.0) if mixed & np.uint64(1) else np.float32(-1.0)
                        vector[(mixed >> np.uint64(1)) % np.uint64(dimension)] += sign
                        mixed = mixed * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
                        mixed ^= mixed >> np.uint64(33)
                if stop > start and code == 32:
                    break  # n-grams stay within words; the blank that ends the word is part of the last ones
        norm = np.sqrt(np.sum(vector * vector))
        if norm > 0:
            vector /= norm
    return vectors
