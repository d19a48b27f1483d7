"""Suite for models: experiments in ten generative worlds, and predictions."""

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import MappingProxyType

from arena.errors import ConfigError
from arena.packages import installed, require
from evaluation.prompts import PromptSet
from evaluation.scale.references import FILE, Scale, by_kind
from evaluation.suite import Message, Suite, TaskSpec, rules
from suites.boxing.choices import TRIES, BoxingChoices
from suites.boxing.environments import WORLDS, drawn, kinds

SCORING = 2
"""Version of the scoring, a part of each task's definition. It is part of what defines a task: other scores
are those of other tasks.

1: the verdict was an error below the mean of the prior's best answers over other worlds, and missing answers
were filled with these. 2: both errors are of the same world, and a missing answer is the worst of its range.
"""

_NUMBERS = 1000
"""Worlds of an environment that have an id."""

_TEST_NUMBERS = 500
"""Number of first worlds for testing; the others are for training."""


class BoxingSuite(Suite):
    """Choose experiments, and predict outcomes."""

    name = task_name = "boxing"
    title = "BoxingGym (experimental design)"
    group_name = "environment"
    choices = BoxingChoices
    headline = MappingProxyType({"score": "score"})

    def tasks(self, choices: BoxingChoices, folder: Path | None) -> Sequence[TaskSpec]:
        """List the first worlds of each environment and goal. Raises ConfigError for names of environments
        and goals that do not exist."""
        every = list(kinds())
        _check("environments", choices.environments, [name for name, _ in every])
        _check("goals", choices.goals, [goal for _, goal in every])
        wanted = [
            (name, goal)
            for name, goal in every
            if name in (choices.environments or WORLDS) and goal in (choices.goals or (goal,))
        ]
        if not wanted:
            named_ones = ", ".join(choices.environments or ()), ", ".join(choices.goals or ())
            raise ConfigError("no task: environments {} have no goals {}".format(*named_ones))
        return [_task(name, goal, number) for name, goal in wanted for number in range(choices.seeds)]

    def named(self, name: str, choices: BoxingChoices, folder: Path | None) -> Sequence[TaskSpec] | None:
        """Find a world by its id, such as dugongs-prediction-0."""
        found = re.fullmatch(r"(.+)-([a-z]+)-(0|[1-9][0-9]{0,2})", name)
        known = found is not None and (found[1], found[2]) in kinds()
        return [_task(found[1], found[2], int(found[3]))] if found and known else None

    def opening(self, choices: BoxingChoices, prompts: PromptSet, episodes: int) -> list[Message]:
        """Compose the rules; the episode describes its world."""
        told = prompts["rules_story" if choices.wording == "story" else "rules"].fill()
        return rules(choices, prompts, experiments=choices.experiments, tries=TRIES, rules=told)

    def check(self, model: str, tasks: Sequence[TaskSpec], choices: BoxingChoices) -> None:
        """Raise ConfigError or EvaluationError if the apprentice's programs cannot run here."""
        if model and choices.agent == "apprentice":
            from suites.boxing.apprentice.sandbox import check_confinement

            require("pymc")
            check_confinement()

    def versions(self) -> dict[str, str]:
        """Versions of this package and its numerical libraries."""
        return super().versions() | installed("numpy", "scipy")


def _task(name: str, goal: str, number: int) -> TaskSpec:
    """Create a world's task by number, always the same."""
    world, _ = drawn(name, number)
    content = {"environment": name, "goal": goal, "number": number}
    parameters = [f"{value:.9g}" for value in world.theta]
    facts = [content, parameters, SCORING, *([world.version] if world.version > 1 else [])]
    digest = hashlib.sha256(json.dumps(facts).encode()).hexdigest()
    metadata = {"goal": goal}
    return TaskSpec(_id(name, goal, number), name, digest, target=goal, metadata=metadata, content=content)


def _id(name: str, goal: str, number: int) -> str:
    return f"{name}-{goal}-{number}"


def _check(choice: str, chosen: Sequence[str] | None, known: Sequence[str]) -> None:
    """Raise ConfigError for an unknown name."""
    if unknown := [each for each in chosen or () if each not in known]:
        raise ConfigError(f"{choice}: got {unknown[0]!r}, expected some of {', '.join(dict.fromkeys(known))}")


SUITE = BoxingSuite()
"""Suite of the entry point."""


def split(name: str, choices: BoxingChoices) -> Iterator[str]:
    """Yield ids for training or testing, taking turns among the chosen kinds."""
    wanted = SUITE.tasks(choices.model_copy(update={"seeds": 1}), None)
    numbers = range(_TEST_NUMBERS) if name == "test" else range(_TEST_NUMBERS, _NUMBERS)
    return (_id(str(task.group), task.target, number) for number in numbers for task in wanted)


SCALE = Scale(
    Path(__file__).with_name(FILE),
    scoring=SCORING,
    agents={"prior-only": "prior-only", "random": "random", "ideal": "ideal"},
    matters=("mode", "experiments", "questions"),
    settings=({"seeds": 5, "ask": "together"},),
    group=by_kind,
)
