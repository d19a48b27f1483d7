"""The shape of the code: who may import whom, and how long things get."""

import ast
import statistics
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ORDER = [
    *(["arena"], ["render"], ["testbed"], ["evaluation"], ["llm_control", "suites"]),
    *(["human_data"], ["report"], ["arena_llm"], ["benchmarks"]),
]
"""Packages may import those that stand left of them; those side by side import neither one another."""

SUITES_KNOW = {"evaluation", "render"}
"""What a suite may import besides itself: not the arena."""

PLACE = {package: place for place, packages in enumerate(ORDER) for package in packages}
FILES = [path for package in PLACE for path in sorted((ROOT / package).rglob("*.py"))]
MODULES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path for path in FILES
}

FOLDER_FILES, FILE_LINES, FUNCTION_LINES, P95_LINES = 20, 300, 60, 25


def imported(path: Path, top_level: bool = False) -> Iterator[str]:
    """The modules that a file imports; with `top_level` only those that importing it imports."""
    nodes = ast.parse(path.read_text(encoding="utf-8")).body if top_level else None
    for node in nodes if nodes is not None else ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                below = f"{node.module}.{alias.name}"
                yield below if below in MODULES else node.module


def packages_of(path: Path) -> set[str]:
    return {name.partition(".")[0] for name in imported(path)}


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_go_to_the_left(path):
    here = path.relative_to(ROOT).parts[0]
    others = {name for name in packages_of(path) if name in PLACE and name != here}
    assert all(PLACE[name] < PLACE[here] for name in others)
    if here == "suites":
        assert others <= SUITES_KNOW


def test_no_circles():
    graph = {
        name: {other for other in imported(path, top_level=True) if other in MODULES and other != name}
        for name, path in MODULES.items()
    }
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))


def test_one_place_each_for_physics_opengl_and_logs():
    assert [p.name for p in FILES if "pybullet" in packages_of(p)] == ["bullet.py"]
    sources = {path: path.read_text(encoding="utf-8") for path in FILES}
    assert [path.name for path, text in sources.items() if "create_context(" in text] == ["context.py"]
    readers = [path.relative_to(ROOT) for path, text in sources.items() if "read_eval_log" in text]
    assert readers == [Path("evaluation/log/files.py")]


def functions() -> Iterator[tuple[str, int]]:
    """Every function with its number of lines, its docstring left out."""
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                first = node.body[1] if ast.get_docstring(node) and len(node.body) > 1 else node.body[0]
                length = (node.end_lineno or 0) - first.lineno + 1
                yield f"{path.relative_to(ROOT)}:{node.lineno} {node.name}", length


def test_functions_and_files_are_short():
    lengths = dict(functions())
    assert [name for name, length in lengths.items() if length > FUNCTION_LINES] == []
    assert statistics.quantiles(lengths.values(), n=20)[-1] <= P95_LINES
    long = {str(path.relative_to(ROOT)): len(path.read_text().splitlines()) for path in FILES}
    assert {name: lines for name, lines in long.items() if lines > FILE_LINES} == {}


def test_folders_are_small():
    folders = {path.parent for path in FILES}
    sizes = {str(folder.relative_to(ROOT)): len(list(folder.glob("*.py"))) for folder in folders}
    assert {name: size for name, size in sizes.items() if size > FOLDER_FILES} == {}
