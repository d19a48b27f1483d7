"""Compiles functions of plain arrays with Numba and keeps the machine code for the next process.

Numba checks only the file of a function when it looks for its machine code, not those of the functions that
it calls. The folder of ours therefore has the sum of all files of the kernel in its name.
"""

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, cast

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


class _Compiled:
    """A function of the kernel; when one is first called all of them become machine code.

    Until then Numba is not imported, which takes longer than most commands.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.machine: Callable[..., Any] = self._first_call

    def __call__(self, *arguments: Any) -> Any:
        return self.machine(*arguments)

    def _first_call(self, *arguments: Any) -> Any:
        _compile()
        return self.machine(*arguments)


_WAITING: list[_Compiled] = []
"""Functions that are not compiled yet."""


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    """A function in machine code: exact double precision, in the written order of operations."""
    made = _Compiled(function)
    _WAITING.append(made)
    return cast(Callable[P, R], made)


def _compile() -> None:
    import numba

    folder, given = _folder(), numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(folder or "")
    try:
        machine = numba.njit(cache=folder is not None, nogil=True, error_model="numpy")
        for each in _WAITING:
            each.machine = machine(each.function)
    finally:
        numba.config.CACHE_DIR = given
    for each in _WAITING:
        # Machine code calls machine code.
        names = each.function.__globals__
        names |= {name: value.machine for name, value in names.items() if isinstance(value, _Compiled)}
    _WAITING.clear()
