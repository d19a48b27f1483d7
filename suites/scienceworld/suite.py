"""The suite: thirty tasks of school science in the simulator of their authors."""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from arena.errors import ConfigError
from evaluation.by_hand.form import Form
from evaluation.prompts import NO_FILES, PromptFiles, PromptSet
from evaluation.prompts.folder import with_files
from evaluation.selection import named
from evaluation.suite import Agent, EpisodeSetup, Observation, Suite, TaskSpec
from suites.scienceworld.catalogue import Kind, find_variation, kinds, spread, variation_id
from suites.scienceworld.choices import ScienceWorldChoices
from suites.scienceworld.prompts import scienceworld_prompts

if TYPE_CHECKING:
    from inspect_ai.model import ChatMessage
    from inspect_ai.tool import Tool

    from suites.scienceworld.episode import ScienceWorldEpisode


class ScienceWorldSuite(Suite):
    """School science in a world of words."""

    name = "scienceworld"
    title = "ScienceWorld"
    task_name = "scienceworld"
    group_name = "topic"
    headline = MappingProxyType({"score": "score"})
    choices = ScienceWorldChoices
    presets = Path(__file__).parent / "presets"
    agents = ("gold", "random-valid")

    def tasks(self, choices: ScienceWorldChoices, folder: Path | None) -> Sequence[TaskSpec]:
        """The chosen variations of all tasks, or of those named by number (4-1) or name (find-living-thing).

        A variation can be named too: 4-1-0225. Raises ConfigError for a folder and for an unknown name.
        """
        if folder is not None:
            raise ConfigError(
                f"{folder}: the suite scienceworld has no task files; its worlds are the simulator's"
            )
        names = tuple(kinds()) if choices.tasks is None else choices.tasks
        found = [task for name in names for task in _tasks(name, choices)]
        return named(found, [task.id for task in found])

    def find_task(self, task_id: str, choices: ScienceWorldChoices, folder: Path | None) -> TaskSpec | None:
        """The task of an id."""
        return _variation(task_id)

    def open(self, setup: EpisodeSetup) -> "ScienceWorldEpisode":
        """A new episode. Raises SimulatorLost if Java ends while it begins."""
        from suites.scienceworld.episode import ScienceWorldEpisode

        return ScienceWorldEpisode(setup)

    def prompts(self, files: PromptFiles = NO_FILES, choices: ScienceWorldChoices | None = None) -> PromptSet:
        """The texts beside `suites.scienceworld.prompts`, and the user's own."""
        return with_files(scienceworld_prompts(), files, choices)

    def opening(self, choices: ScienceWorldChoices, prompts: PromptSet, episodes: int) -> "list[ChatMessage]":
        """The rules."""
        from inspect_ai.model import ChatMessageSystem

        notes = [prompts["note_tools"].fill()] if choices.replies == "tools" else []
        return [ChatMessageSystem(content="\n\n".join([prompts["system"].fill(), *notes]))]

    def tools(self) -> "Mapping[str, Callable[[], Tool]]":
        """`act`."""
        from suites.scienceworld.tools import TOOLS

        return TOOLS

    def called(self, tool: str, arguments: Mapping[str, Any]) -> str:
        """The reply that a call stands for."""
        from suites.scienceworld.tools import reply_of

        return reply_of(arguments)

    def agent(self, name: str) -> Agent | None:
        """The gold path and random valid commands."""
        from suites.scienceworld.offline import agent

        return agent if name in self.agents else None

    def check(self, model: str, tasks: Sequence[TaskSpec], choices: ScienceWorldChoices) -> None:
        """Refuse a run where the simulator or Java is missing. Raises ConfigError, with what to install."""
        from suites.scienceworld.java import check_installed

        check_installed()

    def most_replies(self, task: TaskSpec, choices: ScienceWorldChoices) -> int:
        """The steps of the task."""
        return choices.most_steps(task.content["task"])

    def form(self, task: TaskSpec, choices: ScienceWorldChoices, observation: Observation) -> Form:
        """A box for commands."""
        from suites.scienceworld.form import command_form

        return command_form(observation)

    def panels(self, record: Mapping[str, Any]) -> Sequence[tuple[str, str]]:
        """Subgoals and when they were reached."""
        from suites.scienceworld.findings import episode_panels

        return episode_panels(record)

    def run_panels(self, records: Mapping[str, Sequence[Mapping[str, Any]]]) -> Sequence[tuple[str, str]]:
        """Scores beside the paper's, by task and topic, subgoals, and the masked twins."""
        from suites.scienceworld.findings import run_panels

        return run_panels(records)

    def versions(self) -> dict[str, str]:
        """That of the simulator too."""
        from importlib.metadata import PackageNotFoundError, version

        try:
            return super().versions() | {"scienceworld": version("scienceworld")}
        except PackageNotFoundError:
            return super().versions()


def _tasks(name: str, choices: ScienceWorldChoices) -> Iterator[TaskSpec]:
    """The tasks that a name stands for. Raises ConfigError if it stands for none."""
    by_name = {kind.name: kind for kind in kinds().values()}
    kind = kinds().get(name) or by_name.get(name)
    if kind is not None:
        for variation in spread(kind.variations(choices.split), choices.variations):
            yield _task(kind, variation)
    elif (task := _variation(name)) is not None:
        yield task
    else:
        near = get_close_matches(name, [*kinds(), *by_name], n=1)
        hint = f"did you mean {near[0]}?" if near else f"expected {', '.join(kinds())}"
        raise ConfigError(f"no task {name}; {hint}, or a variation such as 4-1-0225")


def _variation(task_id: str) -> TaskSpec | None:
    """The task of an id, None if there is none."""
    found = find_variation(task_id)
    return None if found is None else _task(*found)


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
