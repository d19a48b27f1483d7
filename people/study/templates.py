"""The pages of a study as HTML; everything from participants or files is escaped."""

from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from starlette.responses import HTMLResponse

from people.study.config import Study
from people.study.load import file_url, html_of

FOLDER = Path(__file__).parent / "page"
FILES = ("study.css", "study.js", "questions.js", "experimenter.js")


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.filters["markdown"] = markdown
    environment.filters["file_url"] = file_url
    return environment


@lru_cache(maxsize=1000)
def markdown(text: str) -> Markup:
    """Markdown as HTML, as of `html_of`."""
    return Markup(html_of(text))


def page(name: str, study: Study, status: int = 200, **values: Any) -> HTMLResponse:
    """A page of a study: one of the templates, filled in."""
    html = _environment().get_template(f"{name}.html.j2").render(study=study, words=study.words, **values)
    response = HTMLResponse(html, status)
    # With no-referrer browsers hide the origin of forms, and we could not tell ours from those of others.
    response.headers["referrer-policy"] = "same-origin"
    return response


def message(
    study: Study, title: str, text: str, status: int = 200, *,
    button: str = "", first_page: str = "/", target: str = "",
) -> HTMLResponse:  # fmt: skip
    """A page with only a title and a text, and optionally a `button` that leads to the first page.

    `target` is a link that leads out of the study, "" for none.
    """
    values = {"title": title, "text": text, "button": button, "first_page": first_page, "target": target}
    return page("message", study, status, **values)
