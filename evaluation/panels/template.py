"""Panels from macros in a suite's own template."""

from functools import cache
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined


def panel(package: str, name: str, **values: Any) -> str:
    """HTML of the macro `name` in `templates/findings.html.j2` of a package, called with the values.

    The template may import what stands in `templates/` beside this module. Values are escaped.
    """
    module: Any = _environment(package).get_template("findings.html.j2").module
    return str(getattr(module, name)(**values))


@cache
def _environment(package: str) -> Environment:
    loaders = PackageLoader(package), PackageLoader(__package__)
    return Environment(
        loader=ChoiceLoader(loaders), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
