"""The report of a comparison: what is read, figures, tables and the page."""

from report.comparison_pages.read import read_groups, read_run, read_runs_apart
from report.comparison_pages.sections import summary_table
from report.comparison_pages.write import write_comparison

__all__ = ["read_groups", "read_run", "read_runs_apart", "summary_table", "write_comparison"]
