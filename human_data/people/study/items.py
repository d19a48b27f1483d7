"""The items of a questionnaire, and the validation of answers."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Annotated, Literal

from pydantic import Field, model_validator

from human_data.people.study.texts import Line, Name, Section, Text, Texts

MAX_ANSWER = 5_000
"""Characters of a free answer, about two pages."""


def duplicates(values: Iterable[str]) -> list[str]:
    """The values that occur more than once, sorted."""
    return sorted(value for value, count in Counter(values).items() if count > 1)


class _Item(Section):
    id: Name
    ask: Text
    help: str = ""
    required: bool = True

    def problem(self, value: str, texts: Texts) -> str | None:
        """What is wrong with an answer, as shown to the participant; None if it is valid."""
        if not value:
            return texts.required if self.required else None
        return self._problem(value, texts)

    def _problem(self, value: str, texts: Texts) -> str | None:
        raise NotImplementedError


class Choice(_Item):
    """One of several options."""

    type: Literal["choice"]
    options: Annotated[tuple[Line, ...], Field(min_length=2, max_length=100)]

    def _problem(self, value: str, texts: Texts) -> str | None:
        return None if value in self.options else texts.choose_one


class Likert(_Item):
    """A scale from 1 to `points` with labels at its ends; the answer is the number."""

    type: Literal["likert"]
    points: int = Field(default=7, ge=2, le=11)
    low: str = ""
    high: str = ""

    def _problem(self, value: str, texts: Texts) -> str | None:
        return None if value in map(str, range(1, self.points + 1)) else texts.choose_one


class Number(_Item):
    """A number, from `least` to `most` if these are given."""

    type: Literal["number"]
    least: float | None = Field(default=None, allow_inf_nan=False)
    most: float | None = Field(default=None, allow_inf_nan=False)
    whole: bool = False
    unit: str = ""

    @model_validator(mode="after")
    def _in_order(self) -> "Number":
        if self.least is not None and self.most is not None and self.least > self.most:
            raise ValueError("most is smaller than least")
        return self

    def _problem(self, value: str, texts: Texts) -> str | None:
        try:
            number = float(value.replace(",", "."))
        except ValueError:
            return texts.a_number
        if not math.isfinite(number) or (self.whole and number != round(number)):
            return texts.a_number
        low, high = self.least, self.most
        if (low is not None and number < low) or (high is not None and number > high):
            ends = ("" if end is None else f"{end:g}" for end in (low, high))
            return texts.between.replace("{low}", next(ends)).replace("{high}", next(ends))
        return None


class FreeText(_Item):
    """Free text."""

    type: Literal["text"]
    lines: int = Field(default=3, ge=1, le=30)
    longest: int = Field(default=2_000, ge=1, le=MAX_ANSWER)

    def _problem(self, value: str, texts: Texts) -> str | None:
        return texts.too_long.replace("{n}", str(self.longest)) if len(value) > self.longest else None


Item = Annotated[Choice | Likert | Number | FreeText, Field(discriminator="type")]


class Questionnaire(Section):
    """Questions on one page. `when`: before the tutorial, at every break, or after the last task."""

    name: Name
    when: Literal["before", "between", "after"]
    title: Line
    text: str = ""
    items: Annotated[tuple[Item, ...], Field(min_length=1, max_length=200)]

    @model_validator(mode="after")
    def _ids_once(self) -> "Questionnaire":
        if twice := duplicates(item.id for item in self.items):
            raise ValueError(f"two items have the id {twice[0]}")
        return self

    def problems(self, answers: Mapping[str, str], texts: Texts) -> dict[str, str]:
        """What is wrong with the answers, by the item's id; empty if all are valid."""
        found = {item.id: item.problem(answers.get(item.id, ""), texts) for item in self.items}
        return {name: problem for name, problem in found.items() if problem}
