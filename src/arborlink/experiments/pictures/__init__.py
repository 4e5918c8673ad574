"""Pictures of results: plain SVG."""

from arborlink.experiments.pictures.drawing import draw_all

__all__ = ["draw_all"]
