"""What others did on the same battery, and how a run compares with them."""

from human_data.baselines import children_by_level, children_by_task, competition_by_level, top_ten_by_level
from human_data.comparison import compare_levels, levels_table
from human_data.report import ReportFiles, write_report
from human_data.statistics import pass_rates, results_frame

__all__ = [
    "ReportFiles",
    "children_by_level",
    "children_by_task",
    "compare_levels",
    "competition_by_level",
    "levels_table",
    "pass_rates",
    "results_frame",
    "top_ten_by_level",
    "write_report",
]
