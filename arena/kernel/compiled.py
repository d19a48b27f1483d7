"""Functions of plain arrays, compiled to stored machine code at first call.

Numba is imported only then: that takes longer than most commands. It compiles constants of other modules into
a function, but checks only the function's own file before it uses stored code again, and raises an error if
the disk is full or a file is damaged. Therefore functions are stored here: in folders named by a sum of
everything that was compiled in, and with a checksum in each file. Code that cannot be stored or read is
compiled again.
"""

import inspect
import os
import pickle
import shutil
import sys
import time
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from threading import Lock
from types import CodeType, ModuleType
from typing import Any, ParamSpec, TypeVar, cast

import numpy as np
from platformdirs import user_cache_dir

from arena.errors import EvaluationError
from arena.files import MAX_DATA_BYTES, read_bytes, write_file

P = ParamSpec("P")
R = TypeVar("R")


class CompiledFunction:
    """A function of the kernel, compiled with all others at first call. With `NUMBA_DISABLE_JIT=1` they stay
    Python, for debuggers and coverage."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.machine: Callable[..., Any] = self._first_call

    def __call__(self, *arguments: Any) -> Any:
        """Call the machine code. With `NUMBA_DISABLE_JIT=1` it is the function itself."""
        return self.machine(*arguments)

    def _first_call(self, *arguments: Any) -> Any:
        _compile()
        return self.machine(*arguments)


_FUNCTIONS: defaultdict[str, list[CompiledFunction]] = defaultdict(list)
"""All compiled functions, by the names of their modules."""

_WAITING: list[CompiledFunction] = []
"""Functions that are not compiled yet."""

_LOCK = Lock()


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function: exact double precision, in written order of operations."""
    made = CompiledFunction(function)
    _FUNCTIONS[function.__module__].append(made)
    _WAITING.append(made)
    return cast(Callable[P, R], made)


def _compile() -> None:
    with _LOCK:
        made = dict(zip(_WAITING, machine_codes(_WAITING, _FUNCTIONS) if _WAITING else (), strict=True))
        for each in made:
            # Machine code calls machine code, which another thread may do now: callees come first.
            names = each.function.__globals__
            names |= {
                name: made.get(value) or value.machine
                for name, value in names.items()
                if isinstance(value, CompiledFunction)
            }
        for each, machine in made.items():
            each.machine = machine
        _WAITING.clear()


OPTIONS = {"nogil": True, "error_model": "numpy"}

UNUSED_DAYS = 30
"""Days without use after which a folder is removed. It is usually that of an earlier version."""

_SUM_BYTES = 32


def machine_codes(
    waiting: Sequence[CompiledFunction], functions: Mapping[str, Sequence[CompiledFunction]]
) -> list[Callable[..., Any]]:
    """Return functions' machine code, compiled or read at first call per type. `functions` are all that may
    be called by them, by the names of their modules."""
    import numba

    if numba.config.DISABLE_JIT:
        return [each.function for each in waiting]
    base = Path(os.environ.get("NUMBA_CACHE_DIR") or user_cache_dir("arena-llm", appauthor=False))
    sums, made = Sums(functions), []
    folders = [base / f"kernel-{sums[each.function.__module__]}" for each in waiting]
    if not any(folder.exists() for folder in folders):
        print("Compiling machine code, once (up to 20 s).", file=sys.stderr, flush=True)
    for each, folder in zip(waiting, folders, strict=True):
        machine = numba.njit(**OPTIONS)(each.function)
        # In the place of Numba's own, which is set by `cache=True`.
        machine._cache = StoredCode(each.function, folder)
        made.append(machine)
    _remove_unused(base, {base / f"kernel-{each}" for each in sums.values()})
    return made


class Sums(dict[str, str]):
    """Checksums of each module's compiled code, constants and called functions."""

    def __init__(self, functions: Mapping[str, Sequence[CompiledFunction]]) -> None:
        """Take `functions`, all compiled ones, by the names of their modules."""
        import llvmlite
        import numba

        super().__init__()
        versions = (sys.version_info[:2], np.__version__, numba.__version__, llvmlite.__version__)
        own = inspect.getsource(sys.modules[__name__])
        self._functions, self._start = functions, f"{versions} {numba.config.BOUNDSCHECK} {own}"

    def __missing__(self, module: str) -> str:
        found = sha256(self._start.encode())
        found.update(inspect.getsource(sys.modules[module]).encode())
        for each in self._functions[module]:
            for name, value in frozen(each.function):
                found.update(f"{name} = {self._described(module, name, value)}\n".encode())
        self[module] = found.hexdigest()[:16]
        return self[module]

    def _described(self, module: str, name: str, value: object) -> str:
        """Return a text that differs for values that compile to other code. Raises TypeError for values that
        could change without being noticed."""
        function = value.function if isinstance(value, CompiledFunction) else getattr(value, "py_func", None)
        if function is not None:
            return "its own" if function.__module__ == module else self[function.__module__]
        if isinstance(value, ModuleType) and value.__name__ in ("math", "numpy"):
            return value.__name__
        if isinstance(value, np.ndarray):
            return f"{value.dtype!r} {value.tolist()}"
        if isinstance(value, tuple):
            return str([self._described(module, name, each) for each in value])
        if isinstance(value, int | float | str | np.generic | np.dtype | None):
            return repr(value)
        raise TypeError(
            f"{module}.{name}: got {value!r}, expected a number, text, dtype, tuple or array of these, or "
            "a compiled function; machine code depends on nothing else"
        )


