"""Compiles functions of plain arrays with Numba and keeps the machine code for the next process.

Numba checks only the file of a function when it looks for its machine code, not those of the functions that
it calls. The folder of ours therefore has the sum of all files of the kernel in its name.
"""

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import ParamSpec, TypeVar

import numba
from platformdirs import user_cache_dir

P = ParamSpec("P")
R = TypeVar("R")


def _folder() -> Path | None:
    """Where machine code is kept: below `NUMBA_CACHE_DIR` or the user's cache; None if nothing can be."""
    digest = hashlib.sha256()
    for source in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(source.read_bytes())
    base = os.environ.get("NUMBA_CACHE_DIR") or user_cache_dir("arena-llm", appauthor=False)
    folder = Path(base) / f"kernel-{digest.hexdigest()[:16]}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return None
    return folder if os.access(folder, os.W_OK) else None


_FOLDER = _folder()


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    """A function in machine code: exact double precision, in the written order of operations."""
    given = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(_FOLDER or "")
    try:
        made: Callable[P, R] = numba.njit(cache=_FOLDER is not None, nogil=True, error_model="numpy")(
            function
        )
    finally:
        numba.config.CACHE_DIR = given
    return made
