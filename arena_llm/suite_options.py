"""The choices of a suite as options of a command, made from its model so that none is missing."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Column, Table

from evaluation.choices.effective import Effective
from evaluation.suite import Suite
from evaluation.suites import DEFAULT, get_suite

PANEL = "Choices of the run (override the preset; numbers may be 'none')"

SuiteOption = Annotated[
    str, typer.Option(help="Suite of tasks; `arena-llm suites` lists them. Its choices are options too.")
]


def command_for(function: Callable[..., None], arguments: Sequence[str]) -> Any:
    """The command of a function that takes `**choices`, with an option for each choice of the suite.

    The suite is the one that `--suite` names among the arguments. Raises ConfigError for an unknown one.
    """
    app = typer.Typer(add_completion=False)
    app.command()(_with_choices(function, get_suite(_suite_in(arguments))))
    return typer.main.get_command(app)


def _suite_in(arguments: Sequence[str]) -> str:
    """The value of `--suite` among arguments."""
    for place, argument in enumerate(arguments):
        if argument == "--suite" and place + 1 < len(arguments):
            return arguments[place + 1]
        if argument.startswith("--suite="):
            return argument.partition("=")[2]
    return DEFAULT


def _with_choices(function: Callable[..., None], suite: Suite) -> Callable[..., None]:
    """The function with a parameter for each choice; one that is not given is absent from `**choices`."""
    signature = inspect.signature(function)
    own = [p for p in signature.parameters.values() if p.kind is not inspect.Parameter.VAR_KEYWORD]
    own = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in own]
    names = {p.name for p in own}

    def called(**values: Any) -> None:
        function(**{key: value for key, value in values.items() if key in names or value is not None})

    parameters = [*own, *(_option(suite, name) for name in suite.choices.model_fields)]
    called.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    called.__annotations__ = {p.name: p.annotation for p in parameters}
    called.__doc__ = function.__doc__
    return called


def _option(suite: Suite, name: str) -> inspect.Parameter:
    field = suite.choices.model_fields[name]
    yes = isinstance(field.default, bool)
    flag = name.replace("_", "-")
    words = [short for short, long in suite.choices.short_names.items() if long == name]
    given = [f"--{flag}/--no-{flag}", *(f"--{word}" for word in words)] if yes else [f"--{flag}"]
    option = typer.Option(None, *given, help=field.description, rich_help_panel=PANEL, show_default=False)
    kind = bool | None if yes else str | None
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=option, annotation=kind)


def show_choices(console: Console, given: Effective, more: Mapping[str, tuple[str, str]]) -> None:
    """Print every effective choice with where it comes from; `more` are (value, origin) of other options."""
    table = Table("choice", Column("value", overflow="fold"), "from", "meaning")
    if given.preset is not None:
        table.title = f"{given.preset.name}: {given.preset.description}"
    for name, (value, origin) in more.items():
        table.add_row(name, value, origin, "")
    for name, value, origin, meaning in given.rows():
        table.add_row(name, value, origin, meaning, style=None if origin == "default" else "bold")
    console.print(table)
