"""The suite: cycles of discovery in the worlds of their authors."""

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import MappingProxyType

from arena.errors import ConfigError
from arena.packages import installed, require
from evaluation.prompts import PromptSet
from evaluation.scale.references import FILE, Scale, by_kind
from evaluation.suite import Message, Suite, TaskSpec, rules
from evaluation.suites import unknown_task
from suites.discoveryworld.actions import available
from suites.discoveryworld.catalogue import (
    LEVELS,
    MOST_SEEDS,
    PAPER_SEEDS,
    THEMES,
    Kind,
    find_world,
    kinds,
    seed_list,
    selected,
)
from suites.discoveryworld.choices import DiscoveryWorldChoices


class DiscoveryWorldSuite(Suite):
    """Scientific discovery on a small colony."""

    name = task_name = "discoveryworld"
    title = "DiscoveryWorld"
    group_name = "theme"
    headline = MappingProxyType({"completion": "passed", "procedure": "score", "knowledge": "knowledge"})
    choices = DiscoveryWorldChoices

    def tasks(self, choices: DiscoveryWorldChoices, folder: Path | None) -> Sequence[TaskSpec]:
        """All worlds at the chosen seeds."""
        return [task for name in kinds() for task in self.named(name, choices, folder)]

    def named(self, name: str, choices: DiscoveryWorldChoices, folder: Path | None) -> Sequence[TaskSpec]:
        """The worlds of a theme, a level, or both, at the chosen seeds, or one with its seed."""
        if found := selected(name):
            return [_task(kind, seed) for kind in found for seed in seed_list(choices.seeds)]
        if (world := find_world(name)) is not None:
            return [_task(*world)]
        known = [*THEMES, *LEVELS, "unit", *kinds()]
        raise unknown_task(name, known, ", or a world such as proteomics-easy-0")

    def opening(self, choices: DiscoveryWorldChoices, prompts: PromptSet, episodes: int) -> list[Message]:
        """The rules."""
        lines = [f"- `{action.written}`: {action.does}" for action in available(choices.teleport)]
        seen = prompts[f"seen_{choices.observation}"].fill()
        return rules(choices, prompts, actions="\n".join(lines), seen=seen)

    def check(self, model: str, tasks: Sequence[TaskSpec], choices: DiscoveryWorldChoices) -> None:
        """Refuse a run where the package is missing, and a script that is for other worlds.

        Raises ConfigError, with what to install or to choose.
        """
        if not model:
            return
        require("discoveryworld")
        provider, _, agent = model.partition("/")
        # There is a script for each theme, which has its name.
        themes = THEMES if agent == "ideal" else (agent,)
        if provider != self.name or not set(themes) <= set(THEMES):
            return
        others = [task.id for task in tasks if task.id.rpartition("-")[0].rpartition("-")[0] not in themes]
        if others or not choices.teleport:
            what = f"not {others[0]}" if others else "with teleport = yes"
            names = ",".join(themes)
            raise ConfigError(f"{model}: it plays only worlds of {names}, {what}; use --tasks {names}")

    def versions(self) -> dict[str, str]:
        """That of the package too."""
        return super().versions() | installed("discoveryworld")


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


def split(name: str, choices: DiscoveryWorldChoices) -> Iterator[str]:
    """Ids of the worlds to test with, at the paper's seeds, or to train on, at all others."""
    paper = seed_list(PAPER_SEEDS)
    seeds = paper if name == "test" else range(len(paper), MOST_SEEDS)
    wanted = [kind for each in choices.tasks or kinds() for kind in selected(each)]
    return (f"{kind.name}-{seed}" for seed in seeds for kind in wanted)


SCALE = Scale(
    Path(__file__).with_name(FILE),
    scoring=1,
    agents={"random": "random", "ideal": "ideal"},
    matters=("steps", "teleport"),
    settings=({"seeds": "0-1"},),
    group=by_kind,
)
