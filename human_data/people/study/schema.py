"""Types shared by all parts of a study's file."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

MAX_TEXT = 20_000
"""Characters of a text; a consent form of ten pages has as many."""

Text = Annotated[str, Field(min_length=1, max_length=MAX_TEXT)]
Line = Annotated[str, Field(min_length=1, max_length=500)]
Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$")]
"""Names that become parts of file names in an export. A leading "_" is reserved for internal rows."""


class Section(BaseModel):
    """A part of the file: immutable, and without unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid")
