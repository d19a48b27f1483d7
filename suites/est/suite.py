"""The suite for models: nine objects, a machine, and which of the objects are Blickets."""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from arena.errors import ConfigError, EvaluationError
from evaluation.by_hand.form import Form
from evaluation.prompts import NO_FILES, PromptFiles, PromptSet
from evaluation.prompts.folder import with_files
from evaluation.scale.references import RUNNERS
from evaluation.selection import named
from evaluation.suite import Agent, EpisodeSetup, Observation, Suite, TaskSpec
from suites.est.choices import MOST_EPISODES, EstChoices
from suites.est.prompts import est_prompts
from suites.est.world import CONTEXT, HORIZON, PRESETS, draw

if TYPE_CHECKING:
    from inspect_ai.model import ChatMessage
    from inspect_ai.tool import Tool

    from suites.est.episode import EstEpisode


class EstSuite(Suite):
    """Blicket detection: which of nine objects light the machine?"""

    name = "est"
    title = "EST (Blicket detection)"
    task_name = "est"
    choices = EstChoices
    presets = Path(__file__).parent / "presets"

    @property
    def agents(self) -> tuple[str, ...]:  # type: ignore[override]
        """The reference agents."""
        from suites.est.agents import AGENTS

        return tuple(AGENTS)

    def tasks(self, choices: EstChoices, folder: Path | None) -> Sequence[TaskSpec]:
        """The first episodes of a machine, or those named, such as est-00007.

        Raises ConfigError for a folder, as there are no task files, and for an id that does not exist.
        """
        if folder is not None:
            raise ConfigError(f"{folder}: the suite est has no task files; its episodes are drawn by number")
        if choices.tasks is None:
            return [_task(choices.machine, number) for number in range(1, choices.episodes + 1)]
        known = [_numbered(choices.machine, task_id) for task_id in choices.tasks]
        found = {number: _task(choices.machine, number) for number in known if number is not None}
        if len(found) < len(choices.tasks) and None in known:
            wrong = choices.tasks[known.index(None)]
            raise ConfigError(
                f"no task {wrong}; with machine = {choices.machine} they are "
                f"{_id(choices.machine, 1)} to {_id(choices.machine, MOST_EPISODES)}"
            )
        return named(found.values(), choices.tasks)

    def task_version(self, folder: Path | None = None) -> str:
        """The version of the first episodes of all machines."""
        every = (EstChoices.model_validate({"machine": machine}) for machine in PRESETS)
        machines = (self.tasks(choices, folder) for choices in every)
        listed = "".join(f"{task.id} {task.sha256}\n" for tasks in machines for task in tasks)
        return hashlib.sha256(listed.encode()).hexdigest()[:12]

    def find_task(self, task_id: str, choices: EstChoices, folder: Path | None) -> TaskSpec | None:
        """The task of an id."""
        number = _numbered(choices.machine, task_id)
        return None if number is None else _task(choices.machine, number)

    def open(self, setup: EpisodeSetup) -> "EstEpisode":
        """A new episode."""
        from suites.est.episode import EstEpisode

        return EstEpisode(setup)

    def prompts(self, files: PromptFiles = NO_FILES, choices: EstChoices | None = None) -> PromptSet:
        """The texts beside `suites.est.prompts`, and the user's own."""
        return with_files(est_prompts(), files, choices)

    def opening(self, choices: EstChoices, prompts: PromptSet, episodes: int) -> "list[ChatMessage]":
        """The rules."""
        from inspect_ai.model import ChatMessageSystem

        low, high = PRESETS[choices.machine].blickets
        rule = "rule_est" if choices.machine == "ivre" else f"rule_{choices.machine}"
        rules = prompts["system"].fill(
            rule=prompts[rule].fill(), blickets=f"{low} to {high}", steps=HORIZON, context=CONTEXT
        )
        notes = [prompts["note_tools"].fill()] if choices.replies == "tools" else []
        return [ChatMessageSystem(content="\n\n".join([rules, *notes]))]

    def tools(self) -> "Mapping[str, Callable[[], Tool]]":
        """`experiment`."""
        from suites.est.tools import TOOLS

        return TOOLS

    def called(self, tool: str, arguments: Mapping[str, Any]) -> str:
        """The reply that a call stands for."""
        from suites.est.tools import reply_of

        return reply_of(arguments)

    def agent(self, name: str) -> Agent | None:
        """The reference agents, which read what a model reads."""
        from suites.est.offline import agent

        return agent if name in self.agents else None

    def form(self, task: TaskSpec, choices: EstChoices, observation: Observation) -> Form:
        """Sliders for beliefs, and objects to be tried."""
        from suites.est.form import est_form

        return est_form(task, choices, observation)

    def check(self, model: str, tasks: Sequence[TaskSpec], choices: EstChoices) -> None:
        """Refuse a reference agent that would have to look at pictures. Raises EvaluationError."""
        provider, _, agent = model.partition("/")
        if provider == self.name and agent not in RUNNERS and choices.observation == "image":
            raise EvaluationError(f"{model}: reads words, and this run has none; use --observation text")

    def panels(self, record: Mapping[str, Any]) -> Sequence[tuple[str, str]]:
        """Beliefs beside the exact ones."""
        from suites.est.findings import episode_panels

        return episode_panels(record)

    def run_panels(self, records: Mapping[str, Sequence[Mapping[str, Any]]]) -> Sequence[tuple[str, str]]:
        """Figures beside the paper's, regret by step, and calibration."""
        from suites.est.findings import run_panels

        return run_panels(records)

    def renderer(self, choices: EstChoices) -> str | None:
        """What draws pictures here; None if there are only words."""
        from render.context import drawn_by

        return drawn_by() if choices.shows_images else None


def _task(machine: str, number: int) -> TaskSpec:
    """An episode of a machine by its number; always the same one."""
    from suites.est.episode import Drawn
    from suites.est.things import appearances

    rng = np.random.default_rng([list(PRESETS).index(machine), number])
    drawn = draw(PRESETS[machine], 1, rng)
    blickets = np.flatnonzero(drawn.blickets[0]).tolist()
    context = tuple(tuple(np.flatnonzero(panel).tolist()) for panel in drawn.context[0])
    content = Drawn(appearances(rng), tuple(blickets), context).plain()
    digest = hashlib.sha256(json.dumps([machine, content]).encode()).hexdigest()
    return TaskSpec(
        _id(machine, number),
        f"{len(blickets)} Blicket{'s' * (len(blickets) != 1)}",
        digest,
        target=", ".join(str(k + 1) for k in blickets),
        metadata={"machine": machine},
        content=content,
    )


def _id(machine: str, number: int) -> str:
    return f"{machine}-{number:05}"


def _numbered(machine: str, task_id: str) -> int | None:
    """The number of a task of a machine by its id; None if it is none."""
    digits = task_id.rpartition("-")[2]
    number = int(digits) if digits.isdecimal() and digits.isascii() and len(digits) == 5 else 0
    return number if 1 <= number <= MOST_EPISODES and task_id == _id(machine, number) else None


SUITE = EstSuite()
