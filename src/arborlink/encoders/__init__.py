"""The encoders, one module per kind; :func:`load_encoder` finds the right one for a name or a folder."""

from __future__ import annotations

from arborlink.encoders.loading import load_encoder
from arborlink.encoders.names import NameEncoder
from arborlink.encoders.towers import TowerEncoder

__all__ = ["NameEncoder", "TowerEncoder", "load_encoder"]
