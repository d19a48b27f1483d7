"""NAME=FILE, as commands take it that put several runs together."""

from pathlib import Path


def named_file(text: str) -> tuple[str | None, Path]:
    """NAME=FILE; a file whose own path has an equals sign is taken as it is."""
    name, equals, path = text.partition("=")
    return (name, Path(path)) if equals and name and not Path(text).exists() else (None, Path(text))
