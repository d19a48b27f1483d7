"""Files that are written completely or not at all."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from arena import EvaluationError


@contextmanager
def atomic_file(path: Path) -> Iterator[Path]:
    """A temporary path beside `path` to write to, which replaces `path` when the block succeeds.

    It has the same suffix and is removed if the block fails or is interrupted. Missing folders are created.
    Raises EvaluationError if the folder or the file cannot be written.
    """
    beside = path.with_name(f".{path.stem}.{os.getpid()}.part{path.suffix}")
    try:
        if path.is_dir():
            raise EvaluationError(f"{path}: is a folder, expected the name of a file to write")
        path.parent.mkdir(parents=True, exist_ok=True)
        beside.touch()
        yield beside
        beside.replace(path)
    except OSError as error:
        raise EvaluationError(f"{path}: cannot be written ({error.strerror or error})") from None
    finally:
        if beside.parent.is_dir() and os.access(beside.parent, os.W_OK):
            beside.unlink(missing_ok=True)


def write_file(path: Path, content: bytes | str) -> None:
    """Write a whole file, text as UTF-8; raises as `atomic_file` does."""
    with atomic_file(path) as beside:
        beside.write_bytes(content if isinstance(content, bytes) else content.encode())
