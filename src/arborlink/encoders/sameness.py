"""A vector that tells whether two strings are the same, and nothing else.

Where a name is the mention's own string, towers need not be asked much; where it is merely like it, they should be.
An affinity of names alone cannot say so: the step from 0.95 to 1 is small. So each string gets a pseudo-random unit
vector of its own: the inner product of a string's with itself is 1, with any other's about 0, give or take
``1 / sqrt(dimension)``. A share of it in an affinity is a bonus for names that are equal, and affinities stay inner
products, which search, graph and workspace can go on with.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from arborlink.encoders.lexical import folded_words

# With it, two strings are within 0.09 of orthogonal in two cases of three: of a share of a tenth, little.
DIMENSION = 128
_BITS_OF_A_DIGEST = 512


def sameness_vectors(texts: Sequence[str], dimension: int = DIMENSION) -> NDArray[np.float32]:
    """Unit vectors, shape (len(texts), dimension), equal for equal strings and nearly orthogonal for others.

    As for spelling, case, punctuation and the way Unicode composes a letter do not matter; the order of words does.

    Args:
        texts: the strings.
        dimension: a multiple of 8, at most 512.

    Example:
        >>> one, same, other = sameness_vectors(["T cell", "t-cell", "B cell"])
        >>> round(float(one @ same), 6), abs(float(one @ other)) < 0.5
        (1.0, True)
    """
    if dimension % 8 or not 0 < dimension <= _BITS_OF_A_DIGEST:
        raise ValueError(f"dimension is {dimension}; expected a multiple of 8, at most {_BITS_OF_A_DIGEST}")
    words = [(folded_words(text) or text).encode("utf-8", "surrogatepass") for text in texts]
    digests = b"".join(blake2b(word, digest_size=dimension // 8).digest() for word in words)
    bits = np.unpackbits(np.frombuffer(digests, dtype=np.uint8)).reshape(len(words), dimension)
    return (bits * np.float32(2) - np.float32(1)) / np.float32(np.sqrt(dimension))
