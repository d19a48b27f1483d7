"""Functions of plain arrays that become machine code when one of them is first called.

Numba is imported only then: that takes longer than most commands.
"""

from collections import defaultdict
from collections.abc import Callable
from threading import Lock
from typing import Any, ParamSpec, TypeVar, cast

P = ParamSpec("P")
R = TypeVar("R")


class CompiledFunction:
    """A function of the kernel; when one is first called all of them become machine code.

    With `NUMBA_DISABLE_JIT=1` they stay Python, for debuggers and coverage.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.machine: Callable[..., Any] = self._first_call

    def __call__(self, *arguments: Any) -> Any:
        """Call the machine code; with `NUMBA_DISABLE_JIT=1` the function itself."""
        return self.machine(*arguments)

    def _first_call(self, *arguments: Any) -> Any:
        _compile()
        return self.machine(*arguments)


_FUNCTIONS: defaultdict[str, list[CompiledFunction]] = defaultdict(list)
"""All of them, by the names of their modules."""

_WAITING: list[CompiledFunction] = []
"""Functions that are not compiled yet."""

_LOCK = Lock()


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    """A function in machine code: exact double precision, in the written order of operations."""
    made = CompiledFunction(function)
    _FUNCTIONS[function.__module__].append(made)
    _WAITING.append(made)
    return cast(Callable[P, R], made)


def _compile() -> None:
    from arena.kernel.machine_code import machine_codes

    with _LOCK:
        made = machine_codes(_WAITING, _FUNCTIONS)
        for each, machine in zip(_WAITING, made, strict=True):
            each.machine = machine
        for each in _WAITING:
            # Machine code calls machine code.
            names = each.function.__globals__
            names |= {
                name: value.machine for name, value in names.items() if isinstance(value, CompiledFunction)
            }
        _WAITING.clear()
