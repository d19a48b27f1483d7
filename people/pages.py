"""Pages of people as HTML; everything from participants or files is escaped."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache, partial
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from fastapi import APIRouter
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, Response

from evaluation.by_hand.form import Question
from people.study.config import Study
from people.texts import Texts

FOLDER = Path(__file__).parent
SHARED, GAME, STUDY = FOLDER / "page", FOLDER / "play" / "page", FOLDER / "study" / "page"
SHARED_FILES = ("fields.css", "fields.js", "completions.js")
GAME_FILES = (
    *("play.html", "play.css", "game.css", "play.js", "play_stage.js", "play_wire.js", "play_words.js"),
    "speech.js",
)
SUITE_FILES = ("suite.html", "suite.js", "suite.css", "play.css", "play_words.js", "speech.js")
STUDY_FILES = ("study.css", "study.js", "questions.js", "survey.js", "experimenter.js")


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader([STUDY, SHARED]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.filters["markdown"] = markdown
    environment.filters["file_url"] = file_url
    return environment


@cache
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False})


def file_url(name: str) -> str:
    """Return the address of a file that a study names. The name itself is not part of it."""
    return f"/media/{hashlib.sha256(name.encode()).hexdigest()[:24]}{Path(name).suffix.lower()}"


def pictures(text: str) -> Iterator[str]:
    """Return the picture file names in a Markdown text."""
    yield from (name for _, name in _pictures(_parser().parse(text)))


def _pictures(tokens: Iterable[Token]) -> Iterator[tuple[Token, str]]:
    for child in (child for token in tokens for child in token.children or ()):
        name = unquote(str(child.attrGet("src")))
        # Others contain their data.
        if child.type == "image" and not name.startswith("data:"):
            yield child, name


@lru_cache(maxsize=1000)
def markdown(text: str) -> Markup:
    """Markdown as HTML. HTML in the text is escaped, links lead to web and mail addresses only."""
    parser = _parser()
    tokens = parser.parse(text)
    for picture, name in _pictures(tokens):
        picture.attrSet("src", file_url(name))
    return Markup(parser.renderer.render(tokens, parser.options, {}))


def fields_html(questions: Iterable[Question], answers: Mapping[str, str], words: Texts) -> str:
    """Return questions as fields of a form with these answers. Optional ones are not marked."""
    fields: Any = _environment().get_template("fields.html.j2").module
    return str(fields.fields(questions, words.model_copy(update={"optional": ""}), answers, {}))


def page(name: str, study: Study, status: int = 200, **values: Any) -> HTMLResponse:
    """Return a page of a study: one of the templates, filled in."""
    html = _environment().get_template(f"{name}.html.j2").render(study=study, words=study.words, **values)
    response = HTMLResponse(html, status)
    # With no-referrer browsers hide the origin of forms, and we could not tell ours from those of others.
    response.headers["referrer-policy"] = "same-origin"
    return response


def message(
    study: Study, title: str, text: str, status: int = 200, *,
    button: str = "", first_page: str = "/", target: str = "",
) -> HTMLResponse:  # fmt: skip
    """Return a page with a title and a text. Optionally a `button` leads to the first page. `target` is a
    link that leads out of the study, "" for none."""
    values = {"title": title, "text": text, "button": button, "first_page": first_page, "target": target}
    return page("message", study, status, **values)


def said(study: Study, name: str, status: int = 200, **options: str) -> HTMLResponse:
    """Return the `message` of a text of the study. Its title is that of the text or of the study."""
    title_of = "ended" if name in ("screened", "device", "failed") else name
    title = getattr(study.words, f"{title_of}_title", study.title)
    return message(study, title, getattr(study.words, name), status, **options)


def file_router(folder: Path, *names: str) -> APIRouter:
    """Routes to files of a folder. The address of an HTML page is without its ending."""
    router = APIRouter()
    for name in names:
        address = "/" + name.removesuffix(".html")
        router.add_route(address, partial(_send, folder / name))
    return router


async def _send(path: Path, _: Request) -> Response:
    return FileResponse(path)
