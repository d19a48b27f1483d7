"""Questionnaires in the JSON of SurveyJS: it shows them, and answers are checked as those to other items."""

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from evaluation.by_hand.form import MAX_ANSWER, Checkbox, Choice, Date, Name, Number, Question, Slider, Text
from people.pages import file_url

DISPLAYS = ("html", "image", "expression")
ONE = ("radiogroup", "dropdown", "buttongroup", "imagepicker")
SEVERAL = ("checkbox", "tagbox", "ranking")

Kind = Literal[
    "text", "comment", "boolean", "rating", "slider", "matrix", "multipletext", "panel", "radiogroup",
    "dropdown", "buttongroup", "imagepicker", "checkbox", "tagbox", "ranking", "html", "image", "expression",
]  # fmt: skip
REFUSED = ("triggers", "timeLimit", "maxTimeToFinish", "choicesByUrl", "choicesFromQuestion")
"""Keys whose effects on what is asked, or may be answered, only the browser knows."""

EXTRAS = {
    "other": ("showOtherItem", "hasOther"),
    "none": ("showNoneItem", "hasNone"),
    "refused": ("showRefuseItem",),
    "dontknow": ("showDontKnowItem",),
}
"""Options that a key adds."""

PICTURES = ("imageLink", "logo")


class Part(BaseModel):
    """A part of a survey; most keys are SurveyJS's own."""

    model_config = ConfigDict(frozen=True, extra="allow")

    @model_validator(mode="before")
    @classmethod
    def _is_known(cls, given: Any) -> Any:
        for key in REFUSED:
            if isinstance(given, Mapping) and given.get(key):
                raise ValueError(f"{key} is not supported; list what is asked, with visibleIf")
        return given

    def says(self, *keys: str) -> bool:
        """Whether one of these keys is set."""
        return any((self.model_extra or {}).get(key) for key in keys)


class Entry(Part):
    """An option, row or column: a value, and the text that is shown for it."""

    value: str | bool | int | float
    text: Any = None

    @model_validator(mode="before")
    @classmethod
    def _short(cls, given: Any) -> Any:
        return given if isinstance(given, Mapping) else {"value": given}

    @property
    def key(self) -> str:
        """The value as text, as the page sends it."""
        return str(self.value).lower() if isinstance(self.value, bool) else f"{self.value}"


Entries = tuple[Entry, ...]


class Input(Part):
    """A line of text, of the kind `inputType`."""

    name: Name = "question"
    title: Any = ""
    inputType: str = "text"
    min: Any = None
    max: Any = None
    maxLength: int = Field(default=-1, le=MAX_ANSWER)
    isRequired: bool = False

    def typed(self, name: str, **keys: Any) -> Question:
        """The question, whose answer is stored under `name`."""
        keys = keys | {"id": name, "ask": shown(self.title) or name, "required": self.isRequired}
        ends = {key: value for key, value in (("least", self.min), ("most", self.max)) if value is not None}
        match self.inputType:
            case "number" | "range":
                return Number(**keys, **ends)
            case "date":
                return Date(**keys, **ends)
        return Text(**keys, longest=self.maxLength if self.maxLength > 0 else MAX_ANSWER)


