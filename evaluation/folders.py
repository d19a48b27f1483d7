"""Folders that a run writes to."""

import os
import tempfile
from pathlib import Path

from arena.errors import EvaluationError


def check_writable(folder: Path, option: str = "--log-dir") -> None:
    """Raise EvaluationError where the folder of an option cannot be made or written."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        reason = error.strerror or os.strerror(error.errno or 0)
        raise EvaluationError(
            f"{folder}: cannot write there ({reason}); choose another with {option}"
        ) from None
