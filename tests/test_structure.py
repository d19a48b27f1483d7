"""The shape of the code: who may import whom, and how long things get."""

import ast
import json
import re
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from evaluation.suite import Suite
from tests.cases import cases

ROOT = Path(__file__).parents[1]
ORDER = [
    *(["arena"], ["render"], ["testbed"], ["evaluation"], ["llm_control", "suites"]),
    *(["human_data"], ["people"], ["report"], ["arena_llm"], ["benchmarks"]),
]
"""Packages may import those that stand left of them; those side by side import neither one another."""

SUITES_KNOW = {"evaluation", "render"}
OF_ARENAS = ROOT / "suites" / "laboratory" / "picture.py"
"""The one file of a suite that draws arenas."""

SUITES_KNOW_OF_ARENA = {
    "arena.errors",
    "arena.science.families",
    "arena.science.words",
    "arena.science",
    "arena.files",
    "arena.kernel.compiled",
    "arena.packages",
}
"""What a suite may import besides itself; of the arena only what is not about arenas."""

PLACE = {package: place for place, packages in enumerate(ORDER) for package in packages}
FILES = [path for package in PLACE for path in sorted((ROOT / package).rglob("*.py"))]
PRODUCT = [
    path
    for folder in (*PLACE, "docs", "examples", "hosting")
    for path in sorted((ROOT / folder).rglob("*.py"))
]
SHADERS = [
    path for ending in ("vert", "frag") for package in PLACE for path in (ROOT / package).rglob(f"*.{ending}")
]
MODULES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path for path in FILES
}

FUNCTION_LINES, MEDIAN_LINES, P95_LINES = 60, 6, 25

BUDGETS = json.loads((ROOT / "tests" / "budgets.json").read_text(encoding="utf-8"))
"""What the code may grow to. A change that gets below a budget lowers it; none is ever raised."""

SLACK = 0.02
"""How far below a budget the code may be before the budget has to follow."""


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def imported(path: Path) -> Iterator[str]:
    """The modules that a file imports, anywhere in it."""
    for node in nodes(path):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                below = f"{node.module}.{alias.name}"
                yield below if below in MODULES else node.module


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(tree(path)))


@cache
def packages_of(path: Path) -> set[str]:
    return {name.partition(".")[0] for name in imported(path)}


def test_imports_go_to_the_left():
    for path in FILES:
        here = path.relative_to(ROOT).parts[0]
        others = {name for name in packages_of(path) if name in PLACE and name != here}
        assert [name for name in others if PLACE[name] >= PLACE[here]] == [], path
        if here == "suites":
            known = set() if path == OF_ARENAS else {*imported(path)} - SUITES_KNOW_OF_ARENA
            assert {name.partition(".")[0] for name in known} & PLACE.keys() <= SUITES_KNOW | {here}, path


WITHOUT_POSIX = """
import builtins, importlib, sys
POSIX = {"fcntl", "grp", "posix", "pty", "pwd", "resource", "termios", "tty"}
found = builtins.__import__

def windows(name, globals=None, locals=None, fromlist=(), level=0):
    if name in POSIX and (globals or {}).get("__name__", "").split(".")[0] in sys.argv[1].split(","):
        raise ImportError(f"{globals['__name__']} imports {name}", name=name)
    return found(name, globals, locals, fromlist, level)

builtins.__import__ = windows
for module in sys.argv[2:]:
    try:
        importlib.import_module(module)
    except ImportError as error:
        # Others are of extras that are not installed.
        if error.name in POSIX:
            raise
"""
"""Imports our modules as if what only POSIX systems have were absent for them; other packages may look."""


def test_everything_is_imported_without_what_only_posix_has():
    modules = [
        ".".join(path.relative_to(ROOT).with_suffix("").parts)
        for path in FILES
        if "skeleton" not in path.parts and path.name != "__main__.py"
    ]
    command = [sys.executable, "-c", WITHOUT_POSIX, ",".join(PLACE), *modules]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stderr


UNSHIPPED = re.compile(r"behaviou[r] specification|o[f] the specification|[Ss]ections? \d(?!.*appendix)")
"""How files have cited a document that no reader has; the sections of a paper stand beside its appendix."""


def test_sources_cite_only_what_a_reader_can_find():
    for path in (*PRODUCT, *sorted((ROOT / "tests").rglob("*.py"))):
        found = UNSHIPPED.search(path.read_text(encoding="utf-8"))
        assert found is None, f"{path}: {found}; name the original's file, or say that it was measured"


def test_one_place_reads_logs():
    sources = {path: path.read_text(encoding="utf-8") for path in FILES}
    readers = [path.relative_to(ROOT) for path, text in sources.items() if "read_eval_log" in text]
    assert readers == [Path("evaluation/log/files.py")]


