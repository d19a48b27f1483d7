"""Packages of optional extras, and own packages that user's files may hide."""

import csv
import hashlib
import sys
import warnings
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, distributions, packages_distributions, version
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
"""Packages of arena-llm. They are everyday words, which files next to a script often have as names too."""

TRAINING = ("render", "testbed")
"""Packages that an environment or its curriculum needs."""

_HOME = Path(__file__).absolute().parents[1]

_REINSTALL = "pip install --force-reinstall --no-deps arena-llm"

EXTRAS = {
    "eval": (
        *("inspect_ai", "anyio", "filelock", "tenacity", "openai", "anthropic"),
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
"""Import names of the packages that each extra installs."""


def require(extra: str, *modules: str) -> None:
    """Raise ConfigError if a module (default: any) of an extra is missing. It has the install command."""
    missing = [name for name in modules or EXTRAS[extra] if find_spec(name) is None]
    if missing:
        raise ConfigError(_sentence(", ".join(missing), extra))


@cache
def rows_of(package: str, file: str) -> tuple[dict[str, str], ...]:
    """Return the rows of a package's CSV table, by column name."""
    return tuple(csv.DictReader(files(package).joinpath(file).read_text(encoding="utf-8").splitlines()))


@cache
def data_of(package: str, file: str) -> Any:
    """Return the content of a package's YAML file. Always the same object, which must not be changed."""
    import yaml

    # In C it takes a seventh of the time.
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return yaml.load(files(package).joinpath(file).read_text(encoding="utf-8"), loader)


def installed(*names: str) -> dict[str, str]:
    """Return the versions of those of some distributions that are installed."""
    return {name: version(name) for name in names if any(distributions(name=name))}


def missing_package(error: ModuleNotFoundError) -> str | None:
    """Return the install command for an extra's missing module, else None."""
    root = (error.name or "").partition(".")[0]
    return next((_sentence(root, extra) for extra, names in EXTRAS.items() if root in names), None)


def _sentence(missing: str, extra: str) -> str:
    return f"{missing} not found; run: pip install 'arena-llm[{extra}]'"


def hidden(*packages: str) -> str | None:
    """Return a sentence if one of our packages is not imported, or not whole. Default: any of ours."""
    for package in packages or OURS:
        if (path := _other(package)) is not None:
            owner = _owner(path)
            shown = path.parent if path.name == "__init__.py" else path
            who = f"{shown} of the distribution {owner}" if owner else str(shown)
            remedy = f"run: pip uninstall {owner.split()[0]}" if owner else "rename it"
            return f"{who} shadows the package {package!r} of arena-llm: Python imports it instead; {remedy}"
        for name in changed(f"{package}/__init__.py"):
            path = _HOME / name
            if owner := _owner(path):
                remedy = f"pip uninstall --yes {owner.split()[0]}; {_REINSTALL}"
                return f"{path} of arena-llm was replaced by the distribution {owner}; run: {remedy}"
            if not path.is_file():
                because = f"a distribution with a package {package!r} was uninstalled"
                return f"{path} of arena-llm is missing, as when {because}; run: {_REINSTALL}"
    return None


def changed(*names: str) -> Iterator[str]:
    """Yield installed files of ours that are missing or have other bytes. Default: all are checked."""
    for name in names or _record():
        kept, path = _record().get(name), _HOME / name
        if kept and name.partition("/")[0] in OURS:
            found = hashlib.sha256(path.read_bytes()).digest() if path.is_file() else b""
            if urlsafe_b64encode(found).decode().rstrip("=") != kept:
                yield name


@cache
def _record() -> dict[str, str]:
    """Return the SHA-256 of each installed file. Empty in clones and editable installations."""
    found = next(_HOME.glob("arena_llm-*.dist-info/RECORD"), None)
    rows = csv.reader(found.read_text(encoding="utf-8").splitlines()) if found else ()
    return {name: sha256.removeprefix("sha256=") for name, sha256, _ in rows}


def _owner(path: Path) -> str | None:
    """Return name and version of the other distribution that installed a file."""
    for each in distributions():
        folder = Path(str(each.locate_file(""))).resolve()
        if each.name != "arena-llm" and path.resolve().is_relative_to(folder):
            line = f"{path.resolve().relative_to(folder).as_posix()},"
            if any(row.startswith(line) for row in (each.read_text("RECORD") or "").splitlines()):
                return f"{each.name} {each.version}"
    return None


def shared() -> dict[str, list[str]]:
    """Return other distributions with packages of our names, by package."""
    every = packages_distributions()
    return {name: others for name in OURS if (others := sorted({*every.get(name, ())} - {"arena-llm"}))}


def warn_if_hidden() -> None:
    """Warn if another package hides one that training needs. Workers and the server that forks them do not
    repeat it, and the command line refuses to run."""
    worker = parent_process() is not None or any("multiprocessing.forkserver" in x for x in sys.orig_argv)
    if not worker and "arena_llm" not in sys.modules and (sentence := hidden(*TRAINING)):
        warnings.warn(sentence, stacklevel=3)


def load(point: EntryPoint) -> Any:
    """Load the target of an entry point. Raises ShadowedError as `check_importable` does."""
    check_importable(point)
    return point.load()


def check_importable(point: EntryPoint) -> None:
    """Raise ShadowedError if a user's file hides an entry point's package. Only our packages are checked."""
    package = point.module.partition(".")[0]
    if package in OURS and (sentence := hidden(package)):
        raise ShadowedError(sentence)


@cache
def beside(kind: type, base: type, module: str, name: str) -> Any:
    """Return an object of a module in a class's folder. Without one, it is sought in the class's own file.
    Classes between `kind` and `base` are searched in turn; None if none has it."""
    for each in kind.__mro__[: kind.__mro__.index(base)]:
        for where in (f"{each.__module__.rpartition('.')[0]}.{module}", each.__module__):
            known = where in sys.modules or (not where.startswith(".") and find_spec(where) is not None)
            if known and (found := getattr(import_module(where), name, None)) is not None:
                return found
    return None


def folder_of(kind: type) -> Path:
    """Return the folder of a class."""
    return Path(str(sys.modules[kind.__module__].__file__)).parent


def _other(package: str) -> Path | None:
    """Return the file imported instead of our package. None if ours is, or is not found."""
    ours = _HOME / package / "__init__.py"
    known = sys.modules.get(package)
    spec = None if known is not None else find_spec(package)
    origin = spec.origin if spec is not None else getattr(known, "__file__", None)
    if origin is None or not ours.is_file() or Path(origin).resolve() == ours.resolve():
        return None
    return Path(origin)
