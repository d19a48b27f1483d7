"""The stages that a person goes through, one after the other."""

from dataclasses import dataclass
from typing import Literal

from human_data.people.study.config import Block, Practice
from human_data.people.study.items import Questionnaire
from testbed import Task

Part = Literal["tutorial", "practice", "test"]


@dataclass(frozen=True, slots=True)
class Reading:
    """A page to read; a break is one too."""

    name: str
    title: str
    text: str
    is_break: bool = False


@dataclass(frozen=True, slots=True)
class Asking:
    """A page with questions; `page` is what their answers are kept under."""

    name: str
    page: str
    questionnaire: Questionnaire


@dataclass(frozen=True, slots=True)
class Playing:
    """A task. `number` of `count` tasks of its part, from 1; `position` as `Assignment` has it."""

    name: str
    part: Part
    block: Block
    task: Task
    position: int
    number: int
    count: int

    @property
    def tries(self) -> int | None:
        """How often it is played at most until it is passed; None: until it is passed."""
        return self.block.tries if isinstance(self.block, Practice) else 1


@dataclass(frozen=True, slots=True)
class End:
    """Nothing more comes."""

    name: Literal["completed", "withdrawn"]


Stage = Reading | Asking | Playing | End
"""`name` is that of one stage of a person only."""
