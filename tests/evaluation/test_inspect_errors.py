"""The one adapter of Inspect AI's private API, and what it makes of our errors."""

import ast
from pathlib import Path

import pytest

from arena import ConfigError, RecordingError
from evaluation.inspect_task.interface import InspectUserError, PrerequisiteError, refusing
from tests.test_structure import FILES, ROOT

ADAPTER = Path("evaluation/inspect_task/interface.py")
"""It imports what Inspect AI has no public name for."""

PRIVATE = {
    "inspect_ai._eval.task.log": ("resolve_eval_scorers",),
    "inspect_ai._util.error": ("PrerequisiteError",),
    "inspect_ai.scorer._scorer": ("as_scorer_spec",),
    "inspect_ai.model._generate_config": ("active_generate_config",),
    "inspect_ai.model._model": ("active_model", "model_usage_cost"),
}


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
    names = {f"{module}.{name}" for module, own in PRIVATE.items() for name in own}
    assert found == {ADAPTER: {*PRIVATE, *names}}


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


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("give their folder with --testbed, for example X", "with -T folder=DIR, for example X"),
        ("add --initial-idle-steps 1,16", "add -T initial_idle_steps=1,16"),
        ("for example with --images last-4 or --memory-turns 10.", "-T images=last-4 or -T memory_turns=10."),
        ("--seed and --trials choose", "-T seed=VALUE and -T trials=VALUE choose"),
    ],
)
def test_hints_name_arguments_of_inspects_command(text, hint):
    @refusing
    def fail() -> None:
        raise ConfigError(text)

    with pytest.raises(InspectUserError) as caught:
        fail()
    assert hint in str(caught.value)
