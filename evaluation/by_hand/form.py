"""Forms of suites and questionnaires, and checks of answers. An answer is a text as a page sends it, empty if
the question was skipped; several options are one text, a list in JSON."""

import json
import math
import re
import string
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal
from random import Random
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, Self

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from arena.errors import ConfigError

MAX_TEXT = 20_000
"""Maximum characters of a text, such as a consent form (ten pages)."""

MAX_ANSWER = 5_000
"""Default maximum characters of an answer, about two pages."""

LONGEST = 120_000
"""Maximum characters that any answer may allow, 10,000 words. A form has at most 512 KiB."""

NAME = r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$"
Name = Annotated[str, Field(pattern=NAME)]
"""Names used in file names of an export. A leading "_" is reserved for internal rows."""
Prose = Annotated[str, Field(min_length=1, max_length=MAX_TEXT)]
Line = Annotated[str, Field(min_length=1, max_length=500)]
Option = Annotated[str, Field(min_length=1, max_length=2_000)]
Bound = Annotated[float | None, Field(allow_inf_nan=False)]


class Section(BaseModel):
    """Immutable part of a form or study file, without unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class AnswerTexts(Section):
    """Messages about wrong answers. `{low}` and `{high}` are limits, `{n}` is a number."""

    required: str = "Please answer this question."
    choose_one: str = "Please choose one of these."
    a_number: str = "Please enter a number."
    a_whole_number: str = "Please enter a whole number."
    between: str = "Please enter a number from {low} to {high}."
    at_least: str = "Please enter a number that is at least {low}."
    at_most: str = "Please enter a number that is at most {high}."
    a_date: str = "Please enter a date, such as 2026-03-31."
    date_between: str = "Please enter a date from {low} to {high}."
    date_at_least: str = "Please enter {low} or a later date."
    date_at_most: str = "Please enter {high} or an earlier date."
    too_long: str = "Please write at most {n} characters."

    def outside(self, low: str, high: str, kind: str = "") -> str:
        """Format the message for an answer outside limits, either possibly "". `kind` is "" or "date_"."""
        end = "between" if low and high else "at_least" if low else "at_most"
        text: str = getattr(self, f"{kind}{end}")
        return text.replace("{low}", low).replace("{high}", high)


ENGLISH = AnswerTexts()


def number_of(text: str) -> float | None:
    """Parse a finite number with decimal point or comma; None if invalid."""
    try:
        value = float(text.replace(",", "."))
    except ValueError:
        return None
    # Python would also read 1_000.
    return value if math.isfinite(value) and "_" not in text else None


def plain_number(text: str) -> str:
    """Write a number with a decimal point; other texts stay. "5,50" becomes "5.5", in ASCII digits."""
    value = number_of(text)
    if value is None:
        return text
    if text.isdecimal():
        return str(int(text))
    digits = format(Decimal(repr(value)), "f")
    return digits.rstrip("0").rstrip(".") if "." in digits else digits


def date_of(text: str) -> date | None:
    """Parse a date such as 2026-03-31 (ISO 8601); None if invalid."""
    try:
        return date.fromisoformat(text) if re.fullmatch(r"\d{4}-\d{2}-\d{2}", text, re.ASCII) else None
    except ValueError:
        return None


def as_list(values: Iterable[str]) -> str:
    """Join options to one answer, a list in JSON."""
    return json.dumps(list(values), ensure_ascii=False)


def list_of(text: str) -> tuple[str, ...] | None:
    """Split an answer made by `as_list` into options; None if invalid."""
    try:
        values = json.loads(text[: MAX_TEXT * 2])
    except (ValueError, RecursionError):
        return None
    is_list = isinstance(values, list) and all(isinstance(value, str) for value in values)
    return tuple(values) if is_list else None


def duplicates(values: Iterable[str]) -> list[str]:
    """List values that occur more than once, sorted."""
    return sorted(value for value, count in Counter(values).items() if count > 1)


def _listed(value: Any) -> Any:
    return (value,) if isinstance(value, str) else value


def _once(options: tuple[str, ...]) -> tuple[str, ...]:
    if twice := duplicates(options):
        raise ValueError(f"the option {twice[0]!r} is listed twice")
    return options


def _iso_date(value: Any) -> Any:
    if isinstance(value, str) and date_of(value) is None:
        raise ValueError(f"got {value[:40]!r}, expected a date such as 2026-03-31")
    return value


Expected = Annotated[tuple[Option, ...], BeforeValidator(_listed)]
Options = Annotated[tuple[Option, ...], Field(min_length=1, max_length=300), AfterValidator(_once)]
Day = Annotated[date | None, BeforeValidator(_iso_date)]


def _is_between(value: Any, least: Any, most: Any) -> bool:
    return (least is None or value >= least) and (most is None or value <= most)


class Accepted(Section):
    """Accepted answers: any of `values`, or a number or date within limits. In the file a value or a list
    suffices."""

    values: Expected = ()
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


class Question(Section):
    """Question, whose answer is stored under `id`.

    It is asked if the answers to all items of `if_` fit. With `expect` it checks attention: only this answer,
    or one of these, is right. The page decides about showing one that is `conditional`.
    """

    id: Name
    ask: Prose
    help: str = ""
    sound: Line | None = None
    required: bool = True
    if_: dict[str, Accepted] = Field(default={}, alias="if")
    expect: Expected = ()
    conditional: bool = False

    stays: ClassVar[bool] = True
    """Keeps the previous turn's answer if a form is shown again."""
    column: ClassVar[Literal["text", "integer", "number"]] = "text"
    """Type of the answers' column in an export."""

    @model_validator(mode="after")
    def _expects_an_answer(self) -> Self:
        for value in self.expect:
            if not self.is_answer(value):
                raise ValueError(f"expect: {value!r} is not an answer to this item")
        return self

    @property
    def levels(self) -> dict[str, str]:
        """Map answers to their meanings if both are fixed."""
        options: tuple[str, ...] = getattr(self, "options", ())
        return dict(zip(options, getattr(self, "labels", ()) or options, strict=False))

    def problem(self, answer: str, texts: AnswerTexts = ENGLISH) -> str | None:
        """Explain an invalid answer in words of `texts`; None if valid."""
        if not answer:
            return texts.required if self.required else None
        return self._problem(answer, texts)

    def value(self, answer: str) -> Any:
        """Convert a valid answer to its meaning, for the form's reply."""
        return answer

    def said(self, value: Any) -> str:
        """Format a value for people."""
        return str(value)

    def stored(self, answer: str) -> str:
        """Normalise a valid answer for storage. Numbers get plain digits and a point."""
        return answer

    def example(self, source: Random) -> str:
        """Draw a valid answer at random. A right one for an attention check."""
        return source.choice(self.expect) if self.expect else self._example(source)

    def is_answer(self, value: str) -> bool:
        """Return whether a value can be the answer or one of several."""
        return self._problem(value, ENGLISH) is None

    def is_as_expected(self, answer: str) -> bool | None:
        """Return whether an attention check was passed; None for other items."""
        if not self.expect:
            return None
        return any(self.same(answer, expected) for expected in self.expect) if answer else False

    def accepts(self, answer: str, accepted: Accepted) -> bool:
        """Return whether an answer is among the accepted ones; never if unanswerable."""
        if accepted.values:
            return any(self.same(each, one) for each in self.chosen(answer) for one in accepted.values)
        rank = self.rank(answer)
        least, most = (None if end is None else self.rank(end) for end in (accepted.least, accepted.most))
        return rank is not None and _is_between(rank, least, most)

    def accepted_problem(self, accepted: Accepted) -> str | None:
        """Explain an `if` or `screen` that cannot fit this item. None if it can."""
        for value in accepted.values:
            if not self.is_answer(value):
                return f"{value!r} is not an answer to {self.id}"
        for end in (accepted.least, accepted.most):
            if end is not None and self.rank(end) is None:
                return f"got {end!r}, but least and most are numbers or, for a date, dates such as 2026-03-31"
        return None if accepted.values or self._can_fit(accepted) else "no answer to this item fits"

    def _can_fit(self, accepted: Accepted) -> bool:
        """Return whether the item's numbers or dates overlap the accepted range."""
        low, high = self.ends
        lows, highs = (low, accepted.least), (high, accepted.most)
        ranks = [[self.rank(str(each)) or 0.0 for each in ends if each is not None] for ends in (lows, highs)]
        return not all(ranks) or max(ranks[0]) <= min(ranks[1])

    @property
    def ends(self) -> tuple[Any, Any]:
        """Return the minimum and maximum answer; None: no limit."""
        return getattr(self, "least", None), getattr(self, "most", None)

    def chosen(self, answer: str) -> tuple[str, ...]:
        """List the answers in an answer: itself, or several options."""
        return (answer,) if answer else ()

    def same(self, one: str, other: str) -> bool:
        """Return whether two answers mean the same."""
        first, second = self.rank(one), self.rank(other)
        return first == second if first is not None else one == other

    def rank(self, answer: str) -> float | None:
        """Convert an answer to a number for ordered items; None for others."""
        return None

    def _problem(self, answer: str, texts: AnswerTexts) -> str | None:
        raise NotImplementedError

    def _example(self, source: Random) -> str:
        raise NotImplementedError


