"""Runs beside children, the 2019 competition, published agents and models, and studies with people."""

from report.comparison.levels import (
    BASELINES_NOTE,
    HEADINGS,
    INTERVALS,
    INTERVALS_NOTE,
    Row,
    cells,
    compare_levels,
    layouts_note,
    levels_table,
    percent,
    who,
)

__all__ = [
    "BASELINES_NOTE",
    "HEADINGS",
    "INTERVALS",
    "INTERVALS_NOTE",
    "Row",
    "cells",
    "compare_levels",
    "layouts_note",
    "levels_table",
    "percent",
    "who",
]
