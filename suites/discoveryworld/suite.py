"""The suite: cycles of discovery in the worlds of their authors."""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from arena.errors import ConfigError
from evaluation.by_hand.form import Form
from evaluation.generation.judge import Ask
from evaluation.prompts import NO_FILES, PromptFiles, PromptSet
from evaluation.prompts.folder import with_files
from evaluation.selection import named
from evaluation.suite import Agent, EpisodeSetup, Observation, Record, Suite, TaskSpec
from suites.discoveryworld.actions import available
from suites.discoveryworld.catalogue import Kind, find_world, kinds, names, seed_list, selected
from suites.discoveryworld.choices import DiscoveryWorldChoices
from suites.discoveryworld.prompts import discoveryworld_prompts

if TYPE_CHECKING:
    from inspect_ai.model import ChatMessage
    from inspect_ai.tool import Tool

    from suites.discoveryworld.episode import DiscoveryWorldEpisode


_SCRIPTS = (
    *("proteomics", "chemistry", "archaeology", "reactor-lab"),
    *("plant-nutrients", "space-sick", "rocket-science", "translation"),
)
"""Agents that play the worlds of one theme."""


class DiscoveryWorldSuite(Suite):
    """Scientific discovery on a small colony."""

    name = "discoveryworld"
    title = "DiscoveryWorld"
    task_name = "discoveryworld"
    group_name = "theme"
    headline = MappingProxyType({"completion": "passed", "procedure": "score", "knowledge": "knowledge"})
    choices = DiscoveryWorldChoices
    presets = Path(__file__).parent / "presets"
    agents = ("random", *_SCRIPTS, "ideal")

    def tasks(self, choices: DiscoveryWorldChoices, folder: Path | None) -> Sequence[TaskSpec]:
        """All worlds at the chosen seeds, or those of the names: a theme, a level, both, or with a seed.

        Raises ConfigError for a folder and for an unknown name.
        """
        if folder is not None:
            raise ConfigError(
                f"{folder}: the suite discoveryworld has no task files; its worlds are the package's"
            )
        asked = tuple(kinds()) if choices.tasks is None else choices.tasks
        found = [task for name in asked for task in _tasks(name, choices)]
        return named(found, [task.id for task in found])

    def find_task(self, task_id: str, choices: DiscoveryWorldChoices, folder: Path | None) -> TaskSpec | None:
        """The task of an id."""
        found = find_world(task_id)
        return None if found is None else _task(*found)

    def open(self, setup: EpisodeSetup) -> "DiscoveryWorldEpisode":
        """A new episode. Raises EvaluationError if the package cannot load it."""
        from suites.discoveryworld.episode import DiscoveryWorldEpisode

        return DiscoveryWorldEpisode(setup)

    def prompts(
        self, files: PromptFiles = NO_FILES, choices: DiscoveryWorldChoices | None = None
    ) -> PromptSet:
        """The texts beside `suites.discoveryworld.prompts`, and the user's own."""
        return with_files(discoveryworld_prompts(), files, choices)

    def opening(
        self, choices: DiscoveryWorldChoices, prompts: PromptSet, episodes: int
    ) -> "list[ChatMessage]":
        """The rules."""
        from inspect_ai.model import ChatMessageSystem

        lines = [f"- `{action.written}`: {action.does}" for action in available(choices.teleport)]
        seen = prompts[f"seen_{choices.observation}"].fill()
        rules = prompts["system"].fill(actions="\n".join(lines), seen=seen)
        notes = [prompts["note_tools"].fill()] if choices.replies == "tools" else []
        return [ChatMessageSystem(content="\n\n".join([rules, *notes]))]

    def tools(self) -> "Mapping[str, Callable[[], Tool]]":
        """`act`."""
        from suites.discoveryworld.tools import TOOLS

        return TOOLS

    def called(self, tool: str, arguments: Mapping[str, Any]) -> str:
        """The reply that a call stands for."""
        from suites.discoveryworld.tools import reply_of

        return reply_of(arguments)

    def agent(self, name: str) -> Agent | None:
        """Random actions, and scripts that solve a theme."""
        from suites.discoveryworld.offline import agent

        return agent if name in self.agents else None

    def check(self, model: str, tasks: Sequence[TaskSpec], choices: DiscoveryWorldChoices) -> None:
        """Refuse a run where the package is missing, and a script that is for other worlds.

        Raises ConfigError, with what to install or to choose.
        """
        from suites.discoveryworld.package import check_installed

        check_installed()
        provider, _, agent = model.partition("/")
        themes = _SCRIPTS if agent == "ideal" else (agent,)
        if provider != self.name or not set(themes) <= set(_SCRIPTS):
            return
        others = [task.id for task in tasks if task.id.rpartition("-")[0].rpartition("-")[0] not in themes]
        if others or not choices.teleport:
            what = f"not {others[0]}" if others else "with teleport = yes"
            names = ",".join(themes)
            raise ConfigError(f"{model}: it plays only worlds of {names}, {what}; use --tasks {names}")

    def most_replies(self, task: TaskSpec, choices: DiscoveryWorldChoices) -> int:
        """The steps of a world."""
        return choices.steps_of(kinds()[task.content["kind"]])

    def form(self, task: TaskSpec, choices: DiscoveryWorldChoices, observation: Observation) -> Form:
        """A line for actions; in a conversation, what can be said."""
        from suites.discoveryworld.form import action_form

        return action_form(observation)

    async def judge(self, setup: EpisodeSetup, record: Record, ask: Ask) -> Record:
        """With what share of the critical questions the notes answer, by the model of the choice `judge`."""
        from suites.discoveryworld.judge import judged

        return await judged(setup, record, ask)

    def panels(self, record: Mapping[str, Any]) -> Sequence[tuple[str, str]]:
        """The scorecard, and what was found out."""
        from suites.discoveryworld.findings import episode_panels

        return episode_panels(record)

    def run_panels(self, records: Mapping[str, Sequence[Mapping[str, Any]]]) -> Sequence[tuple[str, str]]:
        """The three metrics beside the paper's agents and people."""
        from suites.discoveryworld.findings import run_panels

        return run_panels(records)

    def renderer(self, choices: DiscoveryWorldChoices) -> str | None:
        """The package itself; None without pictures."""
        from suites.discoveryworld.episode import DRAWN_BY

        return DRAWN_BY if choices.shows_images else None

    def versions(self) -> dict[str, str]:
        """That of the package too."""
        from importlib.metadata import PackageNotFoundError, version

        try:
            return super().versions() | {"discoveryworld": version("discoveryworld")}
        except PackageNotFoundError:
            return super().versions()


def _tasks(name: str, choices: DiscoveryWorldChoices) -> Iterator[TaskSpec]:
    """The tasks that a name stands for. Raises ConfigError if it stands for none."""
    if found := selected(name):
        seeds = seed_list(choices.seeds)
        yield from (_task(kind, seed) for kind in found for seed in seeds)
    elif (world := find_world(name)) is not None:
        yield _task(*world)
    else:
        near = get_close_matches(name, names(), n=1)
        hint = f"did you mean {near[0]}?" if near else f"expected {', '.join(names()[:12])}"
        raise ConfigError(f"no task {name}; {hint}, or a world such as proteomics-easy-0")


def _task(kind: Kind, seed: int) -> TaskSpec:
    return TaskSpec(
        f"{kind.name}-{seed}",
        kind.theme,
        hashlib.sha256(f"discoveryworld {kind.scenario} {kind.difficulty} {seed}".encode()).hexdigest(),
        target="task completed",
        metadata={"level": kind.level, "skill": kind.skill},
        content={"kind": kind.name, "theme": kind.theme, "level": kind.level, "seed": seed},
    )


SUITE = DiscoveryWorldSuite()
