"""Questionnaires: their items, and the validation and reading of answers."""

import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import date
from decimal import Decimal
from typing import Annotated, Any, Literal, Self, TypeVar

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from people.texts import Line, Name, Section, Text, Texts

MAX_ANSWER = 5_000
"""Characters of an answer, about two pages."""

DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)


def number_of(text: str) -> float | None:
    """A finite number, with a decimal point or comma; None for another text."""
    try:
        value = float(text.replace(",", "."))
    except ValueError:
        return None
    # Python would read 1_000, too.
    return value if math.isfinite(value) and "_" not in text else None


def plain_number(text: str) -> str:
    """A number in ASCII digits with a decimal point: "5,50" becomes "5.5"; other texts as they are."""
    value = number_of(text)
    if value is None:
        return text
    if text.isdecimal():
        return str(int(text))
    digits = format(Decimal(repr(value)), "f")
    return digits.rstrip("0").rstrip(".") if "." in digits else digits


def date_of(text: str) -> date | None:
    """A date such as 2026-03-31 (ISO 8601); None for another text."""
    try:
        return date.fromisoformat(text) if DATE.fullmatch(text) else None
    except ValueError:
        return None


def as_list(values: Iterable[str]) -> str:
    """Several options as one answer: a list in JSON."""
    return json.dumps(list(values), ensure_ascii=False)


def list_of(text: str) -> tuple[str, ...] | None:
    """The options in an answer made by `as_list`; None for another text."""
    try:
        values = json.loads(text[:MAX_ANSWER])
    except (ValueError, RecursionError):
        return None
    is_list = isinstance(values, list) and all(isinstance(value, str) for value in values)
    return tuple(values) if is_list else None


def listed(value: Any) -> Any:
    """A single value as a list of one."""
    return (value,) if isinstance(value, str) else value


Values = Annotated[tuple[Line, ...], BeforeValidator(listed)]


class Accepted(Section):
    """One of `values`, or a number or date from `least` to `most`; in the file a value or a list will do."""

    values: Values = ()
    least: Line | None = None
    most: Line | None = None

    @model_validator(mode="before")
    @classmethod
    def _short(cls, given: Any) -> Any:
        return {"values": given} if isinstance(given, str | tuple | list) else given

    @model_validator(mode="after")
    def _one_of_both(self) -> "Accepted":
        if bool(self.values) == (self.least is not None or self.most is not None):
            raise ValueError("expected an answer, a list of answers, or keys least and most")
        return self


Bound = Annotated[float | None, Field(allow_inf_nan=False)]
Ordered = TypeVar("Ordered", float, date)


def duplicates(values: Iterable[str]) -> list[str]:
    """The values that occur more than once, sorted."""
    return sorted(value for value, count in Counter(values).items() if count > 1)


def _iso_date(value: Any) -> Any:
    if isinstance(value, str) and date_of(value) is None:
        raise ValueError(f"got {value[:40]!r}, expected a date such as 2026-03-31")
    return value


Day = Annotated[date | None, BeforeValidator(_iso_date)]


