"""Pages, and parts of pages, from the templates."""

from functools import cache
from importlib.metadata import version
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from evaluation.report_folder import ReportFolder

ASSETS = ("report.css", "tables.js")
"""Files of every report, in its folder `assets`."""


def write_assets(folder: ReportFolder) -> None:
    """Write what all pages of a report link to."""
    for name in ASSETS:
        folder.write(f"assets/{name}", (files(__package__) / "templates" / name).read_bytes())


def render(template: str, *, depth: int = 0, **values: Any) -> str:
    """A page; `depth` is the number of folders above it in the report. Everything but `Markup` is escaped."""
    return _environment().get_template(template).render(depth=depth, **values)


def part(template: str, **values: Any) -> Markup:
    """A part of a page, as `render` makes a whole one."""
    return Markup(render(template, **values))


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader(__package__),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals["made_with"] = version("arena-llm")
    return environment
