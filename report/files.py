"""The files of a report: pages from templates, tables, figures, and the facts of the runs."""

import io
import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any

import pandas as pd
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from matplotlib.figure import Figure

from arena.files import read_text
from arena.packages import data_of
from evaluation.report_folder import ReportFolder
from evaluation.results import has_parquet
from evaluation.statistics import counted
from evaluation.summary import CARDS_FILE, RunCard
from report.figures.groups import draw_groups
from report.figures.look import ENDINGS, MISSING, save
from report.tables import GroupRates, count


def write_assets(folder: ReportFolder) -> None:
    """Write what all pages of a report link to."""
    for name in ("report.css", "tables.js"):
        folder.write(f"assets/{name}", (files(__package__) / "templates" / name).read_bytes())


def render(template: str, *, depth: int = 0, **values: Any) -> str:
    """A page; `depth` is the number of folders above it in the report. Everything but `Markup` is escaped."""
    return _environment().get_template(template).render(depth=depth, **values)


def part(template: str, **values: Any) -> Markup:
    """A part of a page, as `render` makes a whole one."""
    return Markup(render(template, **values))


def prose(template: str, **values: Any) -> str:
    """A paragraph of plain text, in which line breaks of the template are spaces."""
    return " ".join(render(template, **values).split())


def note(name: str, **values: Any) -> str:
    """A text of `notes.yaml`, with what its words in braces stand for."""
    return str(data_of(__package__, "notes.yaml")[name]).format(**values)


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader(__package__),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    columns = data_of(__package__, "headings.yaml")
    environment.globals |= {
        "made_with": version("arena-llm"),
        "count": count,
        "explained": lambda heading: columns.get(heading, columns["(agent)"]),
    }
    return environment


def write_tables(folder: ReportFolder, tables: Mapping[str, pd.DataFrame]) -> dict[str, Any]:
    """Write each table as CSV and, if pyarrow is installed, as Parquet; returns what the page lists."""
    endings = ("csv", "parquet") if has_parquet() else ("csv",)
    for name, frame in tables.items():
        folder.write(f"{name}.csv", frame.to_csv(index=False))
        if "parquet" in endings:
            buffer = io.BytesIO()
            frame.to_parquet(buffer, engine="pyarrow", index=False)
            folder.write(f"{name}.parquet", buffer.getvalue())
    return {"files": list(tables), "endings": endings}


def write_cards(folder: ReportFolder, cards: Sequence[RunCard]) -> None:
    """Write the card of each run."""
    plain = [card.model_dump(mode="json") for card in cards]
    folder.write(CARDS_FILE, json.dumps(plain, indent=1, ensure_ascii=False) + "\n")


def read_cards(folder: Path) -> list[RunCard]:
    """The card of each run of a report that was written just before."""
    return [RunCard.model_validate(each) for each in json.loads(read_text(folder / CARDS_FILE))]


def write_rates(
    folder: ReportFolder, name: str, rates: GroupRates, results: pd.DataFrame, facts: Mapping[str, str]
) -> None:
    """Draw and write the figure of rates by group, with counts and provenance in its small print."""
    notes = [*rates.small_print, *figure_notes(results, facts)]
    write_figure(folder, name, draw_groups(rates.table, notes, rates.alone))


def figure_notes(results: pd.DataFrame, facts: Mapping[str, str]) -> list[str]:
    """Note the figure's trials, missing trials, and their source."""
    trials = counted(results)
    missing, unmarked = int(trials["missing"].sum()), len(results) - len(trials)
    counts = f"Runs: {len(trials)} planned trials of {trials['task_id'].nunique()} tasks."
    if missing:
        counts += f" * {missing} of them are without a verdict. {MISSING}"
    left_out = f" {unmarked} trials of tasks without a criterion are left out." if unmarked else ""
    origins = ("arena-llm", "physics", "options", "log", "runs")
    origin = "; ".join(f"{key}: {facts[key]}" for key in origins if key in facts)
    return [counts + left_out, *([origin] if origin else [])]


def write_figure(folder: ReportFolder, name: str, figure: Figure) -> None:
    """Write a figure in all formats. Raises EvaluationError if it cannot be written."""
    for ending in ENDINGS:
        save(figure, folder.claim(f"{name}.{ending}"))
