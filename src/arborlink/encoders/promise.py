"""What an encoder promises the linker, checked."""

from __future__ import annotations

import numpy as np

from arborlink.encoder import Embeddings
from arborlink.errors import ModelError


def check_embeddings(mentions: Embeddings, entities: Embeddings, n_mentions: int, n_entities: int) -> None:
    """Hold an encoder to its promise: a broken one would give wrong links without a sign.

    Raises:
        ModelError: vectors that are missing, odd or of different lengths.
    """
    for what, embeddings, count in (("mentions", mentions, n_mentions), ("entities", entities, n_entities)):
        if embeddings.n_items != count:
            raise ModelError(f"the encoder gave vectors for {embeddings.n_items} {what}; expected {count}")
        # a sum is finite only if all its parts are, and needs no second matrix
        with np.errstate(invalid="ignore", over="ignore"):
            is_finite = np.isfinite(embeddings.vectors.sum(axis=1))
        if not is_finite.all():
            raise ModelError(f"the encoder gave vectors of {what} that hold NaN or infinity")
    if len(mentions.rows) != n_mentions or (np.diff(mentions.offsets) != 1).any():
        raise ModelError("the encoder gave several vectors, or none, for a mention; expected one for each")
    if mentions.vectors.shape[1] != entities.vectors.shape[1]:
        raise ModelError(
            f"mention vectors have {mentions.vectors.shape[1]} dimensions and entity vectors "
            f"{entities.vectors.shape[1]}; expected the same"
        )