class Box(NamedTuple):
    """Rectangle of the last picture, in fractions (0 to 1) of its size."""

    left: float
    top: float
    right: float
    bottom: float


class Choice(Question):
    """Single choice; `labels` explain the options where necessary.

    `pictures` are files in the study's folder, one for each option, which is its text. A click into one of
    `boxes`, of which each option has one or none has any, also chooses the option.
    """

    type: Literal["choice"] = "choice"
    options: Options
    labels: tuple[str, ...] = ()
    pictures: tuple[Line, ...] = ()
    boxes: tuple[Box, ...] = ()

    @model_validator(mode="after")
    def _all_pictured(self) -> Self:
        if len(self.pictures) not in (0, len(self.options)):
            raise ValueError(f"got {len(self.pictures)} pictures for {len(self.options)} options")
        return self

    def _problem(self, answer: str, texts: AnswerTexts) -> str | None:
        return None if answer in self.options else texts.choose_one

    def _example(self, source: Random) -> str:
        return source.choice(self.options)


class Checkbox(Question):
    """Multiple choice, at least one option if required. The value is their positions.

    With `expect` exactly these options must be chosen. A click into one of `boxes`, of which each option has
    one or none has any, also chooses the option.
    """

    type: Literal["checkbox"] = "checkbox"
    options: Options
    labels: tuple[str, ...] = ()
    boxes: tuple[Box, ...] = ()

    def value(self, answer: str) -> tuple[int, ...]:
        """Convert to positions of the chosen options, ascending."""
        return tuple(sorted(map(self.options.index, self.chosen(answer))))

    def said(self, value: Iterable[int]) -> str:
        """List the chosen options, "–" if empty."""
        return ", ".join(self.options[place] for place in value) or "–"

    def is_answer(self, value: str) -> bool:
        """Return whether the value is an option."""
        return value in self.options

    def is_as_expected(self, answer: str) -> bool | None:
        """Return whether exactly the expected options were chosen. None if any may be."""
        return set(self.chosen(answer)) == set(self.expect) if self.expect else None

    def chosen(self, answer: str) -> tuple[str, ...]:
        """List the options of an answer."""
        return list_of(answer) or ()

    def example(self, source: Random) -> str:
        """Draw some options, or choose the expected ones."""
        some = source.sample(self.options, source.randint(1, len(self.options)))
        return as_list(self.expect or some)

    def _problem(self, answer: str, texts: AnswerTexts) -> str | None:
        chosen = self.chosen(answer)
        if not set(chosen) <= set(self.options) or duplicates(chosen):
            return texts.choose_one
        return None if chosen else texts.required


