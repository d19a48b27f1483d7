"""Tables of the options of `arena-llm eval` and of the presets, from the protocol and the command."""

from collections.abc import Iterator

import typer

from docs._generate.markdown import code, plain, table
from evaluation.choices.effective import effective, preset_names
from evaluation.choices.run_choices import shown
from evaluation.prompts import AGENT_VARIABLES, RUNNER, Layout, Variables
from llm_control.choices import ArenaChoices
from llm_control.prompts import OPTIONAL, VARIABLES
from llm_control.suite import SUITE


def choices_table() -> str:
    """Every choice of a protocol: its option, its default and what it means."""
    return table(("option", "default", "meaning"), _choices())


def commands_table() -> str:
    """The other options of `arena-llm eval`."""
    rows = ((code(f"--{name.replace('_', '-')}"), plain(meaning)) for name, meaning in _others())
    return table(("option", "meaning"), rows)


def presets_table() -> str:
    """Every preset: its purpose, and the choices that it changes."""
    return table(("preset", "what it is", "what differs from the defaults"), _presets())


def texts_table() -> str:
    """Every text by its name, with the variables that it may use."""
    return _texts({**RUNNER, **VARIABLES, **OPTIONAL})


def agent_texts_table() -> str:
    """The same for the texts of agents."""
    return _texts(AGENT_VARIABLES)


def _texts(names: Variables) -> str:
    rows = (
        (code(f"{name}.md"), ", ".join(code(f"${v.partition(':')[0]}") for v in names[name]))
        for name in names
    )
    return table(("file", "variables"), rows)


def layout_table() -> str:
    """The keys of `layout.yaml`."""
    rows = (
        (code(name), code(shown(field.default)), plain(field.description or ""))
        for name, field in Layout.model_fields.items()
    )
    return table(("key", "default", "meaning"), rows)


def _choices() -> Iterator[tuple[str, str, str]]:
    shorts = {long: short for short, long in ArenaChoices.short_names.items()}
    for name, field in ArenaChoices.model_fields.items():
        flag = name.replace("_", "-")
        given = f"--{flag}, --no-{flag}" if field.annotation is bool else f"--{flag}"
        given += f", --{shorts[name]}" if name in shorts else ""
        yield code(given), code(shown(field.default)), plain(field.description or "")


def _others() -> Iterator[tuple[str, str]]:
    from arena_llm.cli import app

    command = typer.main.get_command(app)
    evaluate = command.get_command(None, "eval")  # type: ignore[attr-defined]
    for option in evaluate.params:
        if option.name not in ArenaChoices.model_fields and option.name != "help":
            yield option.name, option.help


def _presets() -> Iterator[tuple[str, str, str]]:
    for name in preset_names(SUITE):
        given = effective(SUITE, name, {})
        defaults = ArenaChoices().model_dump()
        changed = {
            key: shown(value) for key, value in given.choices.model_dump().items() if value != defaults[key]
        }
        if "tasks" in changed:
            changed["tasks"] = f"{len(changed['tasks'].split(','))} ids"
        description = given.preset.description if given.preset else ""
        yield code(name), plain(description), ", ".join(code(f"{k}: {v}") for k, v in changed.items())
