"""Which choices of a run exclude each other, and why."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from arena.errors import ConfigError

Choices = Mapping[str, Any]


class Contradiction(ConfigError):
    """Choices that exclude each other.

    `fields` are their names, `values` all choices, `reason` is a clause that says why.
    """

    def __init__(self, fields: tuple[str, ...], values: Choices, reason: str) -> None:
        super().__init__(fields, values, reason)
        self.fields = fields
        self.values = values
        self.reason = reason

    def message(self, origins: Mapping[str, str]) -> str:
        """The sentence, with where each choice comes from."""
        named = [f"{field} = {shown(self.values[field])}{_from(origins.get(field))}" for field in self.fields]
        together = " together" if len(named) > 1 else ""
        return f"{' and '.join(named)}: impossible{together}, because {self.reason}"

    def __str__(self) -> str:
        return self.message({})


def _from(origin: str | None) -> str:
    return f" ({origin})" if origin else ""


def shown(value: object) -> str:
    """A choice as it is written on a command line."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


class Rule(NamedTuple):
    """Choices of these names are refused together if `broken` says so, for the `reason`."""

    fields: tuple[str, ...]
    broken: Callable[[Choices], bool]
    reason: str


def refuse_contradictions(choices: Choices, rules: Sequence[Rule]) -> None:
    """Raise `Contradiction` for the first rule that the choices break."""
    for rule in rules:
        if rule.broken(choices):
            raise Contradiction(rule.fields, choices, rule.reason)
