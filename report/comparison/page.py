"""The report of a comparison: its page with figures, and every table as a file."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from evaluation.report_folder import ReportFolder
from report import site
from report.comparison.levels import described
from report.comparison.tables import sections
from report.comparison.tasks import TASKS_NOTE
from report.comparison.whole import Comparison
from report.figures import capacities, items, ranking, spread
from report.files import write_facts, write_figure, write_rates, write_tables
from report.tables import facts_table, group_table

Draw = Callable[[Comparison, Sequence[str]], Figure | None]

FIGURES: dict[str, tuple[str, str, Draw]] = {
    "spread": ("By level", spread.CAPTION, spread.draw_spread),
    "ranking": ("Among children and teams", ranking.CAPTION, ranking.draw_ranking),
    "items": ("Task by task", items.CAPTION, items.draw_items),
    "capacities": ("By capacity", capacities.CAPTION, capacities.draw_capacities),
}
"""File name, heading and caption of each figure."""


def write_comparison(compared: Comparison, folder: Path, *, title: str, facts: Mapping[str, str]) -> Path:
    """Write the page, whose path is returned, the figures as PNG, SVG and PDF, and the tables.

    Figures without anything to show are left out. Files of an earlier report in the folder are replaced or
    removed. Raises EvaluationError if the folder refuses.
    """
    results = compared.results
    rates = described(compared.levels, compared.same_layouts)
    with ReportFolder(folder) as own:
        site.write_assets(own)
        write_facts(own, facts, compared.same_layouts)
        write_rates(own, "levels", rates, results, facts)
        values = {
            "cautions": compared.cautions,
            "figures": [*_write_figures(compared, own)],
            "rates": group_table(compared.levels, "Level"),
            "rate_notes": rates.notes,
            "missing": int(results["passed"].isna().sum()),
            "sections": sections(compared),
            "tasks_note": TASKS_NOTE,
            "rows": results.astype(object).where(results.notna(), None).to_dict("records"),
            "facts": facts_table({"Value": facts}),
            **write_tables(own, tables(compared)),
        }
        return own.write("index.html", site.render("comparison.html.j2", title=title, **values))


def tables(compared: Comparison) -> dict[str, pd.DataFrame]:
    """The tables that are written beside the page, by their names."""
    return {
        "results": compared.results,
        "levels": compared.levels,
        "differences": compared.differences,
        "tasks": compared.tasks,
        "ranks": compared.ranks,
        "outperformed": compared.outperformed,
        "capacities": compared.capacities,
        "correlations": compared.correlations,
        "comparisons": compared.pairs,
    }


def _write_figures(compared: Comparison, folder: ReportFolder) -> list[dict[str, Any]]:
    found = []
    for name, (heading, caption, draw) in FIGURES.items():
        figure = draw(compared, [caption, *compared.cautions])
        if figure is not None:
            write_figure(folder, name, figure)
            found.append({"name": name, "heading": heading, "alt": caption, "inches": figure.get_figwidth()})
    return found
