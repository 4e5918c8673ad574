"""Documents and a knowledge base in, links and clusters out."""

from __future__ import annotations

from arborlink.linker.linker import Linker
from arborlink.linker.loading import DEFAULT_SHORTLIST

__all__ = ["DEFAULT_SHORTLIST", "Linker"]
