"""The report of a comparison: what is read, figures, tables and the page."""

from human_data.comparison_report.read import read_groups, read_run, read_runs_apart
from human_data.comparison_report.sections import summary_table
from human_data.comparison_report.write import write_comparison

__all__ = ["read_groups", "read_run", "read_runs_apart", "summary_table", "write_comparison"]
