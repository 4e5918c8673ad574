"""The demo world: Wendle, a harbour town that never was, its knowledge base and its papers.

Small enough to read in a sitting, and made to show what linking over a neighbour graph is for: shared names,
nicknames that only other mentions explain, and newcomers the knowledge base has never heard of.
"""

from arborlink.demo.world import demo_documents_path, demo_kb_path, demo_splits

__all__ = ["demo_documents_path", "demo_kb_path", "demo_splits"]
