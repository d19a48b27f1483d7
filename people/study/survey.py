"""SurveyJS questionnaires, with answers checked as those to other items. SurveyJS shows their JSON."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from evaluation.by_hand.form import MAX_ANSWER, Checkbox, Choice, Date, Name, Number, Question, Slider, Text
from people.pages import file_url

ONE = ("radiogroup", "dropdown", "buttongroup", "imagepicker")
SEVERAL = ("checkbox", "tagbox", "ranking")
SHOWN = ("html", "image", "expression")
"""Types without a question."""

Kind = Literal[
    "text", "comment", "boolean", "rating", "slider", "matrix", "multipletext", "panel", "radiogroup",
    "dropdown", "buttongroup", "imagepicker", "checkbox", "tagbox", "ranking", "html", "image",
    "expression",
]  # fmt: skip
NEEDED: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys((*ONE, *SEVERAL), ("name", "choices")),
    **dict.fromkeys((*SHOWN, "panel"), ()),
    "matrix": ("name", "rows", "columns"),
    "multipletext": ("name", "items"),
}
"""Keys that a type needs; others have a name only."""

REFUSED = ("triggers", "timeLimit", "maxTimeToFinish", "choicesByUrl", "choicesFromQuestion")
"""Keys whose effects only the browser knows. They affect the questions, or the permitted answers."""

EXTRAS = {
    "showOtherItem": "other", "hasOther": "other", "showNoneItem": "none", "hasNone": "none",
    "showRefuseItem": "refused", "showDontKnowItem": "dontknow",
}  # fmt: skip
"""Options that a key adds."""

PICTURES = ("imageLink", "logo")


class Part(BaseModel):
    """A part of a survey. Most keys are SurveyJS's own, and not needed here."""

    model_config = ConfigDict(frozen=True, extra="allow")

    @model_validator(mode="before")
    @classmethod
    def _is_known(cls, given: Any) -> Any:
        for key in REFUSED:
            if isinstance(given, Mapping) and given.get(key):
                raise ValueError(f"{key} is not supported; list the questions, with visibleIf")
        if isinstance(given, Mapping) and given.get("storeOthersAsComment") is False:
            raise ValueError("storeOthersAsComment: expected true, as other answers are comments")
        return given

    def other(self, key: str, default: Any = None) -> Any:
        """Return the value of another key."""
        return (self.model_extra or {}).get(key, default)

    def says(self, *keys: str) -> bool:
        """Return whether one of these other keys is set."""
        return any(map(self.other, keys))


class Entry(Part):
    """An option, row or column: a value and its displayed text."""

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

    @property
    def label(self) -> str:
        """Text displayed for the value."""
        return shown(self.text) or self.key


def _choices(entries: Iterable[Entry]) -> dict[str, Any]:
    """Options and labels of a choice."""
    given = tuple(entries)
    return {"options": tuple(each.key for each in given), "labels": tuple(each.label for each in given)}


class Panel(Part):
    """A page, a panel, or the whole survey."""

    pages: "tuple[Panel, ...]" = ()
    elements: "tuple[Element, ...]" = ()

    def questions(self, conditional: bool = False) -> Iterator[Question]:
        """Return the questions with stored answers. Each has an id of its own."""
        conditional = conditional or self.says("visibleIf", "enableIf") or not self.other("visible", True)
        for each in (*self.pages, *self.elements):
            yield from each.questions(conditional)
        for own in self._own():
            yield own.model_copy(update={"conditional": conditional or own.conditional})

    def _own(self) -> Iterator[Question]:
        yield from ()


