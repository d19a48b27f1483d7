"""The blocks of tasks in a study's file: tutorial, practice and test."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from people.play.worker_protocol import View
from people.study.questions.items import duplicates
from people.study.texts import Line, Name, Section
from testbed import SHORT_FORM

Order = Literal["listed", "random", "latin-square"]


class Block(Section):
    """Tasks that are played one after another, introduced by a page with `title`, `text` and `sound`.

    `tasks`: `short-form` (40 tasks), `children` (those that children did, of the original's files), or ids
    of the battery, or paths of files relative to the study's file. `feedback`: whether
    health, rewards and success are shown. `may_stop`: whether participants may end a task themselves.
    `limit_s`: seconds of play after which a task is ended (default: the arena's own limit only),
    `limit_pause_s`: seconds for which it may be paused altogether (default: no limit).
    """

    tasks: Literal["short-form", "children"] | tuple[Line, ...] = ()
    title: str = ""
    text: str = ""
    sound: Line | None = None
    feedback: bool = True
    may_stop: bool = False
    views: Annotated[tuple[View, ...], Field(min_length=1)] = ("first",)
    limit_s: float | None = Field(default=None, gt=0, le=1200)
    limit_pause_s: float | None = Field(default=None, ge=1, le=86_400)

    @property
    def task_ids(self) -> tuple[str, ...]:
        """The listed tasks one by one."""
        return SHORT_FORM if isinstance(self.tasks, str) else self.tasks


class PassedOf(Section):
    """A number of attempts passed of the last ones, over all tasks of the practice."""

    passed: int = Field(ge=1)
    of_last: int = Field(ge=1)

    @model_validator(mode="after")
    def _can_be_met(self) -> "PassedOf":
        if self.passed > self.of_last:
            raise ValueError(f"got {self.passed} passed of the last {self.of_last}, which nobody can reach")
        return self


Criterion = Annotated[PassedOf | None, BeforeValidator(lambda given: None if given == "all" else given)]


class Practice(Block):
    """Tasks that must be passed; after `tries` attempts (None: no limit) the next one follows anyway.

    `criterion`: what the practice is for; None, in the file "all": each task is passed. As soon as another
    one is met, the practice is over. `if_failed`: whether the study continues without it, or ends.
    """

    tries: int | None = Field(default=3, ge=1, le=100)
    criterion: Annotated[
        PassedOf | None, BeforeValidator(lambda given: None if given == "all" else given)
    ] = None
    if_failed: Literal["continue", "end"] = "continue"

    @model_validator(mode="after")
    def _can_be_met(self) -> "Practice":
        if self.criterion is None or not self.tasks:
            return self
        count, passed, last = len(self.task_ids), self.criterion.passed, self.criterion.of_last
        if passed > count:
            raise ValueError(f"criterion: got passed: {passed}, but each of the {count} tasks is passed once")
        if self.tries and last > count * self.tries:
            raise ValueError(f"criterion: got of_last: {last}, but there are {count * self.tries} attempts")
        return self


class Test(Block):
    """A block of the tasks that count; `name` distinguishes several.

    `tasks` may also be the word `children`: the 40 tasks that children did. Instead, `levels` draws the given
    number of tasks of each level from the battery, the same for everyone. `order`: as listed, random for each
    participant, or counterbalanced, so that over participants each task (`by: task`) or level (`by: level`)
    appears equally often in each position and after each other one. A break follows every `break_every`
    tasks. After `limit_minutes` of playing no further task of the block starts.
    """

    name: Name = "test"
    levels: dict[Annotated[int, Field(ge=1, le=10)], Annotated[int, Field(ge=1)]] = Field(default={})
    order: Order = "listed"
    by: Literal["task", "level"] = "task"
    break_every: int | None = Field(default=None, ge=1)
    limit_minutes: float | None = Field(default=None, gt=0)
    feedback: bool = False

    @model_validator(mode="after")
    def _one_source(self) -> "Test":
        if bool(self.tasks) == bool(self.levels):
            raise ValueError("either tasks or levels must be given, and not both")
        if self.name in ("tutorial", "practice"):
            raise ValueError(f"name: {self.name} is the name of another block; use another")
        return self


def _as_list(given: Any) -> Any:
    """A single block as a list of one."""
    return (given,) if isinstance(given, Mapping) else given


def _names_once(blocks: tuple[Test, ...]) -> tuple[Test, ...]:
    if twice := duplicates(block.name for block in blocks):
        raise ValueError(f"two blocks are named {twice[0]}; give each a name of its own")
    return blocks


Tests = Annotated[
    tuple[Test, ...], Field(min_length=1), BeforeValidator(_as_list), AfterValidator(_names_once)
]
