"""A saved model of a few kilobytes with names beside its tower."""

from __future__ import annotations

from pathlib import Path

from arborlink.encoders.building import build_tower
from arborlink.encoders.model_folder import Inference, ModelSettings, write_towers
from arborlink.encoders.views import Markers


def save_named_model(base: Path, folder: Path, share: float) -> Path:
    """A tower on a tiny base model, and the embedded model's comparison of names with this share beside it."""
    tower = build_tower(base, pooling="mean", normalise=True, role="both", markers=Markers(), device="cpu")
    write_towers(
        folder, tower, tower, ModelSettings(32, 32, inference=Inference("undirected", 2), name_share=share)
    )
    return folder