FILE_CALLS = {
    *("open", "fdopen", "mkstemp", "read_text", "read_bytes", "write_text", "write_bytes", "savefig"),
    *("read_csv", "read_parquet", "to_csv", "to_parquet", "ZipFile", "ParquetWriter", "safe_load", "load"),
}
"""Calls that read or write a file if they are given its path or are made on it."""

NO_FILES = {"beside", "buffer", "content", "file", "io", "sys", "files", "__file__"}
"""What stands for no path of the user: a stream, the temporary path of an `atomic_file`, a package's file."""

OWN_FILES = cases(__file__)["own_files"]
"""Files of the product that open files themselves, and why."""


def file_calls(path: Path) -> Iterator[str]:
    """Calls that open a file, apart from the package's own ones, which are found by `importlib.resources`."""
    for node in nodes(path):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if name not in FILE_CALLS or (
            name in ("read_text", "read_bytes") and isinstance(node.func, ast.Name)
        ):
            continue
        subject = ast.unparse(node.func.value) if isinstance(node.func, ast.Attribute) else ""
        words = set(re.findall(r"[a-z_]+", f"{subject} {ast.unparse(node.args[0]) if node.args else ''}"))
        if not words & NO_FILES and not _is_other(name, subject, node):
            yield f"{path.relative_to(ROOT)}:{node.lineno} {ast.unparse(node)}"


def _is_other(name: str, subject: str, node: ast.Call) -> bool:
    """Whether `open` and `load` mean something else: a connection, an environment, a task file, text."""
    if name == "to_csv" and not node.args:
        return True
    if name == "open" and subject not in ("", "os", "Image", "gzip"):
        given = [*node.args, *(keyword.value for keyword in node.keywords)]
        return subject == "Lark" or not any(
            isinstance(each, ast.Constant) and isinstance(each.value, str) for each in given
        )
    return name in ("load", "safe_load") and subject not in ("json", "yaml", "np", "pickle", "torch")


def test_one_place_for_the_users_files():
    product = [path for path in FILES if path.relative_to(ROOT).parts[0] != "benchmarks"]
    found = {path: list(file_calls(path)) for path in product}
    own = {str(path.relative_to(ROOT)): calls for path, calls in found.items() if calls}
    assert [call for name, calls in own.items() if name not in OWN_FILES for call in calls] == []
    assert OWN_FILES.keys() - own.keys() == set()


def functions() -> Iterator[tuple[str, int]]:
    """Every function with its number of lines, its docstring left out."""
    for path in FILES:
        for node in nodes(path):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                first = node.body[1] if ast.get_docstring(node) and len(node.body) > 1 else node.body[0]
                length = (node.end_lineno or 0) - first.lineno + 1
                yield f"{path.relative_to(ROOT)}:{node.lineno} {node.name}", length


def test_functions_are_short():
    lengths = dict(functions())
    assert [name for name, length in lengths.items() if length > FUNCTION_LINES] == []
    assert statistics.median(lengths.values()) <= MEDIAN_LINES
    assert statistics.quantiles(lengths.values(), n=20)[-1] <= P95_LINES


def lines(paths: Iterable[Path]) -> int:
    return sum(len(path.read_text(encoding="utf-8").splitlines()) for path in paths)


def modules_in_circles() -> int:
    """How long a circle is in which modules import one another; 0 if there is none."""
    graph = {
        name: {other for other in imported(path) if other in MODULES and other != name}
        for name, path in MODULES.items()
    }
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        print(" -> ".join(error.args[1]))
        return len(set(error.args[1]))
    return 0


def files_entered(*command: str) -> int:
    """Files of the product that a program enters, in all threads of its process."""
    run = subprocess.run(
        [sys.executable, ROOT / "tests" / "files_entered.py", *command],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return len(run.stdout.splitlines())


MEASURES: dict[str, Callable[[], int]] = {
    "product lines, shaders included": lambda: lines([*PRODUCT, *SHADERS]),
    "product files": lambda: len(PRODUCT),
    "lines of tests": lambda: lines((ROOT / "tests").rglob("*.py")),
    "members of Suite": lambda: len([n for n in {*dir(Suite), *Suite.__annotations__} if n[0] != "_"]),
    "modules in import circles": modules_in_circles,
}
ENTERED = {
    "files that a Gymnasium step enters": "step",
    "files that an evaluated and reported episode enters": "eval",
}


@pytest.mark.parametrize("name", MEASURES)
def test_budgets_only_fall(name):
    compare(name, MEASURES[name]())


@pytest.mark.parametrize("name", ENTERED)
def test_budgets_of_programs_only_fall(name):
    compare(name, files_entered(ENTERED[name]))


def compare(name: str, measured: int) -> None:
    budget = BUDGETS[name]
    assert measured <= budget, f"{name}: {measured}, at most {budget}"
    assert measured >= budget * (1 - SLACK) - 1, f"{name}: write {measured} into tests/budgets.json"


def test_every_budget_is_measured():
    assert MEASURES.keys() | ENTERED.keys() == BUDGETS.keys()