def frozen(function: Callable[..., Any]) -> Iterator[tuple[str, object]]:
    """Yield outside names and values that become part of a function's code."""
    code, outside, cells = function.__code__, function.__globals__, function.__closure__ or ()
    yield from zip(code.co_freevars, (cell.cell_contents for cell in cells), strict=True)
    # Names of attributes are among them; telling these apart takes ten times longer.
    for name in sorted({name for each in _codes(code) for name in each.co_names} & outside.keys()):
        yield name, outside[name]


def _codes(code: CodeType) -> Iterator[CodeType]:
    """Yield the code of a function, and of those inside it."""
    yield code
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _codes(inner)


def _remove_unused(base: Path, used: Iterable[Path]) -> None:
    """Mark folders as used, and remove those unused for `UNUSED_DAYS`. A process that needs one of these at
    the same moment compiles and stores it again."""
    for folder in used:
        with suppress(OSError):
            os.utime(folder)
    with suppress(OSError):
        for folder in base.glob("kernel-" + 16 * "[0-9a-f]"):
            if folder.stat().st_mtime < time.time() - UNUSED_DAYS * 24 * 3600:
                shutil.rmtree(folder, ignore_errors=True)


class StoredCode:
    """Stored machine code of a function, one file per signature and processor.

    It has the methods that Numba's dispatchers call on a cache. No file makes them fail: a damaged one is
    replaced, and without room on the disk no code is stored. Each is reported once in a process.
    """

    def __init__(self, function: Callable[..., Any], folder: Path) -> None:
        self._name, self._folder = function.__name__, folder
        self.cache_path = str(folder)

    def load_overload(self, signature: Any, target: Any) -> Any:
        """Return a signature's stored code; None if it is missing or damaged."""
        from llvmlite.binding import parse_assembly, parse_bitcode
        from numba.core.compiler import CompileResult
        from numba.core.runtime import rtsys

        path = self._path(signature, target.codegen())
        try:
            stored = read_bytes(path, MAX_DATA_BYTES)
        except FileNotFoundError:
            return None
        except OSError as error:
            _tell(f"{path}: cannot be read ({error.strerror or error})", _AGAIN)
            return None
        code = stored[_SUM_BYTES:]
        if sha256(code).digest() != stored[:_SUM_BYTES]:
            _tell(f"{path}: damaged", "it is compiled and stored again")
            return None
        # Numba would import all that it compiles with, SciPy too; stored code only needs this.
        rtsys.initialize(target)
        (name, kind, (machine, linked)), described, *parts = pickle.loads(code)
        # Data for linking takes long to read, and is read when other code is compiled.
        wrapper = f'define void @"{described.llvm_cpython_wrapper_name}"() {{ ret void }}'
        library = name, kind, (machine, parse_assembly(wrapper).as_bitcode())
        made = CompileResult._rebuild(target, library, described, *parts)
        made.library._get_module_for_linking = lambda: parse_bitcode(linked)
        return made

    def save_overload(self, signature: Any, made: Any) -> None:
        """Store the code compiled for a signature, if there is room."""
        from numba.core.serialize import dumps

        *parts, environments = made._reduce()
        # One without constants is never used, and reading it would import its module.
        code = dumps((*parts, tuple(each for each in environments if each.consts)))
        try:
            write_file(self._path(signature, made.codegen), sha256(code).digest() + code)
        except EvaluationError as error:
            _tell(str(error), _AGAIN)

    def _path(self, signature: Any, codegen: Any) -> Path:
        key = sha256(repr((signature, codegen.magic_tuple())).encode()).hexdigest()
        return self._folder / f"{self._name}-{key[:16]}.bin"


_AGAIN = (
    "every process compiles the physics again, in about ten seconds; make room there, or set NUMBA_CACHE_DIR "
    "to a folder that can be written"
)


_TOLD: set[str] = set()


def _tell(problem: str, advice: str) -> None:
    """Warn of a problem, once per kind and process."""
    if advice not in _TOLD:
        _TOLD.add(advice)
        # No line of the program that calls has caused it.
        warnings.warn_explicit(f"machine code: {problem}; {advice}", RuntimeWarning, "arena-llm", 0)
