"""The one adapter of Inspect AI's private API, and what it makes of our errors."""

import ast
from pathlib import Path

import pytest

from arena import ConfigError, RecordingError
from evaluation.inspect_task.errors import InspectUserError, PrerequisiteError, refusing
from tests.test_structure import FILES, ROOT

ADAPTER = Path("evaluation/inspect_task/errors.py")
"""It imports `inspect_ai._util.error.PrerequisiteError`, for which Inspect AI has no public name."""


def private_modules(path: Path) -> set[str]:
    """The private modules of Inspect AI that a file imports."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return {name for name in names if name.startswith("inspect_ai") and "._" in name}


def test_one_adapter_only_imports_what_is_private_to_inspect():
    found = {path.relative_to(ROOT): modules for path in FILES if (modules := private_modules(path))}
    assert found == {ADAPTER: {"inspect_ai._util.error", "inspect_ai._util.error.PrerequisiteError"}}


def test_an_error_of_a_user_is_one_of_both_kinds_with_the_same_text():
    @refusing
    def fail() -> None:
        raise RecordingError("a[b]: broken")

    with pytest.raises(InspectUserError, match=r"^a\[b\]: broken$") as caught:
        fail()
    assert isinstance(caught.value, ConfigError)
    assert isinstance(caught.value, PrerequisiteError)
    # Inspect prints this with rich, to which a bare bracket would be markup.
    assert caught.value.message == r"a\[b]: broken"
