"""Words in common: what the text around a mention shares with the descriptions of its nearest entities."""

from __future__ import annotations

from arborlink.shared_words.shared_words import N_LOOKED, WINDOW, SharedWords
from arborlink.shared_words.worth_it import LONG, USUAL_SHARE, usual_length

__all__ = ["LONG", "N_LOOKED", "USUAL_SHARE", "WINDOW", "SharedWords", "usual_length"]
