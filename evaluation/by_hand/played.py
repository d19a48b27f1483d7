"""Human-played episodes of any suite as files for replay."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import BaseModel, ValidationError
from pydantic_core import to_jsonable_python

from arena.errors import ArenaError, RecordingError
from arena.files import read_text
from evaluation.capabilities import logged_task, prompts_of
from evaluation.suite import EpisodeSetup, Record
from evaluation.suites import chosen_tasks, get_suite


class PlayedEpisode(BaseModel, frozen=True, extra="forbid", ser_json_inf_nan="constants"):
    """Setup and replies that reproduce a human-played episode. `task` is a `TaskSpec` and `record` a `Record`
    as plain values; `record` is None until the episode ends."""

    format: Literal["arena-llm episode"] = "arena-llm episode"
    suite: str
    task: Mapping[str, Any]
    trial: int = 0
    choices: Mapping[str, Any]
    versions: Mapping[str, str]
    record: Mapping[str, Any] | None = None

    @classmethod
    def of(cls, setup: EpisodeSetup) -> Self:
        """Create a new episode."""
        return cls(
            suite=setup.suite.name,
            task=to_jsonable_python(setup.task, inf_nan_mode="constants"),
            trial=setup.trial,
            choices=setup.choices.model_dump(mode="json"),
            versions=setup.suite.versions(),
        )

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read an episode file. Raises RecordingError without an episode, ConfigError if unreadable."""
        try:
            return cls.model_validate_json(read_text(path))
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(map(str, first["loc"])) or "file"
            raise RecordingError(f"{path}: no episode of a person ({where}: {first['msg']})") from None

    def ended(self, record: Record) -> Self:
        """Add the record of the ended episode."""
        plain = to_jsonable_python(record.as_dict(), inf_nan_mode="constants")
        return self.model_copy(update={"record": plain})

    def setup(self) -> EpisodeSetup:
        """Restore the episode's setup. Raises RecordingError if this installation cannot play it."""
        try:
            suite = get_suite(self.suite)
            choices = suite.choices.model_validate_json(json.dumps(suite.choices.renamed(self.choices)))
            task = logged_task(suite, self.task)
            tasks = chosen_tasks(suite, choices, None) if choices.needs_all_tasks else ()
            return EpisodeSetup(suite, task, self.trial, choices, prompts_of(suite, choices), tasks)
        except (ArenaError, ValidationError, KeyError, TypeError, ValueError) as error:
            said = " ".join(str(error).split())
            raise RecordingError(f"{self.suite}: this version cannot play the episode ({said})") from None
