"""Re-ranking: a second, slower look at the nearest entities of each mention."""

from __future__ import annotations

from arborlink.reranking.folder import has_reranker, read_reranker, write_reranker
from arborlink.reranking.order import rerank
from arborlink.reranking.reranker import Reranker
from arborlink.reranking.settings import RerankerSettings

__all__ = ["Reranker", "RerankerSettings", "has_reranker", "read_reranker", "rerank", "write_reranker"]