class _Ranged(Question):
    """Question with numeric answers."""

    column: ClassVar[Literal["text", "integer", "number"]] = "number"

    def said(self, value: Any) -> str:
        """Format the number with any unit."""
        return f"{value:.10g} {getattr(self, 'unit', '')}".strip()

    def rank(self, answer: str) -> float | None:
        """Convert the answer to a number."""
        return number_of(answer)

    def stored(self, answer: str) -> str:
        """Write the number in plain digits."""
        return plain_number(answer)

    def value(self, answer: str) -> float:
        """Convert to a number, an int if it is whole."""
        number = number_of(answer) or 0.0
        return int(number) if number == round(number) else number

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        low, high = self.ends
        if low is not None and high is not None and low > high:
            raise ValueError("most is smaller than least")
        return self

    def _problem(self, answer: str, texts: AnswerTexts) -> str | None:
        number = number_of(answer)
        if number is None:
            return texts.a_number
        if _is_between(number, *self.ends):
            return None
        low, high = ("" if end is None else f"{end:g}" for end in self.ends)
        return texts.outside(low, high)


class Likert(_Ranged):
    """Scale from 1 to `points` with labels at its ends."""

    type: Literal["likert"] = "likert"
    points: int = Field(default=7, ge=2, le=11)
    low: str = ""
    high: str = ""
    column = "integer"

    @property
    def levels(self) -> dict[str, str]:
        """Map the points to the labels at the ends."""
        points = {str(point): str(point) for point in range(1, self.points + 1)}
        return points | {"1": self.low or "1", str(self.points): self.high or str(self.points)}

    @property
    def ends(self) -> tuple[Any, Any]:
        """Return 1 and `points`."""
        return 1, self.points

    def _problem(self, answer: str, texts: AnswerTexts) -> str | None:
        return None if answer in map(str, range(1, self.points + 1)) else texts.choose_one

    def _example(self, source: Random) -> str:
        return str(source.randint(1, self.points))


