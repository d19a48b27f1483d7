"""The folder of a comparison: the report's page with its figures, and every table as CSV."""

import base64
from collections.abc import Callable, Mapping, Sequence
from html import escape
from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure

from arena.errors import EvaluationError
from report.comparison.whole import Comparison
from report.comparison_pages import (
    capacities_figure,
    items_figure,
    levels_figure,
    ranking_figure,
)
from report.comparison_pages.sections import table_sections
from report.figure import save
from report.summary import ReportFiles, write_report

Draw = Callable[[Comparison, Sequence[str]], Figure | None]

FIGURES: dict[str, tuple[str, str, Draw]] = {
    "spread": ("By level", levels_figure.CAPTION, levels_figure.draw_spread),
    "ranking": ("Among children and teams", ranking_figure.CAPTION, ranking_figure.draw_ranking),
    "items": ("Task by task", items_figure.CAPTION, items_figure.draw_items),
    "capacities": ("By capacity", capacities_figure.CAPTION, capacities_figure.draw_capacities),
}
"""File name, heading and caption of each figure."""

ENDINGS = (".png", ".svg", ".pdf")


def write_comparison(
    compared: Comparison, folder: Path, *, title: str, facts: Mapping[str, str]
) -> ReportFiles:
    """Write the page, the figures as PNG, SVG and PDF, and the tables as CSV; replaces those of before.

    Figures without anything to show are left out. Raises EvaluationError where the folder refuses.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        figures = "".join(_figure(compared, folder, name) for name in FIGURES)
        for name, table in tables(compared).items():
            table.to_csv(folder / f"{name}.csv", index=False, float_format="%.4f")
    except OSError as error:
        raise EvaluationError(
            f"{folder}: the comparison cannot be written ({error.strerror or error})"
        ) from None
    return write_report(
        compared.results,
        folder,
        title=title,
        facts=facts,
        same_layouts=compared.same_layouts,
        others={group.source for group in compared.groups},
        before=_cautions(compared) + figures,
        sections=table_sections(compared),
    )


def tables(compared: Comparison) -> dict[str, pd.DataFrame]:
    """The tables that are written beside the page, by their names."""
    return {
        "differences": compared.differences,
        "tasks": compared.tasks,
        "ranks": compared.ranks,
        "outperformed": compared.outperformed,
        "capacities": compared.capacities,
        "correlations": compared.correlations,
        "comparisons": compared.pairs,
    }


def _figure(compared: Comparison, folder: Path, name: str) -> str:
    """Draw one figure into the folder; returns its part of the page."""
    heading, caption, draw = FIGURES[name]
    figure = draw(compared, [caption, *compared.cautions])
    for ending in ENDINGS:
        path = folder / f"{name}{ending}"
        if figure is None:
            path.unlink(missing_ok=True)
        else:
            save(figure, path)
    if figure is None:
        return ""
    data = base64.b64encode((folder / f"{name}.png").read_bytes()).decode()
    wide = 9 * figure.get_figwidth()
    return (
        f'<h2>{escape(heading)}</h2><figure><img alt="{escape(caption)}" style="width: {wide:g}rem" '
        f'src="data:image/png;base64,{data}"></figure>\n'
    )


def _cautions(compared: Comparison) -> str:
    items = "".join(f"<li>{escape(text)}</li>" for text in compared.cautions)
    return f'<ul class="missing">{items}</ul>' if items else ""