class _Item(Section):
    """A question. It is asked if the answers to all items of `if_` fit.

    With `expect` it checks attention: only this answer, or one of these, is right.
    """

    id: Name
    ask: Text
    help: str = ""
    sound: Line | None = None
    required: bool = True
    if_: dict[str, Accepted] = Field(default={}, alias="if")
    expect: Values = ()

    @model_validator(mode="after")
    def _expects_an_answer(self) -> Self:
        for value in self.expect:
            if not self.is_answer(value):
                raise ValueError(f"expect: {value!r} is not an answer to this item")
        return self

    def problem(self, value: str, texts: Texts) -> str | None:
        """What is wrong with an answer, as shown to the participant; None if it is valid."""
        if not value:
            return texts.required if self.required else None
        return self._problem(value, texts)

    def stored(self, value: str) -> str:
        """A valid answer as it is stored: numbers in plain digits with a point, others as they are."""
        return value

    def is_answer(self, value: str) -> bool:
        """Whether a value can be given as the answer, or as one of several."""
        return self._problem(value, Texts()) is None

    def is_as_expected(self, value: str) -> bool | None:
        """Whether an attention check was passed; None if the item is none."""
        if not self.expect:
            return None
        return any(self.same(value, expected) for expected in self.expect) if value else False

    def accepts(self, value: str, accepted: Accepted) -> bool:
        """Whether an answer is one of those that are accepted; never if there is none."""
        if accepted.values:
            return any(self.same(each, one) for each in self.chosen(value) for one in accepted.values)
        rank = self.rank(value)
        least, most = (None if end is None else self.rank(end) for end in (accepted.least, accepted.most))
        return rank is not None and _is_between(rank, least, most)

    def accepted_problem(self, accepted: Accepted) -> str | None:
        """Why a key of `if` or `screen` cannot be about this item; None if it can."""
        for value in accepted.values:
            if not self.is_answer(value):
                return f"{value!r} is not an answer to {self.id}"
        for end in (accepted.least, accepted.most):
            if end is not None and self.rank(end) is None:
                return f"got {end!r}, but least and most are numbers or, for a date, dates such as 2026-03-31"
        return None if accepted.values or self._can_fit(accepted) else "no answer to this item fits"

    def _can_fit(self, accepted: Accepted) -> bool:
        """Whether a number or date of the item lies between the accepted ends."""
        low, high = self._ends()
        lows, highs = (low, accepted.least), (high, accepted.most)
        ranks = [[self.rank(str(each)) or 0.0 for each in ends if each is not None] for ends in (lows, highs)]
        return not all(ranks) or max(ranks[0]) <= min(ranks[1])

    def _ends(self) -> tuple[object, object]:
        """The least and the greatest answer; None: no limit."""
        return getattr(self, "least", None), getattr(self, "most", None)

    def chosen(self, value: str) -> tuple[str, ...]:
        """The answers in an answer: itself, or several options."""
        return (value,) if value else ()

    def same(self, one: str, other: str) -> bool:
        """Whether two answers mean the same."""
        first, second = self.rank(one), self.rank(other)
        return first == second if first is not None else one == other

    def rank(self, value: str) -> float | None:
        """An answer as a number, for items whose answers have an order; None for others."""
        return None

    def _problem(self, value: str, texts: Texts) -> str | None:
        raise NotImplementedError


def _once(options: tuple[str, ...]) -> tuple[str, ...]:
    if twice := duplicates(options):
        raise ValueError(f"the option {twice[0]!r} is listed twice")
    return options


Options = Annotated[tuple[Line, ...], Field(min_length=2, max_length=100), AfterValidator(_once)]


class Choice(_Item):
    """One of several options."""

    type: Literal["choice"]
    options: Options

    def _problem(self, value: str, texts: Texts) -> str | None:
        return None if value in self.options else texts.choose_one


class Checkbox(_Item):
    """Any number of several options, at least one if required; the answer is a list of them, as JSON.

    With `expect` exactly these options must be chosen.
    """

    type: Literal["checkbox"]
    options: Annotated[tuple[Line, ...], Field(min_length=1, max_length=100), AfterValidator(_once)]

    def is_answer(self, value: str) -> bool:
        """Whether this is an option."""
        return value in self.options

    def is_as_expected(self, value: str) -> bool | None:
        """Whether exactly the expected options were chosen; None if any may be."""
        return set(self.chosen(value)) == set(self.expect) if self.expect else None

    def chosen(self, value: str) -> tuple[str, ...]:
        """The options that an answer contains."""
        return list_of(value) or ()

    def _problem(self, value: str, texts: Texts) -> str | None:
        chosen = self.chosen(value)
        if not set(chosen) <= set(self.options) or duplicates(chosen):
            return texts.choose_one
        return None if chosen else texts.required


class Likert(_Item):
    """A scale from 1 to `points` with labels at its ends; the answer is the number."""

    type: Literal["likert"]
    points: int = Field(default=7, ge=2, le=11)
    low: str = ""
    high: str = ""

    def rank(self, value: str) -> float | None:
        """The point of the scale."""
        return number_of(value)

    def _ends(self) -> tuple[object, object]:
        """From 1 to `points`."""
        return 1, self.points

    def _problem(self, value: str, texts: Texts) -> str | None:
        return None if value in map(str, range(1, self.points + 1)) else texts.choose_one


class _Range(_Item):
    """A number from `least` to `most`."""

    least: Bound = None
    most: Bound = None

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.least is not None and self.most is not None and self.least > self.most:
            raise ValueError("most is smaller than least")
        return self

    def rank(self, value: str) -> float | None:
        """The number."""
        return number_of(value)

    def stored(self, value: str) -> str:
        """The number in plain digits."""
        return plain_number(value)

    def _problem(self, value: str, texts: Texts) -> str | None:
        number = number_of(value)
        if number is None:
            return texts.a_number
        if _is_between(number, self.least, self.most):
            return None
        low, high = ("" if end is None else f"{end:g}" for end in (self.least, self.most))
        return texts.outside(low, high)


