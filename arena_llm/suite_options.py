"""The choices of a suite as options of a command, made from its model so that none is missing."""

import inspect
from collections.abc import Callable, Iterator, Sequence
from typing import Annotated, Any

import typer

from evaluation.suite import Suite
from evaluation.suites import DEFAULT, get_suite

PANEL = "Choices of the run (override the preset; numbers may be 'none')"

SuiteOption = Annotated[
    str, typer.Option(help="Suite of tasks; `arena-llm suites` lists them. Its choices are options too.")
]


def command_of(function: Callable[..., None], name: str, suite: str | None) -> Any:
    """The command of a function; one that takes `**choices` has an option for each of the suite's.

    Raises ConfigError for an unknown suite.
    """
    app = typer.Typer(add_completion=False)
    app.command(name)(function if suite is None else with_choices(function, suite))
    return typer.main.get_command(app)


def group_of(app: typer.Typer, name: str) -> Any:
    """A command that has commands."""
    group = typer.main.get_group(app)
    group.name = name
    return group


def suite_in(arguments: Sequence[str]) -> str:
    """The value of `--suite` among arguments."""
    for place, argument in enumerate(arguments):
        if argument == "--suite" and place + 1 < len(arguments):
            return arguments[place + 1]
        if argument.startswith("--suite="):
            return argument.partition("=")[2]
    return DEFAULT


def with_choices(function: Callable[..., None], suite: str) -> Callable[..., None]:
    """The function with a parameter for each choice; one that is not given is absent from `**choices`."""
    chosen = get_suite(suite)
    signature = inspect.signature(function)
    own = [p for p in signature.parameters.values() if p.kind is not inspect.Parameter.VAR_KEYWORD]
    own = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in own]
    names = {p.name for p in own}

    def called(**values: Any) -> None:
        function(**{key: value for key, value in values.items() if key in names or value is not None})

    parameters = [
        *own,
        *_short_flags(chosen),
        *(_option(chosen, name) for name in chosen.choices.model_fields),
    ]
    called.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    called.__annotations__ = {p.name: p.annotation for p in parameters}
    called.__doc__ = function.__doc__
    return called


def _short_flags(suite: Suite) -> Iterator[inspect.Parameter]:
    """A flag for each short name of a choice that takes more than yes and no."""
    for word, name in suite.choices.short_names.items():
        if not _is_flag(suite, name):
            option = typer.Option(
                None,
                f"--{word}",
                help=f"The same as --{name} yes.",
                rich_help_panel=PANEL,
                show_default=False,
            )
            yield inspect.Parameter(
                word, inspect.Parameter.KEYWORD_ONLY, default=option, annotation=bool | None
            )


def _is_flag(suite: Suite, name: str) -> bool:
    return suite.choices.model_fields[name].annotation is bool


def _option(suite: Suite, name: str) -> inspect.Parameter:
    field = suite.choices.model_fields[name]
    yes = _is_flag(suite, name)
    flag = name.replace("_", "-")
    words = [short for short, long in suite.choices.short_names.items() if long == name]
    given = [f"--{flag}/--no-{flag}", *(f"--{word}" for word in words)] if yes else [f"--{flag}"]
    option = typer.Option(None, *given, help=field.description, rich_help_panel=PANEL, show_default=False)
    kind = bool | None if yes else str | None
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=option, annotation=kind)
