"""The choices of a protocol as options of a command, made from the protocol so that none is missing."""

import inspect
from collections.abc import Callable, Mapping
from typing import Any

import typer
from rich.console import Console
from rich.table import Column, Table

from evaluation.choices.effective import SHORT_NAMES, Effective
from llm_control.choices import Protocol

PANEL = "Protocol (over the preset; numbers may be 'none')"


def with_protocol_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command that takes `**choices` an option for each choice of a protocol.

    An option that is not given is absent from `choices`.
    """

    def called(**values: Any) -> None:
        names = set(Protocol.model_fields)
        choices = {key: value for key, value in values.items() if key in names and value is not None}
        command(**{key: value for key, value in values.items() if key not in names}, **choices)

    signature = inspect.signature(command)
    own = [p for p in signature.parameters.values() if p.kind is not inspect.Parameter.VAR_KEYWORD]
    own = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in own]
    called.__signature__ = signature.replace(parameters=[*own, *map(_option, Protocol.model_fields)])  # type: ignore[attr-defined]
    called.__annotations__ = {p.name: p.annotation for p in called.__signature__.parameters.values()}  # type: ignore[attr-defined]
    called.__doc__ = command.__doc__
    return called


def _option(name: str) -> inspect.Parameter:
    field = Protocol.model_fields[name]
    yes = isinstance(field.default, bool)
    flag = name.replace("_", "-")
    words = [short for short, long in SHORT_NAMES.items() if long == name]
    given = [f"--{flag}/--no-{flag}", *(f"--{word}" for word in words)] if yes else [f"--{flag}"]
    option = typer.Option(None, *given, help=field.description, rich_help_panel=PANEL, show_default=False)
    kind = bool | None if yes else str | None
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=option, annotation=kind)


def show_protocol(console: Console, given: Effective, more: Mapping[str, tuple[str, str]]) -> None:
    """Print every effective choice with where it comes from; `more` are (value, origin) of other options."""
    table = Table("choice", Column("value", overflow="fold"), "from", "meaning")
    if given.preset is not None:
        table.title = f"{given.preset.name}: {given.preset.description}"
    for name, (value, origin) in more.items():
        table.add_row(name, value, origin, "")
    for name, value, origin, meaning in given.rows():
        table.add_row(name, value, origin, meaning, style=None if origin == "default" else "bold")
    console.print(table)