class Element(Panel):
    """A question, a panel of them, or something to look at."""

    type: Kind = "text"
    name: Name = "question"
    title: Any = ""
    isRequired: bool = False
    inputType: str = "text"
    maxLength: int = Field(default=-1, le=MAX_ANSWER)
    min: Any = None
    max: Any = None
    step: float = 1
    rateMin: float = 1
    rateMax: float = 5
    rateCount: int | None = None
    rateStep: float = 1
    rateValues: tuple[Entry, ...] = ()
    choices: tuple[Entry, ...] = ()
    rows: tuple[Entry, ...] = ()
    columns: tuple[Entry, ...] = ()
    items: "tuple[Element, ...]" = ()
    valueTrue: Any = True
    valueFalse: Any = False
    correctAnswer: Any = None

    @property
    def ask(self) -> str:
        """Question, or the name of an element without one."""
        return shown(self.title) or self.name

    @model_validator(mode="after")
    def _is_whole(self) -> "Element":
        for key in NEEDED.get(self.type, ("name",)):
            if key not in self.model_fields_set or not getattr(self, key):
                raise ValueError(f"{key} is missing")
        try:
            list(self._own())
        except ValidationError as error:
            raise ValueError(error.errors()[0]["msg"].removeprefix("Value error, ")) from None
        return self

    def _own(self) -> Iterator[Question]:
        match self.type:
            case "matrix":
                yield from self._rows()
            case "multipletext":
                for each in self.items:
                    yield each.typed(f"{self.name}.{each.name}")
            case _ if self.type not in (*SHOWN, "panel"):
                yield self._question()
                if self.says("showOtherItem", "hasOther", "showCommentArea", "hasComment"):
                    about = f"Comment on: {self.ask}"
                    yield Text(id=f"{self.name}-Comment", ask=about, required=False, longest=MAX_ANSWER)

    def typed(self, name: str) -> Question:
        """Return a text, number or date, whose answer is stored under `name`."""
        ends = {key: value for key, value in (("least", self.min), ("most", self.max)) if value is not None}
        keys: dict[str, Any] = {"id": name, "ask": self.ask, "required": self.isRequired, **self._expected()}
        if self.inputType in ("number", "range"):
            return Number(**keys, **ends)
        if self.inputType == "date":
            return Date(**keys, **ends)
        return Text(**keys, longest=self.maxLength if self.maxLength > 0 else MAX_ANSWER)

    def _rows(self) -> Iterator[Question]:
        required = self.says("eachRowRequired", "isAllRowRequired")
        conditional, columns = self.says("rowsVisibleIf"), _choices(self.columns)
        for row in self.rows:
            name, ask = f"{self.name}.{row.key}", f"{self.ask}: {row.label}"
            yield Choice(id=name, ask=ask, required=required, conditional=conditional, **columns)

    def _question(self) -> Question:
        """Return the question of an element that has one."""
        if self.type in ("text", "comment"):
            return self.typed(self.name)
        keys = {"id": self.name, "ask": self.ask, "required": self.isRequired, **self._expected()}
        if self.type in ("rating", "slider") and not self.rateValues:
            return Slider(**keys, **self._scale())
        several = self.type in SEVERAL or (self.type == "imagepicker" and self.says("multiSelect"))
        return (Checkbox if several else Choice)(**keys, **_choices(self._options()))

    def _scale(self) -> dict[str, Any]:
        if self.type == "slider":
            if self.other("sliderType", "single") != "single":
                raise ValueError("sliderType: expected single")
            given = {"least": self.min, "most": self.max, "step": self.step}
            return {key: value for key, value in given.items() if value is not None}
        most = self.rateMax if self.rateCount is None else self.rateMin + (self.rateCount - 1) * self.rateStep
        low, high = (shown(self.other(key)) for key in ("minRateDescription", "maxRateDescription"))
        return {"least": self.rateMin, "most": most, "step": self.rateStep, "low": low, "high": high}

    def _options(self) -> tuple[Entry, ...]:
        if self.type == "boolean":
            return Entry(value=self.valueTrue), Entry(value=self.valueFalse)
        extras = dict.fromkeys(option for key, option in EXTRAS.items() if self.says(key))
        return (*(self.rateValues or self.choices), *(Entry(value=extra) for extra in extras))

    def _expected(self) -> dict[str, Any]:
        """Answer that passes an attention check: SurveyJS's `correctAnswer`."""
        given = self.correctAnswer
        several = given if isinstance(given, list) else [] if given is None else [given]
        return {"expect": tuple(Entry(value=each).key for each in several)}


def shown(text: Any) -> str:
    """Return a text, or one of several in different languages."""
    if isinstance(text, Mapping):
        text = text.get("default", next(iter(text.values()), ""))
    return str(text or "")


def pictures_in(part: Any) -> Iterator[str]:
    """Yield the names of the files of a survey's pictures."""
    for key, value in part.items() if isinstance(part, Mapping) else enumerate(part):
        if _is_picture(key, value):
            yield value
        elif isinstance(value, Mapping | list | tuple):
            yield from pictures_in(value)


def with_addresses(part: Any) -> Any:
    """Return a survey with its pictures' addresses in place of names."""
    if isinstance(part, list | tuple):
        return [with_addresses(each) for each in part]
    if not isinstance(part, Mapping):
        return part
    return {
        key: file_url(value) if _is_picture(key, value) else with_addresses(value)
        for key, value in part.items()
    }


def _is_picture(key: Any, value: Any) -> bool:
    """Return whether a value names the file of a picture. Others contain its data."""
    return key in PICTURES and isinstance(value, str) and not value.startswith("data:")
