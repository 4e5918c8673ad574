"""A result as one HTML file that opens anywhere: counts, figures, curves, documents, clusters and their trees."""

from arborlink.report.assets import asset, joined_modules
from arborlink.report.curves import read_curves
from arborlink.report.page import report_page, write_report

__all__ = ["asset", "joined_modules", "read_curves", "report_page", "write_report"]
