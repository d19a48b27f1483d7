"""Forms by which people answer where models write text."""

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar, NamedTuple

from arena.errors import ConfigError

Values = Mapping[str, Any]
"""What was entered, by the names of the fields; in the type that each field says."""


class Box(NamedTuple):
    """A rectangle of the observation's last picture, as fractions of its width and height from 0 to 1."""

    left: float
    top: float
    right: float
    bottom: float


@dataclass(frozen=True, slots=True)
class Text:
    """A text, not empty. The value is str.

    A field of one line offers completions of what is typed, by `templates`: whole texts, in which each `OBJ`
    stands for one of `words`. Each of `buttons` is a text that one click sends. Any other text can be entered
    too.
    """

    name: str
    label: str
    lines: int = 1
    longest: int = 2000
    templates: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    buttons: tuple[str, ...] = ()
    kind: ClassVar[str] = "text"

    def read(self, value: Any) -> str:
        """The value of what the page sent. Raises ConfigError, as the same method of all fields."""
        if not isinstance(value, str) or not 0 < len(value.strip()) <= self.longest:
            raise _wrong(self, value, f"a text of at most {self.longest} characters")
        return value.strip()


@dataclass(frozen=True, slots=True)
class Number:
    """A number from `low` to `high` in steps from `low`, as a slider. The value is int or float."""

    name: str
    label: str
    low: float
    high: float
    step: float = 1
    start: float | None = None
    unit: str = ""
    kind: ClassVar[str] = "number"

    def read(self, value: Any) -> float:
        """The value of what the page sent."""
        sound = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
        if not sound or not self.low <= value <= self.high or not self._on_grid(value):
            raise _wrong(self, value, f"a number from {self.low:g} to {self.high:g} by {self.step:g}")
        return value  # type: ignore[no-any-return]

    def _on_grid(self, value: float) -> bool:
        steps = (value - self.low) / self.step
        return abs(steps - round(steps)) < 1e-6


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several options. The value is its text."""

    name: str
    label: str
    options: tuple[str, ...]
    kind: ClassVar[str] = "choice"

    def read(self, value: Any) -> str:
        """The value of what the page sent."""
        if value not in self.options:
            raise _wrong(self, value, f"one of: {', '.join(self.options)}")
        return str(value)


@dataclass(frozen=True, slots=True)
class Item:
    """Something that can be chosen; `box` is where a click in the picture chooses it."""

    label: str
    box: Box | None = None


@dataclass(frozen=True, slots=True)
class Several:
    """Any number of items. The value is a tuple of their places in `items`, ascending."""

    name: str
    label: str
    items: tuple[Item, ...]
    kind: ClassVar[str] = "several"

    def read(self, value: Any) -> tuple[int, ...]:
        """The value of what the page sent."""
        sound = isinstance(value, list) and all(type(each) is int for each in value)
        if not sound or not set(value) <= set(range(len(self.items))):
            raise _wrong(self, value, f"a list of numbers from 0 to {len(self.items) - 1}")
        return tuple(sorted(set(value)))


Field = Text | Number | Choice | Several


@dataclass(frozen=True)
class Form:
    """What a person answers an observation with.

    `intro` says what is asked for. `reply` makes of the values what a model would have written; `check`
    raises ConfigError for a reply that would be a wrong one, and `reply` may do so, too. `text` is shown
    instead of the observation's texts, which are for models, and `help` on request: what the task is about
    and what can be done. Raises ValueError if two fields have the same name.
    """

    intro: str
    fields: tuple[Field, ...]
    reply: Callable[[Values], str] = field(repr=False)
    check: Callable[[str], None] | None = field(default=None, repr=False)
    text: str | None = None
    help: str = ""

    def __post_init__(self) -> None:
        if len({each.name for each in self.fields}) < len(self.fields):
            raise ValueError(f"form: two fields have the same name: {[each.name for each in self.fields]}")

    def shown(self) -> list[dict[str, Any]]:
        """The fields as plain values, ready for JSON."""
        return [{"kind": each.kind, **asdict(each)} for each in self.fields]

    def read(self, given: Mapping[str, Any]) -> Values:
        """The values of what was entered. Raises ConfigError if one, or the reply of all, does not fit."""
        values = {each.name: each.read(given.get(each.name)) for each in self.fields}
        reply = self.reply(values)
        if self.check is not None:
            self.check(reply)
        return values


def _wrong(asked: Field, value: Any, expected: str) -> ConfigError:
    got = "nothing" if value in (None, "") else repr(value)[:60]
    return ConfigError(f"{asked.label}: got {got}, expected {expected}")