class Number(_Ranged):
    """Typed number, optionally limited by `least` and `most`."""

    type: Literal["number"] = "number"
    least: Bound = None
    most: Bound = None
    whole: bool = False
    unit: str = ""
    stays = False

    def _problem(self, answer: str, texts: AnswerTexts) -> str | None:
        number = number_of(answer)
        if self.whole and number is not None and number != round(number):
            return texts.a_whole_number
        return super()._problem(answer, texts)

    def _example(self, source: Random) -> str:
        low = self.least if self.least is not None else (self.most or 100.0) - 100.0
        high = self.most if self.most is not None else low + 100.0
        if self.whole:
            return str(source.randint(math.ceil(low), math.floor(high)))
        return repr(min(max(round(source.uniform(low, high), 2), low), high))


class Slider(_Ranged):
    """Number set by a slider without an initial value. Labels mark its ends.

    The answer is `least` plus a multiple of `step`. The slider starts at `start`, by default the middle;
    `shown` displays its number with the unit.
    """

    type: Literal["slider"] = "slider"
    least: Annotated[float, Field(allow_inf_nan=False)] = 0.0
    most: Annotated[float, Field(allow_inf_nan=False)] = 100.0
    step: float = Field(default=1.0, gt=0, allow_inf_nan=False)
    start: Bound = None
    low: str = ""
    high: str = ""
    unit: str = ""
    shown: bool = False

    @model_validator(mode="after")
    def _can_move(self) -> Self:
        if self.most - self.least < self.step:
            raise ValueError("step is larger than the distance from least to most")
        return self

    def _problem(self, answer: str, texts: AnswerTexts) -> str | None:
        steps = ((number_of(answer) or 0.0) - self.least) / self.step
        # Browsers compute with the same 53 bits, in another order.
        on_grid = abs(steps - round(steps)) <= 1e-6 * max(1.0, abs(steps))
        return super()._problem(answer, texts) or (None if on_grid else texts.a_number)

    def _example(self, source: Random) -> str:
        steps = math.floor((self.most - self.least) / self.step + 1e-9)
        return f"{self.least + self.step * source.randint(0, steps):.10g}"


class Date(Question):
    """Date within `least` and `most`, if given. The answer is such as 2026-03-31 (ISO 8601)."""

    type: Literal["date"] = "date"
    least: Day = None
    most: Day = None

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.least is not None and self.most is not None and self.least > self.most:
            raise ValueError("most is before least")
        return self

    def rank(self, answer: str) -> float | None:
        """Convert the date to its day number."""
        day = date_of(answer)
        return None if day is None else day.toordinal()

    def _problem(self, answer: str, texts: AnswerTexts) -> str | None:
        day = date_of(answer)
        if day is None:
            return texts.a_date
        if _is_between(day, self.least, self.most):
            return None
        low, high = ("" if end is None else end.isoformat() for end in self.ends)
        return texts.outside(low, high, "date_")

    def _example(self, source: Random) -> str:
        last = self.most or max(date(2020, 1, 1), self.least or date.min)
        first = self.least or max(date.min, last - timedelta(days=min(36_500, last.toordinal() - 1)))
        return (first + timedelta(days=source.randint(0, (last - first).days))).isoformat()


