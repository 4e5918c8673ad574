"""Where a benchmark's figures come from: the first fields of every results file."""

from __future__ import annotations

import sys
from typing import Any

from arborlink.experiments import provenance as of_experiments


def provenance() -> dict[str, Any]:
    """Command, commit, machine and versions; see :mod:`arborlink.experiments.provenance`."""
    return of_experiments.provenance(f"python benchmarks/{sys.argv[0].rpartition('/')[2]}")
