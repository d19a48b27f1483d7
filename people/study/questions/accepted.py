"""Answers on which something depends: whether a question is asked, or a participant takes part."""

from typing import Annotated, Any

from pydantic import BeforeValidator, model_validator

from people.study.texts import Line, Section


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
