"""Packages that may not be there: those of optional extras, and our own if files of the user hide them."""

import csv
import sys
import warnings
from functools import cache
from importlib import import_module
from importlib.machinery import ModuleSpec
from importlib.metadata import EntryPoint, distributions, version
from importlib.resources import files
from importlib.util import find_spec
from multiprocessing import parent_process
from pathlib import Path
from typing import Any

from arena.errors import ConfigError, ShadowedError

OURS = (
    *("arena", "render", "testbed", "evaluation", "llm_control", "suites"),
    *("human_data", "people", "report", "arena_llm"),
)
"""The packages of arena-llm: everyday words, which files beside a script often have as names too."""

TRAINING = ("render", "testbed")
"""Those that an environment or its curriculum needs."""

_HOME = Path(__file__).absolute().parents[1]

EXTRAS = {
    "eval": (
        *("inspect_ai", "anyio", "filelock", "tenacity", "openai", "anthropic", "google"),
        *("pandas", "scipy", "matplotlib"),
    ),
    "people": (
        *("fastapi", "uvicorn", "websockets", "sqlalchemy", "psycopg", "markdown_it", "httpx"),
        "psutil",
    ),
    "mcp": ("mcp",),
    "openenv": ("openenv",),
    "minari": ("minari", "h5py"),
    "scienceworld": ("scienceworld", "py4j"),
    "discoveryworld": ("discoveryworld", "pygame"),
    "pymc": ("pymc",),
    "train": ("trl", "datasets", "transformers", "accelerate", "torch"),
    "rl": ("stable_baselines3", "sb3_contrib", "torch", "pygame"),
}
"""What extras install, by the names under which it is imported."""


def require(extra: str, *modules: str) -> None:
    """Raise ConfigError with the command to run if a module of an extra is missing (default: any of them)."""
    missing = [name for name in modules or EXTRAS[extra] if find_spec(name) is None]
    if missing:
        raise ConfigError(_sentence(", ".join(missing), extra))


@cache
def rows_of(package: str, file: str) -> tuple[dict[str, str], ...]:
    """The rows of a table of comma-separated values in a package, by the names in its first line."""
    text = files(package).joinpath(file).read_text(encoding="utf-8")
    return tuple(csv.DictReader(text.splitlines()))


@cache
def data_of(package: str, file: str) -> Any:
    """What a YAML file of a package says; the same object each time, which nobody changes."""
    import yaml

    # In C it takes a seventh of the time.
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return yaml.load(files(package).joinpath(file).read_text(encoding="utf-8"), loader)


def installed(*names: str) -> dict[str, str]:
    """The versions of those of some distributions that are installed."""
    return {name: version(name) for name in names if any(distributions(name=name))}


def missing_package(error: ModuleNotFoundError) -> str | None:
    """What to do about a missing module if an extra installs it; None for any other module."""
    root = (error.name or "").partition(".")[0]
    return next((_sentence(root, extra) for extra, names in EXTRAS.items() if root in names), None)


def _sentence(missing: str, extra: str) -> str:
    return f"{missing} not found; run: pip install 'arena-llm[{extra}]'"


def hidden(*packages: str) -> str | None:
    """A sentence if something else is imported in the place of one of our packages (default: any of them)."""
    for package in packages or OURS:
        if (path := _other(package)) is not None:
            return (
                f"{path} shadows the package {package!r} of arena-llm: Python imports it instead; rename it"
            )
    return None


def warn_if_hidden() -> None:
    """Warn if something else is imported in the place of a package that training needs.

    Workers and the server that forks them do not repeat it, and the command line refuses to run.
    """
    worker = parent_process() is not None or any("multiprocessing.forkserver" in x for x in sys.orig_argv)
    if not worker and "arena_llm" not in sys.modules and (sentence := hidden(*TRAINING)):
        warnings.warn(sentence, stacklevel=3)


def load(point: EntryPoint) -> Any:
    """What an entry point names. Raises ShadowedError as `check_importable` does."""
    check_importable(point)
    return point.load()


def check_importable(point: EntryPoint) -> None:
    """Raise ShadowedError if an entry point is in one of our packages, and a file of the user hides that."""
    package = point.module.partition(".")[0]
    if package in OURS and (sentence := hidden(package)):
        raise ShadowedError(sentence)


@cache
def beside(kind: type, base: type, module: str, name: str) -> Any:
    """An object of a module in the folder of a class, or else of the class's own file.

    Classes between `kind` and `base` are looked through in turn; None if none has it.
    """
    for each in kind.__mro__[: kind.__mro__.index(base)]:
        for where in (f"{each.__module__.rpartition('.')[0]}.{module}", each.__module__):
            known = where in sys.modules or (not where.startswith(".") and find_spec(where) is not None)
            if known and (found := getattr(import_module(where), name, None)) is not None:
                return found
    return None


def folder_of(kind: type) -> Path:
    """The folder of a class."""
    return Path(str(sys.modules[kind.__module__].__file__)).parent


def _other(package: str) -> Path | None:
    """What is imported in the place of one of our packages; None if it is ours or cannot be found."""
    ours = _HOME / package / "__init__.py"
    origin = _origin(package)
    if origin is None or not ours.is_file() or Path(origin).resolve() == ours.resolve():
        return None
    found = Path(origin)
    return found.parent if found.name == "__init__.py" else found


def _origin(package: str) -> str | None:
    if package in sys.modules:
        return getattr(sys.modules[package], "__file__", None)
    spec: ModuleSpec | None = find_spec(package)
    return spec.origin if spec is not None else None
