"""Questionnaires: pages of questions in a study."""

from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from evaluation.by_hand.form import Accepted, Item, Line, Name, Section, duplicates


class Questionnaire(Section):
    """Questions on one page. `when`: before the tutorial, at every break, or after the last task.

    It is shown if the answers to all items of `if_` fit. Who gives an answer to an item of `screen` that is
    not accepted does not take part: the study ends after the page. In a study's file `survey` is the name of
    a file for SurveyJS, whose questions then are the items.
    """

    name: Name
    when: Literal["before", "between", "after"]
    if_: dict[str, Accepted] = Field(default={}, alias="if")
    screen: dict[str, Accepted] = Field(default={})
    title: Line
    text: str = ""
    sound: Line | None = None
    items: Annotated[tuple[Item, ...], Field(min_length=1, max_length=200)]
    survey: dict[str, Any] | None = None

    @model_validator(mode="after")
    def _ids_once(self) -> "Questionnaire":
        if twice := duplicates(item.id for item in self.items):
            raise ValueError(f"two items have the id {twice[0]}")
        return self

    def item(self, name: str) -> Item:
        """The item with this id."""
        return next(item for item in self.items if item.id == name)
