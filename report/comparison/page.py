"""The report of a comparison: its page with figures, and every table as a file."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from evaluation.report_folder import ReportFolder, write_facts
from evaluation.statistics import MISSING_NOTE, PERSON, counted
from evaluation.suites import DEFAULT
from report import site
from report.comparison.tables import sections
from report.comparison.tasks import TASKS_NOTE
from report.comparison.whole import Comparison
from report.figures import capacities, items, ranking, spread
from report.files import write_figure, write_rates, write_tables
from report.tables import facts_table, group_table, headline_table, scaled_values, scores_table

Draw = Callable[[Comparison, Sequence[str]], Figure | None]

FIGURES: dict[str, tuple[str, str, Draw]] = {
    "spread": ("By level", spread.CAPTION, spread.draw_spread),
    "ranking": ("Among children and teams", ranking.CAPTION, ranking.draw_ranking),
    "items": ("Task by task", items.CAPTION, items.draw_items),
    "capacities": ("By capacity", capacities.CAPTION, capacities.draw_capacities),
}
"""File name, heading and caption of each figure of the arena's runs."""


def write_comparison(compared: Comparison, folder: Path, *, title: str, facts: Mapping[str, str]) -> Path:
    """Write the page, whose path is returned, the figures as PNG, SVG and PDF, and the tables.

    Figures without anything to show are left out. Files of an earlier report in the folder are replaced or
    removed. Raises EvaluationError if the folder refuses.
    """
    # Codes of people may identify them.
    results, name = compared.results.drop(columns=PERSON, errors="ignore"), f"{compared.group}s"
    scaled = {"scaled": compared.scaled.table} if len(compared.scaled.table) else {}
    frames = {"results": results, name: compared.rates.table, **scaled, **compared.tables}
    with ReportFolder(folder) as own:
        site.write_assets(own)
        digests = [run.digests for run in compared.runs]
        bases = {run.agent: run.basis for run in compared.runs}
        write_facts(own, facts, compared.same_layouts, compared.suite, digests, bases)
        write_rates(own, name, compared.rates, results, facts)
        values = {
            "cautions": compared.cautions,
            "figures": [*_write_figures(compared, own)],
            "figure": name,
            "heading": "Comparison groups" if compared.groups else f"By {compared.group}",
            "rates": group_table(compared.rates.table, compared.group.capitalize()),
            "headlines": headline_table(compared.tables["headlines"]),
            "rate_notes": (MISSING_NOTE, *compared.rates.notes),
            "scores": scores_table(results, compared.group.capitalize()),
            "missing": int(counted(results)["missing"].sum()),
            **scaled_values(compared.scaled),
            "sections": sections(compared),
            "tasks_note": TASKS_NOTE if compared.groups else None,
            "rows": results.astype(object).where(results.notna(), None).to_dict("records"),
            "facts": facts_table({"Value": facts}),
            **write_tables(own, frames),
        }
        return own.write("index.html", site.render("comparison.html.j2", title=title, **values))


def _write_figures(compared: Comparison, folder: ReportFolder) -> Iterator[dict[str, Any]]:
    for name, (heading, caption, draw) in FIGURES.items() if compared.suite == DEFAULT else ():
        figure = draw(compared, [caption, *compared.cautions])
        if figure is not None:
            write_figure(folder, name, figure)
            yield {"name": name, "heading": heading, "alt": caption, "inches": figure.get_figwidth()}
