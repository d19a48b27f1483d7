"""The stages that a participant goes through, one after another."""

from dataclasses import dataclass
from typing import Literal

from people.store.participation import EndName
from people.study.parts.blocks import Block, Practice, Test
from people.study.questions.questionnaire import Questionnaire
from testbed import Task

Phase = Literal["tutorial", "practice", "test"]


@dataclass(frozen=True, slots=True)
class TextStage:
    """A page to read, such as an introduction or a break; `block`: as of `QuestionStage`."""

    name: str
    title: str
    text: str
    is_break: bool = False
    block: str = ""
    sound: str | None = None


@dataclass(frozen=True, slots=True)
class QuestionStage:
    """A page with questions; answers are stored under `page`.

    `block` is the name of the block of the test that it is shown in, "" for none.
    """

    name: str
    page: str
    questionnaire: Questionnaire
    block: str = ""


@dataclass(frozen=True, slots=True)
class TaskStage:
    """A task: `number` of `count` tasks of its phase, from 1; `position` as in `Assignment`."""

    name: str
    phase: Phase
    block: Block
    task: Task
    position: int
    number: int
    count: int

    @property
    def block_name(self) -> str:
        """The name of the block: tutorial, practice, or that of a block of the test."""
        return self.block.name if isinstance(self.block, Test) else self.phase

    @property
    def tries(self) -> int | None:
        """Maximum number of attempts at passing it; None: no limit."""
        return self.block.tries if isinstance(self.block, Practice) else 1


@dataclass(frozen=True, slots=True)
class EndStage:
    """The end of the study; screened: does not fit it, failed: did not meet the criterion of the practice,
    left: was away for too long.
    """

    name: EndName


Stage = TextStage | QuestionStage | TaskStage | EndStage
"""`name` is unique among the stages of a participant."""
