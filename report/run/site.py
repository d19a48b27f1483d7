"""HTML from the templates."""

from functools import cache
from importlib.metadata import version
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

ASSETS = {"assets/report.css": "report.css", "assets/tables.js": "tables.js"}
"""Files of every report by their place in it, and where they are among the templates."""


def render(template: str, *, depth: int = 0, **values: Any) -> str:
    """A page; `depth` is the number of folders above it in the report. Everything but drawings is escaped."""
    drawn = {key: _markup(value) for key, value in values.items()}
    return _environment().get_template(template).render(depth=depth, made_with=version("arena-llm"), **drawn)


def asset(name: str) -> bytes:
    """The bytes of one of `ASSETS`."""
    return (files(__package__) / "templates" / ASSETS[name]).read_bytes()


def _markup(value: Any) -> Any:
    return Markup(value) if isinstance(value, str) and value.startswith("<svg ") else value


@cache
def _environment() -> Environment:
    return Environment(
        loader=PackageLoader(__package__),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
