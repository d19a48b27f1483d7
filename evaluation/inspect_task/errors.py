"""Errors that Inspect AI's own command shows as a sentence, without a traceback."""

import re
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from rich.markup import escape

from arena.errors import ArenaError, ConfigError
from evaluation.inspect_task.private import PrerequisiteError

__all__ = ["InspectUserError", "PrerequisiteError", "refusing"]

P = ParamSpec("P")
R = TypeVar("R")

_OPTION = re.compile(r"(?<![\w-])--([a-z]+(?:-[a-z]+)*)(?: (?=[\w+,./-]*[\dA-Z])([\w+,./-]*[\w/]))?")
"""An option as our commands write it, and its value: a word with a digit or a capital letter."""

_RENAMED = {"testbed": ("folder", "DIR"), "icl": ("demonstration", "yes")}
"""Options that the task calls otherwise, with a value to show."""


class InspectUserError(ConfigError, PrerequisiteError):
    """What was asked of the task or the agent is wrong; the text is the message."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        # Inspect prints this with rich, which would take brackets for markup.
        self.message = escape(message)


def refusing(function: Callable[P, R]) -> Callable[P, R]:
    """Turn a function's errors of a user into `InspectUserError`, which names options as `-T NAME=VALUE`."""

    @wraps(function)
    def called(*arguments: P.args, **named: P.kwargs) -> R:
        try:
            return function(*arguments, **named)
        except InspectUserError:
            raise
        except ArenaError as error:
            raise InspectUserError(_OPTION.sub(_argument, str(error))) from None

    return called


def _argument(option: re.Match[str]) -> str:
    """An option of ours as an argument of the task."""
    name, value = _RENAMED.get(option[1], (option[1].replace("-", "_"), "VALUE"))
    return f"-T {name}={option[2] or value}"
