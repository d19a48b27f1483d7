"""A whole benchmark: its tasks, its plan and its figures."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console

from benchmarks.measure import Effort
from benchmarks.parts import Part, measure_part
from benchmarks.peers.contenders import SIDES, Contender
from benchmarks.peers.report import comparison_dict, print_comparison
from benchmarks.peers.rounds import Comparison, Rounds, advances, compare
from benchmarks.profile import StageTimes, print_profile, profile_dicts, profile_steps
from benchmarks.profile_tasks import (
    TaskProfile,
    print_task_profiles,
    profile_tasks,
    task_profile_dicts,
    task_rounds,
)
from benchmarks.report import busy_words, print_machine, print_parts
from benchmarks.result import Result
from benchmarks.rl.measure import RlFigures, RlPlan, measure_rl, rl_advances
from benchmarks.rl.report import figure_dicts, print_rl
from testbed import CHILDREN, Task, find_tasks, task_named
from testbed.tasks import LEVELS_FOLDER


class Selection(NamedTuple):
    """Tasks with their description."""

    tasks: tuple[Task, ...]
    words: str


def select_tasks(folder: Path | None, every: int = 1) -> Selection:
    """The 40 tasks that children did, if the folder has them all, or all tasks of the folder.

    The default folder is the shipped battery. Of these tasks, every `every`-th is taken.
    Raises ConfigError if the folder has no tasks, or a broken one.
    """
    root = folder or LEVELS_FOLDER
    place = f"in {folder}" if folder else "of the shipped battery"
    if set(CHILDREN) <= {path.stem for path in root.rglob("*.yaml")}:
        found, words = tuple(task_named(name, folder) for name in CHILDREN), f"children's tasks {place}"
    else:
        found, words = find_tasks(None, folder), f"tasks {place}"
    chosen = found[::every]
    count = f"the {len(found)}" if every == 1 else f"{len(chosen)} of the {len(found)}"
    return Selection(chosen, f"{count} {words}")


@dataclass(frozen=True)
class Plan:
    """What is measured: parts over tasks, contenders on one scene, a step's stages, and the figures that
    matter for reinforcement learning (`rl`, None for none)."""

    parts: Sequence[Part]
    tasks: Sequence[Task]
    effort: Effort
    contenders: Sequence[Contender]
    profile: bool
    rounds: Rounds
    seed: int
    rl: RlPlan | None = None

    def __len__(self) -> int:
        return len(self.parts) + bool(self.contenders) + self.profile + bool(self.rl)

    @property
    def advances(self) -> int:
        """How often `measure` calls `advance`."""
        parts = self.effort.passes * len(self.tasks) * len(self.parts)
        peers = advances(self.contenders, self.rounds) if self.contenders else 0
        profile = self.profile * (self.rounds.count * len(SIDES) + task_rounds(self.rounds))
        return parts + peers + profile + (rl_advances(self.rl) if self.rl else 0)


@dataclass
class Figures:
    """The figures so far; `done` counts the completed parts of the plan."""

    parts: list[Result] = field(default_factory=list)
    comparison: Comparison = field(default_factory=lambda: Comparison([]))
    profiles: list[StageTimes] = field(default_factory=list)
    task_profiles: list[TaskProfile] = field(default_factory=list)
    rl: RlFigures = field(default_factory=RlFigures)
    done: int = 0

    def sections(self) -> dict[str, Any]:
        """The figures besides those of the parts, as plain values."""
        sections: dict[str, Any] = {}
        if self.comparison.rows:
            sections["peers"] = comparison_dict(self.comparison)
        if self.profiles:
            sections["profile"] = profile_dicts(self.profiles)
        if self.task_profiles:
            sections["profile_tasks"] = task_profile_dicts(self.task_profiles)
        if self.rl.figures:
            sections["rl"] = {"figures": figure_dicts(self.rl.figures), "notes": self.rl.notes}
        return sections


def measure(plan: Plan, figures: Figures, advance: Callable[[str], None]) -> None:
    """Carry out a plan step by step; `figures` keeps what was completed before an interruption."""
    for part in plan.parts:
        figures.parts.append(
            measure_part(part, plan.tasks, plan.effort, plan.seed, partial(advance, part.name))
        )
        figures.done += 1
    if plan.contenders:
        compare(plan.contenders, plan.rounds, plan.seed, advance, figures.comparison)
        figures.done += 1
    if plan.profile:
        figures.profiles += profile_steps(plan.rounds, plan.seed, advance=advance)
        figures.task_profiles += profile_tasks(plan.tasks, plan.rounds, plan.seed, advance)
        figures.done += 1
    if plan.rl:
        measure_rl(plan.rl, advance, figures.rl)
        figures.done += 1


def print_figures(console: Console, figures: Figures, facts: dict[str, Any]) -> None:
    """The machine, and a table for each section."""
    print_machine(console, facts)
    compared = any(row.rates or row.reason for row in figures.comparison.rows)
    if not (figures.parts or compared or figures.profiles or figures.rl.figures):
        console.print("No measurement was completed.")
    if figures.parts:
        print_parts(console, figures.parts, facts)
    if compared:
        print_comparison(console, figures.comparison)
    if figures.profiles:
        print_profile(console, figures.profiles)
    if figures.task_profiles:
        print_task_profiles(console, figures.task_profiles)
    if figures.rl.figures:
        print_rl(console, figures.rl)
    if not figures.parts and (busy := busy_words(facts)):
        console.print(busy, style="yellow", highlight=False)
    if facts.get("no_opengl"):
        console.print(f"Without pictures: {facts['no_opengl']}.", style="yellow", highlight=False)
