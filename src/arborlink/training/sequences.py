"""Token ids of many texts; they live with the encoders, because re-ranking reads them too."""

from __future__ import annotations

from arborlink.encoders.sequences import Chunk, Sequences

__all__ = ["Chunk", "Sequences"]
