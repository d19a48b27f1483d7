"""Every generated block by the name that pages use: `<!-- generated: NAME -->`."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from arena.taskfile.catalog import KINDS
from docs._generate import differences, keys, kinds, options, references
from docs._generate.markdown import code, table
from evaluation.results import RESULT_COLUMNS
from report.arena.pages import ARENA_COLUMNS
from report.episode_page import EPISODE_COLUMNS, REPLY_COLUMNS, TURN_COLUMNS


def gallery() -> str:
    """A table with the picture of every kind, and its name as a link to the facts."""
    rows = [
        (f"![{name}](pictures/{name}.png)", f"[{code(name)}](yaml.md#{name.lower()})", kind.meaning)
        for name, kind in KINDS.items()
        if not kind.internal
    ]
    return table(("picture", "kind", "what it is"), rows)


def example_suite() -> str:
    """The one example that is a suite, as it is in the source tree."""
    [file] = (Path(__file__).parents[2] / "examples").glob("*/*/suite.py")
    return f'```python title="{file.parent.name}/suite.py"\n{file.read_text(encoding="utf-8")}```'


def columns() -> str:
    """Every column of the tables of trials, episodes and turns."""
    episodes = {name: column.meaning for name, column in EPISODE_COLUMNS.items()}
    turns = {name: column.meaning for name, column in {**TURN_COLUMNS, **REPLY_COLUMNS}.items()}
    files = {
        "results.csv": RESULT_COLUMNS,
        "episodes.csv": ARENA_COLUMNS["episodes"] | episodes,
        "turns.csv": turns | ARENA_COLUMNS["turns"],
    }
    rows = [(file, code(name), meaning) for file, own in files.items() for name, meaning in own.items()]
    return table(("file", "column", "meaning"), rows)


BLOCKS: dict[str, Callable[[], str]] = {
    "keys-of-file": partial(keys.keys_table, "ArenaConfig"),
    "keys-of-arena": partial(keys.keys_table, "Arena"),
    "keys-of-item": partial(keys.keys_table, "Item"),
    "keys-of-vector": partial(keys.keys_table, "Vector3"),
    "keys-of-color": partial(keys.keys_table, "RGB"),
    "operations": keys.operations_section,
    "symbols": keys.symbols_list,
    "objects": kinds.objects_section,
    "changing": kinds.changing_table,
    "spawners": kinds.spawners_table,
    "versions": kinds.versions_table,
    "gallery": gallery,
    "choices": options.choices_table,
    "other-options": options.commands_table,
    "presets": options.presets_table,
    "texts": options.texts_table,
    "agent-texts": options.agent_texts_table,
    "layout": options.layout_table,
    "differences": differences.differences_table,
    "example-suite": example_suite,
    "columns": columns,
    "references": references.references_table,
}
