"""Tables of results, in Markdown."""

from arborlink.experiments.tables.page import results_page

__all__ = ["results_page"]
