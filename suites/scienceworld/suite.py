"""Suite of thirty tasks of school science in the authors' simulator."""

import hashlib
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from arena.packages import installed
from evaluation.choices.run_choices import Bounds, RunChoices
from evaluation.scale.references import FILE, Scale, by_kind
from evaluation.suite import Suite, TaskSpec
from evaluation.suites import unknown_task
from suites.scienceworld.catalogue import Kind, Split, find_variation, kinds, spread, variation_id

PAPER_STEPS = 100
"""Steps of an episode in all experiments of the paper."""

MOVES, MOST_COMMANDS = 100, 200
"""Maximum moves of the budget `moves`, as in the package, and commands."""

GOLD_FACTOR = 2
"""Steps of an episode with the budget `gold`, per gold command."""


class ScienceWorldChoices(RunChoices):
    """Prompting options of ScienceWorld."""

    tool_names: ClassVar[tuple[str, ...]] = ("act",)

    split: Split = "test"
    variations: Annotated[int, Field(ge=1)] | None = 3
    simplifications: Literal["easy", "plain"] = "easy"
    budget: Literal["paper", "moves", "gold"] = Field(
        default="paper",
        description=f"paper: {PAPER_STEPS} steps; gold: {GOLD_FACTOR} x the gold path; "
        f"moves: {MOVES} by the package's count",
    )
    hints: Literal["none", "objects", "actions"] = "none"

    def bounds(self, content: Any = None) -> Bounds:
        """Bound an episode by one reply per step. Gold paths differ from load to load, so that their lengths
        are estimates."""
        tasks = kinds() if content is None else [content["task"]]
        gold = GOLD_FACTOR * max(kinds()[task].gold for task in tasks)
        longest = {"paper": PAPER_STEPS, "moves": MOST_COMMANDS, "gold": gold}[self.budget]
        hints = {"none": 0, "objects": 200, "actions": 3000}[self.hints]
        return Bounds(replies=longest, turn_tokens=300 + hints, told_tokens=60)


class ScienceWorldSuite(Suite):
    """School science in a world of words."""

    name = task_name = "scienceworld"
    title = "ScienceWorld"
    group_name = "topic"
    headline = MappingProxyType({"score": "score"})
    choices = ScienceWorldChoices

    def tasks(self, choices: ScienceWorldChoices, folder: Path | None) -> Sequence[TaskSpec]:
        """List the chosen variations of all tasks."""
        return [task for name in kinds() for task in self.named(name, choices, folder)]

    def named(self, name: str, choices: ScienceWorldChoices, folder: Path | None) -> Sequence[TaskSpec]:
        """Find a task's variations by number or name, or one variation. Such as 4-1, find-living-thing, and
        4-1-0225."""
        by_name = {kind.name: kind for kind in kinds().values()}
        kind = kinds().get(name) or by_name.get(name)
        if kind is not None:
            chosen = spread(kind.variations(choices.split), choices.variations)
            return [_task(kind, variation) for variation in chosen]
        if (found := find_variation(name)) is not None:
            return [_task(*found)]
        raise unknown_task(name, [*kinds(), *by_name], ", or a variation such as 4-1-0225")

    def check(self, model: str, tasks: Sequence[TaskSpec], choices: ScienceWorldChoices) -> None:
        """Refuse missing simulator or Java. Raises ConfigError, with what to install."""
        from suites.scienceworld.java import check_installed

        if model:
            check_installed()

    def versions(self) -> dict[str, str]:
        """Versions, including the simulator's."""
        return super().versions() | installed("scienceworld")


def _task(kind: Kind, variation: int) -> TaskSpec:
    return TaskSpec(
        variation_id(kind, variation),
        kind.topic,
        hashlib.sha256(f"scienceworld {kind.name} {variation}".encode()).hexdigest(),
        target="score 100",
        metadata={"title": kind.title},
        content={"task": kind.task, "name": kind.name, "variation": variation},
    )


SUITE = ScienceWorldSuite()


def split(name: str, choices: ScienceWorldChoices) -> Iterator[str]:
    """Yield a published split's ids, taking turns among the chosen tasks."""
    every = choices.model_copy(update={"split": name, "variations": None})
    found = [SUITE.named(task, every, None) for task in choices.tasks or kinds()]
    return (task.id for tasks in zip_longest(*found) for task in tasks if task is not None)


SCALE = Scale(
    Path(__file__).with_name(FILE),
    scoring=1,
    agents={"random": "random-valid", "ideal": "gold"},
    matters=("split", "simplifications", "budget"),
    group=by_kind,
)
