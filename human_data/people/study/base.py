"""What all parts of a study's file have in common."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

LONGEST_TEXT = 20_000
"""Characters of a text; a consent form of ten pages has as many."""

Text = Annotated[str, Field(min_length=1, max_length=LONGEST_TEXT)]
Line = Annotated[str, Field(min_length=1, max_length=500)]
Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$")]
"""Names that become parts of files' names in an export; none begins with "_", which is kept for our own."""


class Part(BaseModel):
    """Frozen, and nothing but its keys may be there."""

    model_config = ConfigDict(frozen=True, extra="forbid")