class Element(Input):
    """A question, a panel of them, or something to look at."""

    type: Kind
    elements: "tuple[Element, ...]" = ()
    choices: Entries = ()
    rows: Entries = ()
    columns: Entries = ()
    items: tuple[Input, ...] = ()
    rateValues: Entries = ()
    rateMin: float = 1
    rateMax: float = 5
    rateCount: int | None = None
    rateStep: float = 1
    step: float = 1
    valueTrue: Any = True
    valueFalse: Any = False
    correctAnswer: Any = None

    @model_validator(mode="after")
    def _is_whole(self) -> "Element":
        if self.type not in ("panel", *DISPLAYS) and "name" not in self.model_fields_set:
            raise ValueError("name is missing")
        needed = {"matrix": ("rows", "columns"), "multipletext": ("items",)}
        for key in needed.get(self.type, ("choices",) if self.type in (*ONE, *SEVERAL) else ()):
            if not getattr(self, key):
                raise ValueError(f"{key}: got none, expected a list")
        if self.type == "slider" and (self.model_extra or {}).get("sliderType", "single") != "single":
            raise ValueError("sliderType: expected single")
        try:
            list(self.questions())
        except ValidationError as error:
            raise ValueError(error.errors()[0]["msg"].removeprefix("Value error, ")) from None
        return self

    def questions(self, conditional: bool = False) -> Iterator[Question]:
        """The questions whose answers are stored, each with an id of its own."""
        conditional = conditional or self.says("visibleIf", "enableIf") or not self.says_visible
        keys: dict[str, Any] = {"conditional": conditional}
        if self.type == "panel":
            for each in self.elements:
                yield from each.questions(conditional)
        elif self.type == "multipletext":
            yield from (each.typed(f"{self.name}.{each.name}", **keys) for each in self.items)
        elif self.type == "matrix":
            yield from self._rows(keys | {"conditional": conditional or self.says("rowsVisibleIf")})
        elif self.type not in DISPLAYS:
            yield self._question(keys)
            if self.says("showOtherItem", "hasOther", "showCommentArea", "hasComment"):
                about = f"Comment on: {shown(self.title) or self.name}"
                yield Text(id=f"{self.name}-Comment", ask=about, required=False, longest=MAX_ANSWER, **keys)

    @property
    def says_visible(self) -> bool:
        """Whether it is visible in the beginning."""
        return bool((self.model_extra or {}).get("visible", True))

    def _rows(self, keys: dict[str, Any]) -> Iterator[Question]:
        required = self.says("eachRowRequired", "isAllRowRequired")
        options = tuple(each.key for each in self.columns)
        for row in self.rows:
            ask = f"{shown(self.title) or self.name}: {shown(row.text) or row.key}"
            yield Choice(id=f"{self.name}.{row.key}", ask=ask, options=options, required=required, **keys)

    def _question(self, keys: dict[str, Any]) -> Question:
        """The question of an element that has one."""
        if self.type in ("text", "comment"):
            return self.typed(self.name, **keys, **self._expected())
        keys = keys | {"id": self.name, "ask": shown(self.title) or self.name, "required": self.isRequired}
        if self.type in ("rating", "slider") and not self.rateValues:
            return Slider(**keys, **self._scale(), **self._expected())
        several = self.type in SEVERAL or (self.type == "imagepicker" and self.says("multiSelect"))
        kind = Checkbox if several else Choice
        return kind(**keys, options=self._options(), **self._expected())

    def _scale(self) -> dict[str, Any]:
        if self.type == "slider":
            given = {"least": self.min, "most": self.max, "step": self.step}
            return {key: value for key, value in given.items() if value is not None}
        most = self.rateMax if self.rateCount is None else self.rateMin + (self.rateCount - 1) * self.rateStep
        extra = self.model_extra or {}
        low, high = (shown(extra.get(key)) for key in ("minRateDescription", "maxRateDescription"))
        return {"least": self.rateMin, "most": most, "step": self.rateStep, "low": low, "high": high}

    def _options(self) -> tuple[str, ...]:
        if self.type == "boolean":
            return tuple(Entry(value=each).key for each in (self.valueTrue, self.valueFalse))
        extras = [option for option, keys in EXTRAS.items() if self.says(*keys)]
        return (*(each.key for each in self.rateValues or self.choices), *extras)

    def _expected(self) -> dict[str, Any]:
        """What checks attention: SurveyJS's `correctAnswer`."""
        if self.correctAnswer is None:
            return {}
        several = self.correctAnswer if isinstance(self.correctAnswer, list) else [self.correctAnswer]
        return {"expect": tuple(Entry(value=each).key for each in several)}


class Page(Part):
    """A page of a survey."""

    elements: tuple[Element, ...] = ()


class Survey(Part):
    """A whole survey: pages, or the elements of a single one."""

    pages: tuple[Page, ...] = ()
    elements: tuple[Element, ...] = ()

    def questions(self) -> tuple[Question, ...]:
        """All questions, in their order."""
        own = [question for each in self.elements for question in each.questions()]
        for page in self.pages:
            conditional = page.says("visibleIf", "enableIf")
            own += [question for each in page.elements for question in each.questions(conditional)]
        return tuple(own)


def shown(text: Any) -> str:
    """A text, or one of several in different languages."""
    if isinstance(text, Mapping):
        text = text.get("default", next(iter(text.values()), ""))
    return str(text or "")


def pictures_in(part: Any) -> Iterator[str]:
    """The names of the files of a survey's pictures."""
    for key, value in part.items() if isinstance(part, Mapping) else enumerate(part):
        if _is_picture(key, value):
            yield value
        elif isinstance(value, Mapping | list | tuple):
            yield from pictures_in(value)


def with_addresses(part: Any) -> Any:
    """A survey with the addresses of its pictures in place of their names."""
    if isinstance(part, list | tuple):
        return [with_addresses(each) for each in part]
    if not isinstance(part, Mapping):
        return part
    return {
        key: file_url(value) if _is_picture(key, value) else with_addresses(value)
        for key, value in part.items()
    }


def _is_picture(key: Any, value: Any) -> bool:
    """Whether a value names the file of a picture; others contain its data."""
    return key in PICTURES and isinstance(value, str) and not value.startswith("data:")
