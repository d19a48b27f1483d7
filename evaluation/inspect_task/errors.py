"""Errors that Inspect AI's own command shows as a sentence, without a traceback."""

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from inspect_ai._util.error import PrerequisiteError
from rich.markup import escape

from arena.errors import ArenaError, ConfigError

__all__ = ["InspectUserError", "PrerequisiteError", "refusing"]

P = ParamSpec("P")
R = TypeVar("R")


class InspectUserError(ConfigError, PrerequisiteError):
    """What was asked of the task or the agent is wrong; the text is the message."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        # Inspect prints this with rich, which would take brackets for markup.
        self.message = escape(message)


def refusing(function: Callable[P, R]) -> Callable[P, R]:
    """Turn a function's errors of a user into `InspectUserError`."""

    @wraps(function)
    def called(*arguments: P.args, **named: P.kwargs) -> R:
        try:
            return function(*arguments, **named)
        except ArenaError as error:
            raise InspectUserError(str(error)) from None

    return called
