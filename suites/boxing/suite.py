"""The suite for models: experiments in ten generative worlds, and predictions of others."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from arena.errors import ConfigError
from arena.packages import require
from evaluation.by_hand.form import Form
from evaluation.prompts import NO_FILES, PromptFiles, PromptSet
from evaluation.prompts.folder import with_files
from evaluation.selection import named
from evaluation.suite import Agent, EpisodeSetup, Observation, Suite, TaskSpec
from suites.boxing.choices import TRIES, BoxingChoices
from suites.boxing.environments import WORLDS
from suites.boxing.oracle import drawn, kinds
from suites.boxing.prompts import boxing_prompts

if TYPE_CHECKING:
    from inspect_ai.model import ChatMessage

    from suites.boxing.episode import BoxingEpisode

SCORING = 2
"""Version of the scoring. It is part of what defines a task: other scores are those of other tasks.

1: the verdict was an error below the mean of the prior's best answers over other worlds, and missing answers
were filled with these. 2: both errors are of the same world, and a missing answer is the worst of its range.
"""

_NUMBERS = 1000
"""Worlds of an environment that have an id."""


class BoxingSuite(Suite):
    """Choose experiments, and predict what comes of others."""

    name = "boxing"
    title = "BoxingGym (experimental design)"
    task_name = "boxing"
    group_name = "environment"
    choices = BoxingChoices
    presets = Path(__file__).parent / "presets"
    agents = ("prior-only", "random", "eig", "ideal")
    headline = MappingProxyType({"score": "score"})

    def tasks(self, choices: BoxingChoices, folder: Path | None) -> Sequence[TaskSpec]:
        """The first worlds of each environment and goal, or those named, such as dugongs-prediction-0.

        Raises ConfigError for a folder, as there are no task files, and for names that do not exist.
        """
        if folder is not None:
            raise ConfigError(f"{folder}: the suite boxing has no task files; its worlds are drawn by number")
        if choices.tasks is not None:
            parts = {each: _parts(each) for each in choices.tasks}
            return named([_task(*found) for found in parts.values() if found is not None], choices.tasks)
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

    def find_task(self, task_id: str, choices: BoxingChoices, folder: Path | None) -> TaskSpec | None:
        """The task of an id."""
        found = _parts(task_id)
        return None if found is None else _task(*found)

    def open(self, setup: EpisodeSetup) -> "BoxingEpisode":
        """A new episode."""
        from suites.boxing.episode import BoxingEpisode

        return BoxingEpisode(setup)

    def prompts(self, files: PromptFiles = NO_FILES, choices: BoxingChoices | None = None) -> PromptSet:
        """The texts beside `suites.boxing.prompts`, and the user's own."""
        return with_files(boxing_prompts(), files, choices)

    def opening(self, choices: BoxingChoices, prompts: PromptSet, episodes: int) -> "list[ChatMessage]":
        """The rules; what a world is about is part of its episode."""
        from inspect_ai.model import ChatMessageSystem

        rules = prompts["rules_story" if choices.wording == "story" else "rules"].fill()
        text = prompts["system"].fill(experiments=choices.experiments, tries=TRIES, rules=rules)
        return [ChatMessageSystem(content=text)]

    def agent(self, name: str) -> Agent | None:
        """`prior-only`; perfect inference after `random` or the best experiments (`eig`, also `ideal`)."""
        from suites.boxing.offline import agent

        return agent if name in self.agents else None

    def check(self, model: str, tasks: Sequence[TaskSpec], choices: BoxingChoices) -> None:
        """Raise ConfigError or EvaluationError if the apprentice's programs cannot be run here."""
        if choices.agent == "apprentice":
            from suites.boxing.apprentice.sandbox import check_confinement

            require("pymc")
            check_confinement()

    def form(self, task: TaskSpec, choices: BoxingChoices, observation: Observation) -> Form:
        """The numbers of a design or of an answer."""
        from suites.boxing.form import boxing_form

        return boxing_form(task, choices, observation)

    def most_replies(self, task: TaskSpec, choices: BoxingChoices) -> int:
        """As if every reply could be used; a goal other than prediction has one question."""
        one = task.content["goal"] != "prediction"
        return choices.model_copy(update={"questions": 1} if one else {}).bounds().replies or 0

    def versions(self) -> dict[str, str]:
        """Ours, and what computes."""
        from importlib.metadata import version

        return {**super().versions(), **{name: version(name) for name in ("numpy", "scipy")}}

    def panels(self, record: Mapping[str, Any]) -> Sequence[tuple[str, str]]:
        """Experiments with their regret, and answers beside the truth."""
        from suites.boxing.findings import episode_panels

        return episode_panels(record)

    def run_panels(self, records: Mapping[str, Sequence[Mapping[str, Any]]]) -> Sequence[tuple[str, str]]:
        """Errors beside the paper's, regret, novices and calibration."""
        from suites.boxing.findings import run_panels

        return run_panels(records)


def _task(name: str, goal: str, number: int) -> TaskSpec:
    """A world by its number; always the same one."""
    world, _ = drawn(name, number)
    content = {"environment": name, "goal": goal, "number": number}
    parameters = [f"{value:.9g}" for value in world.theta]
    facts = [content, parameters, SCORING, *([world.version] if world.version > 1 else [])]
    digest = hashlib.sha256(json.dumps(facts).encode()).hexdigest()
    metadata = {"goal": goal}
    return TaskSpec(_id(name, goal, number), name, digest, target=goal, metadata=metadata, content=content)


def _id(name: str, goal: str, number: int) -> str:
    return f"{name}-{goal}-{number}"


def _parts(task_id: str) -> tuple[str, str, int] | None:
    """Environment, goal and number of an id; None if it is none."""
    rest, _, digits = task_id.rpartition("-")
    name, _, goal = rest.rpartition("-")
    number = int(digits) if digits.isdecimal() and digits.isascii() and len(digits) < 4 else _NUMBERS
    known = (name, goal) in kinds() and number < _NUMBERS and task_id == _id(name, goal, number)
    return (name, goal, number) if known else None


def _check(choice: str, chosen: Sequence[str] | None, known: Sequence[str]) -> None:
    """Raise ConfigError for a name that does not exist."""
    if unknown := [each for each in chosen or () if each not in known]:
        raise ConfigError(f"{choice}: got {unknown[0]!r}, expected some of {', '.join(dict.fromkeys(known))}")


SUITE = BoxingSuite()
"""What the entry point names."""
