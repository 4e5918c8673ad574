"""Words in common: what the text around a mention shares with the descriptions of its nearest entities."""

from __future__ import annotations

from arborlink.shared_words.shared_words import N_LOOKED, WINDOW, SharedWords

__all__ = ["N_LOOKED", "WINDOW", "SharedWords"]
