"""The questions of a questionnaire, and what counts as an answer to them."""

import math
from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field, model_validator

from human_data.people.study.base import Line, Name, Part, Text
from human_data.people.study.words import Words

LONGEST_ANSWER = 5_000
"""Characters of a free answer: about two pages."""


class _Item(Part):
    id: Name
    ask: Text
    help: str = ""
    required: bool = True

    def problem(self, value: str, words: Words) -> str | None:
        """What is wrong with an answer, in words for the person; None where it can be kept."""
        if not value:
            return words.required if self.required else None
        return self._problem(value, words)

    def _problem(self, value: str, words: Words) -> str | None:
        raise NotImplementedError


class Choice(_Item):
    """One of several options."""

    type: Literal["choice"]
    options: Annotated[tuple[Line, ...], Field(min_length=2, max_length=100)]

    def _problem(self, value: str, words: Words) -> str | None:
        return None if value in self.options else words.choose_one


class Likert(_Item):
    """A scale from 1 to `points`, with words at its ends; the answer is the number."""

    type: Literal["likert"]
    points: int = Field(default=7, ge=2, le=11)
    low: str = ""
    high: str = ""

    def _problem(self, value: str, words: Words) -> str | None:
        return None if value in map(str, range(1, self.points + 1)) else words.choose_one


class Number(_Item):
    """A number from `least` to `most`, where these are given."""

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

    def _problem(self, value: str, words: Words) -> str | None:
        try:
            number = float(value.replace(",", "."))
        except ValueError:
            return words.a_number
        if not math.isfinite(number) or (self.whole and number != round(number)):
            return words.a_number
        low, high = self.least, self.most
        if (low is not None and number < low) or (high is not None and number > high):
            ends = ("" if end is None else f"{end:g}" for end in (low, high))
            return words.between.replace("{low}", next(ends)).replace("{high}", next(ends))
        return None


class FreeText(_Item):
    """Free words."""

    type: Literal["text"]
    lines: int = Field(default=3, ge=1, le=30)
    longest: int = Field(default=2_000, ge=1, le=LONGEST_ANSWER)

    def _problem(self, value: str, words: Words) -> str | None:
        return words.too_long.replace("{n}", str(self.longest)) if len(value) > self.longest else None


Item = Annotated[Choice | Likert | Number | FreeText, Field(discriminator="type")]


class Questionnaire(Part):
    """Questions on one page. `when`: before the tutorial, at every break, or after the last task."""

    name: Name
    when: Literal["before", "between", "after"]
    title: Line
    text: str = ""
    items: Annotated[tuple[Item, ...], Field(min_length=1, max_length=200)]

    @model_validator(mode="after")
    def _ids_once(self) -> "Questionnaire":
        ids = [item.id for item in self.items]
        if twice := sorted({one for one in ids if ids.count(one) > 1}):
            raise ValueError(f"the id {twice[0]} is given to two items")
        return self

    def problems(self, answers: Mapping[str, str], words: Words) -> dict[str, str]:
        """What is wrong with the answers, by the item's id; empty where all can be kept."""
        found = {item.id: item.problem(answers.get(item.id, ""), words) for item in self.items}
        return {name: problem for name, problem in found.items() if problem}