class Number(_Range):
    """A number, from `least` to `most` if these are given."""

    type: Literal["number"]
    whole: bool = False
    unit: str = ""

    def _problem(self, value: str, texts: Texts) -> str | None:
        number = number_of(value)
        if self.whole and number is not None and number != round(number):
            return texts.a_whole_number
        return super()._problem(value, texts)


class Slider(_Range):
    """A number that is set by moving a slider, which shows no value before; labels stand at its ends.

    The answer is `least` plus a multiple of `step`.
    """

    type: Literal["slider"]
    least: Bound = 0.0
    most: Bound = 100.0
    step: float = Field(default=1.0, gt=0, allow_inf_nan=False)
    low: str = ""
    high: str = ""

    @model_validator(mode="after")
    def _can_move(self) -> Self:
        if self.least is None or self.most is None:
            raise ValueError("a slider needs both ends, least and most")
        if self.most - self.least < self.step:
            raise ValueError("step is larger than the distance from least to most")
        return self

    def _problem(self, value: str, texts: Texts) -> str | None:
        number = number_of(value)
        if number is not None and self.least is not None:
            steps = (number - self.least) / self.step
            # Browsers compute with the same 53 bits, in another order.
            if abs(steps - round(steps)) > 1e-6 * max(1.0, abs(steps)):
                return texts.a_number
        return super()._problem(value, texts)


class Date(_Item):
    """A date, from `least` to `most` if these are given; the answer is such as 2026-03-31 (ISO 8601)."""

    type: Literal["date"]
    least: Day = None
    most: Day = None

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.least is not None and self.most is not None and self.least > self.most:
            raise ValueError("most is before least")
        return self

    def rank(self, value: str) -> float | None:
        """The number of the day."""
        day = date_of(value)
        return None if day is None else day.toordinal()

    def _problem(self, value: str, texts: Texts) -> str | None:
        day = date_of(value)
        if day is None:
            return texts.a_date
        if _is_between(day, self.least, self.most):
            return None
        low, high = ("" if end is None else end.isoformat() for end in (self.least, self.most))
        return texts.outside(low, high, dates=True)


class FreeText(_Item):
    """Free text."""

    type: Literal["text"]
    lines: int = Field(default=3, ge=1, le=30)
    longest: int = Field(default=2_000, ge=1, le=MAX_ANSWER)

    def same(self, one: str, other: str) -> bool:
        """Whether two texts are the same, apart from capital letters and spaces at their ends."""
        return one.strip().casefold() == other.strip().casefold()

    def _problem(self, value: str, texts: Texts) -> str | None:
        return texts.too_long.replace("{n}", str(self.longest)) if len(value) > self.longest else None


Item = Annotated[Choice | Checkbox | Likert | Slider | Number | Date | FreeText, Field(discriminator="type")]


def _is_between(value: Ordered, least: Ordered | None, most: Ordered | None) -> bool:
    return (least is None or value >= least) and (most is None or value <= most)


class Questionnaire(Section):
    """Questions on one page. `when`: before the tutorial, at every break, or after the last task.

    It is shown if the answers to all items of `if_` fit. Who gives an answer to an item of `screen` that is
    not accepted does not take part: the study ends after the page.
    """

    name: Name
    when: Literal["before", "between", "after"]
    if_: dict[str, Accepted] = Field(default={}, alias="if")
    screen: dict[str, Accepted] = Field(default={})
    title: Line
    text: str = ""
    sound: Line | None = None
    items: Annotated[tuple[Item, ...], Field(min_length=1, max_length=200)]

    @model_validator(mode="after")
    def _ids_once(self) -> "Questionnaire":
        if twice := duplicates(item.id for item in self.items):
            raise ValueError(f"two items have the id {twice[0]}")
        return self

    def item(self, name: str) -> Item:
        """The item with this id."""
        return next(item for item in self.items if item.id == name)


def answer_problems(items: Iterable[Item], answers: Mapping[str, str], texts: Texts) -> dict[str, str]:
    """What is wrong with the answers to items, by their ids; empty if all are valid."""
    found = {item.id: item.problem(answers.get(item.id, ""), texts) for item in items}
    return {name: problem for name, problem in found.items() if problem}
