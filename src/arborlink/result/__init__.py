"""What linking returns: links, clusters, explanations, and the folder they are kept in."""

from __future__ import annotations

from arborlink.result.explanation import Explanation, Step
from arborlink.result.links import Answer, Candidate, Cluster, Link
from arborlink.result.result import Result

__all__ = ["Answer", "Candidate", "Cluster", "Explanation", "Link", "Result", "Step"]
