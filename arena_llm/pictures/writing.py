"""Files that are there whole or not at all."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from arena import EvaluationError


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """A path beside `path` to write to, which takes its place when the block ends well.

    It has the same suffix; whatever stood at `path` stays until then, and the new file is removed where
    the block fails or is interrupted. The folder is made where it is missing.

    Raises EvaluationError where the folder or the file cannot be written.
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
