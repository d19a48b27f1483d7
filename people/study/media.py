"""Pictures and sounds beside a study's file: which it names, and the addresses at which they are served."""

import hashlib
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from urllib.parse import unquote

from markdown_it import MarkdownIt
from pydantic import BaseModel

from arena.errors import ConfigError
from arena.files import read_bytes
from people.study.config import Study

PICTURES = {
    ".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif",
    ".webp": "image/webp",
}  # fmt: skip
SOUNDS = {
    ".mp3": "audio/mpeg", ".m4a": "audio/mp4", ".ogg": "audio/ogg", ".oga": "audio/ogg",
    ".opus": "audio/ogg", ".wav": "audio/wav", ".flac": "audio/flac",
}  # fmt: skip
TYPES = PICTURES | SOUNDS
"""Media types by the ending of a file's name."""

MAX_BYTES = 50 * 2**20
"""Of a file; a sound of an hour has as many."""

MARKDOWN = frozenset(("text", "contact", "break_text"))
"""Keys whose texts are Markdown."""

Loc = tuple[str | int, ...]


def file_url(name: str) -> str:
    """The address of a file that the study names; the name itself is not part of it."""
    return f"/media/{hashlib.sha256(name.encode()).hexdigest()[:24]}{Path(name).suffix.lower()}"


@cache
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False})


def html_of(text: str) -> str:
    """Markdown as HTML. HTML in the text is escaped, links lead to web and mail addresses only."""
    parser = _parser()
    tokens = parser.parse(text)
    for token in tokens:
        for child in token.children or ():
            if child.type == "image" and (name := _file_of(str(child.attrGet("src")))):
                child.attrSet("src", file_url(name))
    return str(parser.renderer.render(tokens, parser.options, {}))


def media_files(study: Study, folder: Path, where: Callable[..., str]) -> dict[str, Path]:
    """The pictures and sounds that a study names, relative to its folder.

    Raises ConfigError, with the place of the key (`where`), if one is missing or of another kind.
    """
    files = {}
    for loc, name, types in _named(study, ()):
        path = folder / name
        if problem := _problem(name, path, folder, types):
            raise ConfigError(f"{where(*loc)}: {name}: {problem}")
        files[name] = path
    return files


def digest(path: Path) -> str:
    """The SHA-256 of a file, of none if it has vanished."""
    try:
        return hashlib.sha256(read_bytes(path, MAX_BYTES)).hexdigest()
    except OSError:
        return ""


def _problem(name: str, path: Path, folder: Path, types: dict[str, str]) -> str | None:
    if "://" in name or not path.resolve().is_relative_to(folder.resolve()):
        return f"expected the name of a file beside the study's, such as a{next(iter(types))}"
    if path.suffix.lower() not in types:
        return f"expected a file that ends in {', '.join(types)}"
    try:
        read_bytes(path, MAX_BYTES)
    except (OSError, ValueError) as error:
        return f"cannot be read ({getattr(error, 'strerror', None) or error})"
    return None


def _named(part: BaseModel, loc: Loc) -> Iterator[tuple[Loc, str, dict[str, str]]]:
    """The files that a part of the study names: the place, the name, and the types that it may have."""
    for name, field in type(part).model_fields.items():
        value, here = getattr(part, name), (*loc, field.alias or name)
        if isinstance(value, BaseModel):
            yield from _named(value, here)
        elif isinstance(value, tuple):
            for number, each in enumerate(value):
                if isinstance(each, BaseModel):
                    yield from _named(each, (*here, number))
        elif name == "sound" and value:
            yield here, value, SOUNDS
        elif name in MARKDOWN and "![" in value:
            yield from ((here, picture, PICTURES) for picture in _pictures(value))


def _pictures(text: str) -> Iterator[str]:
    for token in _parser().parse(text):
        for child in token.children or ():
            if child.type == "image" and (name := _file_of(str(child.attrGet("src")))):
                yield name


def _file_of(source: str) -> str:
    """The name of the file that a picture in Markdown has as its source, "" if it contains its data."""
    return "" if source.startswith("data:") else unquote(source)
