"""Which roles texts have, and how a demonstration is laid out: `layout.yaml` of a folder of prompts."""

from typing import Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from arena.errors import ConfigError
from evaluation.choices.keys import read_keys

FILE = "layout.yaml"


class Layout(BaseModel):
    """How the texts become messages; the defaults are those of a run without a prompts folder."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    roles: Literal["system", "user"] = Field(
        default="system",
        description="user: all that precedes the first reply, the system text included, is one message of "
        "the user",
    )
    demonstration: Literal["messages", "inside"] = Field(
        default="messages",
        description="inside: its turns stand in a message of the user, each with its label, in place of "
        "messages of their own",
    )
    notes: bool = Field(
        default=True, description="whether notes on the choices of the run follow the system text"
    )
    source: str = Field(default="", description="where the texts are from, for reports")

    def text(self) -> str:
        """As `layout.yaml` has it; empty for the defaults."""
        changed = self.model_dump(exclude_defaults=True)
        return yaml.safe_dump(changed, sort_keys=False) if changed else ""


def read_layout(text: str, source: str) -> Layout:
    """A layout from the text of its file. Raises ConfigError, with file:line, for what it cannot have."""
    values, lines = read_keys(source, text, tuple(Layout.model_fields), "roles: user")
    try:
        return Layout(**values)
    except ValidationError as error:
        problem = error.errors()[0]
        key = str(problem["loc"][0])
        expected = problem["msg"].removeprefix("Input should be ")
        raise ConfigError(
            f"{source}:{lines[key]}: {key}: got {problem['input']!r}, expected {expected}"
        ) from None
