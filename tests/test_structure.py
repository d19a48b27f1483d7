"""The shape of the code: who may import whom, and how long things get."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ORDER = [
    *("arena", "render", "testbed", "evaluation", "llm_control", "human_data", "report", "arena_llm"),
    "benchmarks",
]
FILES = [path for folder in ORDER for path in sorted((ROOT / folder).rglob("*.py"))]


def imported(path: Path) -> set[str]:
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module.partition(".")[0])
    return names


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_go_to_the_left(path):
    here = ORDER.index(path.relative_to(ROOT).parts[0])
    assert not imported(path) & set(ORDER[here + 1 :])


def test_one_place_each_for_physics_and_opengl():
    assert [p.name for p in FILES if "pybullet" in imported(p)] == ["bullet.py"]
    makes_context = [p.name for p in FILES if "create_context(" in p.read_text(encoding="utf-8")]
    assert makes_context == ["context.py"]


def test_functions_are_short():
    long = [
        f"{path.relative_to(ROOT)}:{node.lineno} {node.name}"
        for path in FILES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno - node.lineno > 60
    ]
    assert long == []
