"""The pages of a study as HTML; whatever comes from people or files is escaped."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markdown_it import MarkdownIt
from markupsafe import Markup
from starlette.responses import HTMLResponse

from human_data.people.study.config import Study

FOLDER = Path(__file__).parent / "page"
STATIC = {"study.css": "text/css", "study.js": "text/javascript", "experimenter.js": "text/javascript"}
"""Files of the pages, and what they are."""


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["markdown"] = markdown
    return environment


def markdown(text: str) -> Markup:
    """Markdown as HTML. HTML in the text is shown and not obeyed, and links lead to web and mail only."""
    return Markup(MarkdownIt("commonmark", {"html": False}).render(text))


def page(name: str, study: Study, status: int = 200, **values: Any) -> HTMLResponse:
    """A page of a study: one of the templates, filled in."""
    filled = _environment().get_template(f"{name}.html.j2").render(study=study, words=study.words, **values)
    response = HTMLResponse(filled, status)
    # Without a referrer a browser hides where a form comes from, and we could not tell ours from others'.
    response.headers["referrer-policy"] = "same-origin"
    return response


def message(study: Study, title: str, text: str, status: int = 200, **values: Any) -> HTMLResponse:
    """A page with a title and a text only, and perhaps a `button` that leads to `target`."""
    values = {"button": "", "target": "/", "post": False, **values}
    return page("message", study, status, title=title, text=text, **values)


def filled(text: str, values: Mapping[str, str]) -> str:
    """A text with `{name}` replaced by values."""
    for name, value in values.items():
        text = text.replace(f"{{{name}}}", value)
    return text
