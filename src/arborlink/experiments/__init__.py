"""The paper's tables as runs that anybody can repeat: run files in, results as JSON out, tables from the JSON."""

from arborlink.experiments.data_sets import LAYOUTS
from arborlink.experiments.results import read_results
from arborlink.experiments.run_file import RunFile, read_run_file

__all__ = ["LAYOUTS", "RunFile", "read_results", "read_run_file"]
