"""Blocks of the lists of pages and of the reference: commands, choices, columns, public names."""

import ast
import inspect
import re
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import typer

from arena.packages import data_of
from arena_llm.cli import app
from docs._generate import Rows, code, first_sentence, plain, table, tabled
from docs._generate.kinds import docstrings
from evaluation.choices.run_choices import RunChoices, shown
from evaluation.results import RESULT_COLUMNS
from evaluation.suites import get_suite, suite_names
from human_data.baselines import TABLE_DESCRIPTIONS
from people.store.columns import RESULTS, TABLES
from report.arena.pages import ARENA_COLUMNS
from report.episode_page import EPISODE_COLUMNS, REPLY_COLUMNS, TURN_COLUMNS

_NAV = (Path(__file__).parents[2] / "mkdocs.yml").read_text(encoding="utf-8")
_SECTIONS = _NAV.partition("\nnav:\n")[2].split("\n  - ")[1:]
_PAGE = re.compile(r"^ +- (.+): (\S+\.md)  # (.+)$", re.MULTILINE)


def pages() -> str:
    """Every page by section: its link and its sentence."""
    listed = (_PAGE.sub(r"- [\1](\2): \3", each).replace(":\n", "\n\n", 1).strip() for each in _SECTIONS)
    return "\n\n".join(f"## {each}" for each in listed)


@tabled("kind", "pages")
def front_pages() -> Rows:
    """A row for each section, with links to all its pages."""
    for section in _SECTIONS:
        links = (f"[{title}](docs/{page})" for title, page, _ in _PAGE.findall(section))
        yield section.partition(":")[0], ", ".join(links)


def commands() -> str:
    """Every command with its help and options."""
    return "\n\n".join(_commands("arena-llm", typer.main.get_command(app)))


def _commands(name: str, command: Any) -> Iterator[str]:
    for each in command.list_commands(None) if hasattr(command, "list_commands") else ():
        yield from _commands(f"{name} {each}", command.get_command(None, each))
    if not hasattr(command, "list_commands"):
        takes_choices = {"suite", "protocol"} <= {each.name for each in command.params}
        choices = get_suite("arena").choices.model_fields if takes_choices else ()
        own = (each for each in command.params if each.name not in (*choices, "help"))
        also = "\n\n[Choices](choices.md) are options too." if choices else ""
        rows = ((code(_names(each)), _default(each), plain(each.help or "")) for each in own)
        yield f"## {name}\n\n{plain(command.help)}{also}\n\n" + table(("option", "default", "meaning"), rows)


def _names(parameter: Any) -> str:
    argument = parameter.param_type_name == "argument"
    return parameter.name.upper() if argument else ", ".join((*parameter.opts, *parameter.secondary_opts))


def _default(parameter: Any) -> str:
    if parameter.required:
        return "required"
    return "" if parameter.default in (None, False, "") else code(shown(parameter.default))


def choices() -> str:
    """Every choice by suite: its option, its default and its meaning; first those that all suites have."""
    suites = [get_suite(name) for name in suite_names()]
    own = [(f"## {each.name}\n\n{each.title}.\n\n", _own(each.choices)) for each in suites]
    common = ("## Every suite\n\n", RunChoices.model_fields)
    return "\n\n".join(heading + _choices(fields) for heading, fields in (common, *own))


def _own(choices: type[RunChoices]) -> Mapping[str, Any]:
    """The choices that a suite adds or explains in other words."""
    common = {name: (each.default, each.description) for name, each in RunChoices.model_fields.items()}
    fields = choices.model_fields.items()
    return {name: each for name, each in fields if common.get(name) != (each.default, each.description)}


@tabled("option", "default", "meaning")
def _choices(fields: Mapping[str, Any]) -> Rows:
    for name, field in fields.items():
        flag = name.replace("_", "-")
        given = f"--{flag}, --no-{flag}" if field.annotation is bool else f"--{flag}"
        yield code(given), code(shown(field.default)), plain(field.description or "")


def columns() -> str:
    """Every column of the tables of reports, comparisons, exports and baselines."""
    replies = {name: column.meaning for name, column in {**TURN_COLUMNS, **REPLY_COLUMNS}.items()}
    episodes = {name: column.meaning for name, column in EPISODE_COLUMNS.items()}
    of_reports: dict[str, Mapping[str, str]] = {
        "results.csv": RESULT_COLUMNS,
        "episodes.csv": ARENA_COLUMNS["episodes"] | episodes,
        "turns.csv": replies | ARENA_COLUMNS["turns"],
        **data_of("report", "columns.yaml"),
    }
    of_people = {
        f"{name}.csv": {each.name: f"{each.description} ({each.type}, {each.unit})" for each in files.columns}
        for name, files in {**TABLES, "results": RESULTS}.items()
    }
    published = {
        name: {each.name: f"{each.meaning} ({each.kind}, {each.unit})" for each in described.columns}
        for name, described in TABLE_DESCRIPTIONS.items()
    }
    parts: dict[str, Mapping[str, Mapping[str, str]]] = {
        "Reports and comparisons": of_reports,
        "Exports of studies": of_people,
        "Baselines": published,
    }
    return "\n\n".join(f"## {title}\n\n{_columns(files)}" for title, files in parts.items())


def _columns(files: Mapping[str, Mapping[str, str]]) -> str:
    rows = {file: ((code(name), plain(said)) for name, said in own.items()) for file, own in files.items()}
    return "\n\n".join(f"### {file}\n\n" + table(("column", "meaning"), own) for file, own in rows.items())


def public() -> str:
    """Every public name by module, with the first sentence of its docstring."""
    modules = data_of("arena_llm", "public.yaml").items()
    return "\n\n".join(f"## {name}\n\n{each['about']}\n\n{_public(name, each)}" for name, each in modules)


@tabled("name", "meaning")
def _public(module: str, described: Mapping[str, Any]) -> Rows:
    found = import_module(module)
    source = ast.parse(inspect.getsource(found))
    imported = {
        alias.name: each.module
        for each in ast.walk(source)
        if isinstance(each, ast.ImportFrom)
        for alias in each.names
    }
    for name in described.get("names") or found.__all__:
        value = getattr(found, name)
        if not inspect.isroutine(value) and not isinstance(value, type):
            said = docstrings(import_module(imported.get(name) or module)).get(name, f"`{value!r}`")
        else:
            said = inspect.getdoc(value) or ""
        yield code(name), plain(first_sentence(said))
