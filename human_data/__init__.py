"""What others did on the same battery, and how a run compares with them."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
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

_PLACES = {
    "baselines": (
        "children_by_level",
        "children_by_task",
        "competition_by_level",
        "language_models_by_task",
        "top_ten_by_level",
    ),
    "comparison": ("compare_levels", "layouts_note", "levels_table"),
    "report": ("ReportFiles", "write_report"),
    "results": ("read_results", "read_runs", "results_frame"),
    "statistics": ("pass_rates",),
}
_PLACE = {name: module for module, names in _PLACES.items() for name in names}


def __getattr__(name: str) -> Any:
    """Import on use: a process that steps episodes needs neither tables nor Inspect AI, some seconds each."""
    if name not in _PLACE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_PLACE[name]}"), name)