class Text(Question):
    """Free text."""

    type: Literal["text"] = "text"
    lines: int = Field(default=3, ge=1, le=30)
    longest: int = Field(default=2_000, ge=1, le=LONGEST)
    stays = False

    def same(self, one: str, other: str) -> bool:
        """Compare texts, ignoring capital letters and spaces at their ends."""
        return one.strip().casefold() == other.strip().casefold()

    def _problem(self, answer: str, texts: AnswerTexts) -> str | None:
        return texts.too_long.replace("{n}", str(self.longest)) if len(answer) > self.longest else None

    def _example(self, source: Random) -> str:
        words = ("".join(source.choices(string.ascii_lowercase, k=6)) for _ in range(3))
        return f"Simulated: {' '.join(words)}"[: self.longest]


class Command(Text):
    """Line of text with completions from `templates`.

    Templates are whole texts, in which each `OBJ` stands for one of `words`. Each of `buttons` is a text that
    one click sends. The beginnings of templates, and below the line the words `near`, can be clicked instead
    of typed. Any other text can be entered too.
    """

    type: Literal["command"] = "command"  # type: ignore[assignment]
    templates: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    buttons: tuple[str, ...] = ()
    near: str = ""

    @property
    def starts(self) -> tuple[str, ...]:
        """List template beginnings, up to the first of the words."""
        return tuple(each.partition("OBJ")[0] for each in self.templates if "OBJ" in each[1:])

    def _example(self, source: Random) -> str:
        texts = (*self.buttons, *self.templates) or ("1", "a")
        return re.sub("OBJ", lambda _: source.choice(self.words or ("1",)), source.choice(texts))


Item = Annotated[Choice | Checkbox | Likert | Slider | Number | Date | Text, Field(discriminator="type")]
"""Question of a questionnaire."""

Values = Mapping[str, Any]
"""Answer meanings by question id; see `Question.value`."""


Reply = Callable[[Values], str]
"""Function that converts values to a reply in a model's format."""


def answer_problems(
    questions: Iterable[Question], answers: Mapping[str, str], texts: AnswerTexts = ENGLISH
) -> dict[str, str]:
    """Explain invalid answers by question id; empty if all are valid."""
    found = {each.id: each.problem(answers.get(each.id, ""), texts) for each in questions}
    return {name: problem for name, problem in found.items() if problem}


class WrongAnswer(ConfigError):
    """Answer that does not fit a `question`, given by id."""

    def __init__(self, question: Question, problem: str) -> None:
        super().__init__(f"{question.ask}: {problem}")
        self.question = question.id


@dataclass(frozen=True)
class Form:
    """Form for answering an observation.

    `intro` says what is asked now, and `task` in every step what the episode is about. `reply` converts the
    values to a reply as a model would write it; `check` raises ConfigError for a wrong reply, and `reply` may
    do so, too. `text` replaces the observation's texts, which are for models; `help` is shown on request.
    Raises ValueError if two questions have the same id.
    """

    intro: str
    questions: tuple[Question, ...]
    reply: Reply = field(repr=False)
    check: Callable[[str], None] | None = field(default=None, repr=False)
    text: str | None = None
    help: str = ""
    task: str = ""

    def __post_init__(self) -> None:
        if twice := duplicates(each.id for each in self.questions):
            raise ValueError(f"form: two questions have the same id: {twice}")

    def said(self, values: Values) -> str:
        """Format the entered values for people, a line per question."""
        given = [(each.ask, each.said(values[each.id])) for each in self.questions]
        return (
            given[0][1] if len(given) == 1 else "\n".join(f"{ask.rstrip('?')}: {said}" for ask, said in given)
        )

    def read(self, answers: Mapping[str, str], texts: AnswerTexts = ENGLISH) -> Values:
        """Convert answers to values. Raises WrongAnswer, or ConfigError if the reply of all does not fit."""
        wrong = answer_problems(self.questions, answers, texts)
        for each in self.questions:
            if each.id in wrong:
                raise WrongAnswer(each, wrong[each.id])
        values = {each.id: each.value(answers.get(each.id, "")) for each in self.questions}
        reply = self.reply(values)
        if self.check is not None:
            self.check(reply)
        return values
