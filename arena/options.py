"""Checks of options that are passed on by name."""

from collections.abc import Callable, Mapping
from difflib import get_close_matches
from inspect import Parameter, signature
from typing import Any

from arena.errors import ConfigError, UnknownOptionError

_FORMER = ("camera", "depth", "segmentation")
"""Options of former versions, now names in `observation`."""


def check_options(given: Mapping[str, Any], *takers: Callable[..., Any]) -> None:
    """Raises UnknownOptionError, with what is expected, for an option that none of the `takers` has."""
    known = {
        parameter.name
        for taker in takers
        for parameter in signature(taker).parameters.values()
        if parameter.kind is not Parameter.VAR_KEYWORD
    }
    for name in given:
        if name not in known:
            # TorchRL offers every environment a `frameskip`, and takes it back where it reads Python's words.
            words = f"unexpected keyword argument '{name}'"
            raise UnknownOptionError(f"{name}: no such option; {_hint(name, sorted(known))} ({words})")


def _hint(name: str, known: list[str]) -> str:
    if name in _FORMER:
        return f'name all that is observed, such as observation=("{name}", "vector")'
    close = get_close_matches(name, known, n=1)
    return f"did you mean {close[0]!r}?" if close else f"expected some of {', '.join(known)}"


def whole(option: str, value: Any, least: int = 1) -> int:
    """A whole number that is at least `least`; raises ConfigError, naming the option, for anything else."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise ConfigError(f"{option}: got {value!r}, expected a whole number, {least} or more")
    return value
