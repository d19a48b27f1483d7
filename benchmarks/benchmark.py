"""A whole benchmark: what is asked for, and the figures that come of it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from rich.console import Console

from benchmarks.measure import Effort
from benchmarks.parts import Part
from benchmarks.peers.contenders import SIDES, Contender
from benchmarks.peers.report import comparison_dict, print_comparison, print_profile, profile_dicts
from benchmarks.peers.rounds import Comparison, Rounds, advances, compare
from benchmarks.profile import Profile, profile_steps
from benchmarks.profile_tasks import (
    TaskProfile,
    print_task_profiles,
    profile_tasks,
    task_profile_dicts,
    task_rounds,
)
from benchmarks.report import busy_words, print_machine, print_parts
from benchmarks.result import Result
from benchmarks.rl import RlFigures, RlPlan, figure_dicts, measure_rl, print_rl, rl_advances
from benchmarks.run import measure_part
from testbed import Task


@dataclass(frozen=True)
class Plan:
    """What is measured: parts over tasks, contenders on one scene (none where empty), a step's stages,
    and what people who train count (`rl`, None for nothing)."""

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
        """How often `measure` tells that it goes on."""
        parts = self.effort.passes * len(self.tasks) * len(self.parts)
        peers = advances(self.contenders, self.rounds) if self.contenders else 0
        profile = self.profile * (self.rounds.count * len(SIDES) + task_rounds(self.rounds))
        return parts + peers + profile + (rl_advances(self.rl) if self.rl else 0)


@dataclass
class Figures:
    """What was measured so far; `done` counts the parts of the plan that came to their end."""

    parts: list[Result] = field(default_factory=list)
    comparison: Comparison = field(default_factory=lambda: Comparison([]))
    profiles: list[Profile] = field(default_factory=list)
    task_profiles: list[TaskProfile] = field(default_factory=list)
    rl: RlFigures = field(default_factory=RlFigures)
    done: int = 0

    def sections(self) -> dict[str, Any]:
        """What was measured besides the parts, as plain values."""
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
    """Do what was planned, one thing after the other; `figures` keeps what is done when it is stopped."""
    for part in plan.parts:
        told = lambda name=part.name: advance(name)  # noqa: E731
        figures.parts.append(measure_part(part, plan.tasks, plan.effort, plan.seed, told))
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
    """The machine, and a table for each kind of figures."""
    print_machine(console, facts)
    compared = any(row.rates or row.reason for row in figures.comparison.rows)
    if not (figures.parts or compared or figures.profiles or figures.rl.figures):
        console.print("Nothing was measured to the end.")
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
