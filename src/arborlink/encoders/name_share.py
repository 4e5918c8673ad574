"""The share that the comparison of names has beside towers, and the same model with another one.

Towers know best what they were trained on, names what nobody has seen. How much of either a knowledge base needs can
be told from labelled documents, and changing it costs no training: vectors stand side by side, each part scaled.
"""

from __future__ import annotations

import math

from arborlink.encoder import Encoder
from arborlink.encoders.blended import BlendedEncoder
from arborlink.errors import InputError


def name_share_of(encoder: Encoder) -> float | None:
    """The share of names in an affinity; ``None`` of an encoder that has not both, towers and names beside them."""
    return encoder.share if isinstance(encoder, BlendedEncoder) else None


def with_name_share(encoder: Encoder, share: float) -> Encoder:
    """The same towers and names, sharing otherwise in an affinity.

    Args:
        encoder: towers with names beside them.
        share: of the names, more than 0 and less than 1.

    Raises:
        InputError: another share, or an encoder that has not both.
    """
    share = checked_name_share(share)
    if not isinstance(encoder, BlendedEncoder):
        raise InputError(
            f"the share of names is {share:g}, but this model has no comparison of names beside towers; leave it out"
        )
    return encoder if share == encoder.share else BlendedEncoder(encoder.towers, encoder.names, share)


def checked_name_share(share: float) -> float:
    """The share, if it can be one.

    Raises:
        InputError: it is not above 0 and below 1.
    """
    share = float(share)
    if not (math.isfinite(share) and 0 < share < 1):
        raise InputError(
            f"the share of names is {share:g}; expected a number above 0 and below 1, such as 0.3"
        )
    return share
