"""Suite for models: hidden states, and experiments named in replies."""

import hashlib
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, BeforeValidator, Field
from pydantic_core import PydanticCustomError

from arena.science.families import FAMILIES, questions
from evaluation.choices.run_choices import PICTURE_FILES, Bounds, Rule, RunChoices
from evaluation.prompts import PromptSet
from evaluation.scale.references import FILE, Scale
from evaluation.suite import Message, Suite, TaskSpec, rules


def levels_of(text: str) -> tuple[int, ...]:
    """Parse levels such as `11`, `11,13` or `12-14`, ascending. Raises PydanticCustomError."""
    found: set[int] = set()
    for part in text.split(","):
        match = re.fullmatch(r"\s*([0-9]{2})\s*(?:-\s*([0-9]{2})\s*)?", part)
        levels = range(int(match[1]), int(match[2] or match[1]) + 1) if match else range(0)
        if not levels or not {*levels} <= FAMILIES.keys():
            raise PydanticCustomError("levels", "levels from 11 to 14, such as 11-13 or 11,14")
        found.update(levels)
    return tuple(sorted(found))


class LaboratoryChoices(RunChoices):
    """Prompting options of the laboratory."""

    levels: Annotated[str, BeforeValidator(str), AfterValidator(lambda text: levels_of(text) and text)] = (
        "11-14"
    )
    rules: ClassVar[tuple[Rule, ...]] = (*RunChoices.rules, *PICTURE_FILES)

    observation: Literal["text", "image"] = "text"
    image_size: int = Field(default=512, ge=256, le=1024)
    beliefs: bool = True
    strict: bool = False

    def bounds(self, content: Any = None) -> Bounds:
        """Bound an episode by experiments, as many beliefs, and a door. Texts have about 200 characters."""
        every = (each for level in levels_of(self.levels) for each in questions(level))
        experiments = content["experiments"] if content else max(each.experiments for each in every)
        images = int(self.shows_images)
        return Bounds(
            replies=experiments * (1 + self.beliefs) + 1,
            first_images=images,
            images=images,
            image_px=self.image_size,
            turn_tokens=60,
        )


FIRST_DRAWN, LAST_DRAWN = 1_000_000, 9_999_999
"""Variants of a task for training."""


class LaboratorySuite(Suite):
    """Four families of hidden states: machine, slopes, instrument and strange floor."""

    name = task_name = "laboratory"
    title = "The laboratory"
    group_name = "level"
    choices = LaboratoryChoices

    def tasks(self, choices: LaboratoryChoices, folder: Path | None) -> Sequence[TaskSpec]:
        """List the questions of the chosen levels."""
        levels = levels_of(choices.levels)
        return [_task(level, k + 1, 1) for level in levels for k in range(len(questions(level)))]

    def named(self, name: str, choices: LaboratoryChoices, folder: Path | None) -> Sequence[TaskSpec] | None:
        """Find a task by id: 11-01-01 or, for training, 11-01-1000000."""
        drawn = re.fullmatch(r"(1[1-4])-([0-2][0-9]|30)-([1-9][0-9]{6})", name)
        if drawn is None or drawn[2] == "00" or int(drawn[1]) not in levels_of(choices.levels):
            return super().named(name, choices, folder)
        return [_task(int(drawn[1]), int(drawn[2]), int(drawn[3]))]

    def opening(self, choices: LaboratoryChoices, prompts: PromptSet, episodes: int) -> list[Message]:
        """Compose the rules, with notes on pictures and beliefs if chosen."""
        notes = {"note_pictures": choices.shows_images, "note_beliefs": choices.beliefs}
        shown = (f"\n\n{prompts[name].fill()}" for name, wanted in notes.items() if wanted)
        return rules(choices, prompts, notes="".join(shown))


def _task(level: int, number: int, variant: int) -> TaskSpec:
    """Create a level's question by number from 1. Variants beyond 99 differ in the hidden state."""
    question, task_id = questions(level)[number - 1], f"{level}-{number:02}-{variant:02}"
    defines = question.model_dump_json() + (task_id if variant >= FIRST_DRAWN else "")
    return TaskSpec(
        task_id,
        level,
        hashlib.sha256(defines.encode()).hexdigest(),
        target="the right door",
        metadata={"family": FAMILIES[level], "asks": question.asks},
        content=question.model_dump(mode="json"),
    )


SUITE = LaboratorySuite()


def split(name: str, choices: LaboratoryChoices) -> Iterator[str]:
    """Yield ids for testing, or for training with other hidden states."""
    tasks = [task.id for task in SUITE.tasks(choices, None)]
    if name == "test":
        return iter(tasks)
    return (f"{task[:5]}-{variant}" for variant in range(FIRST_DRAWN, LAST_DRAWN + 1) for task in tasks)


SCALE = Scale(
    Path(__file__).with_name(FILE),
    scoring=1,
    agents={"prior-only": "prior-only", "random": "random", "ideal": "ideal"},
)
