"""What others did on the same battery, and how a run compares with them."""

from human_data.baselines import (
    children_by_level,
    children_by_task,
    competition_by_level,
    language_models_by_task,
    top_ten_by_level,
)
from human_data.comparison import compare_levels, layouts_note, levels_table
from human_data.report import ReportFiles, write_report
from human_data.results import read_results, read_runs, results_frame
from human_data.statistics import pass_rates

__all__ = [
    "ReportFiles",
    "children_by_level",
    "children_by_task",
    "compare_levels",
    "competition_by_level",
    "language_models_by_task",
    "layouts_note",
    "levels_table",
    "pass_rates",
    "read_results",
    "read_runs",
    "results_frame",
    "top_ten_by_level",
    "write_report",
]
