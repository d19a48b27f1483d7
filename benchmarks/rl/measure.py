"""Everything that is measured for reinforcement learning."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from benchmarks.peers.rounds import Rounds
from benchmarks.result import Figure
from benchmarks.rl import memory
from benchmarks.rl.beside import beside_advances, measure_beside
from benchmarks.rl.effort import RlEffort
from benchmarks.rl.many import measure_many, worker_counts
from benchmarks.rl.setups import CAMERA, RAYS, SETUPS, Setup
from benchmarks.rl.steps import Advance, growing_scenes, measure_resets, measure_steps
from testbed import Task


@dataclass(frozen=True)
class RlPlan:
    """What is measured: `tasks` are a sample of those given; without `drawing`, no pictures."""

    tasks: tuple[Task, ...]
    effort: RlEffort
    rounds: Rounds
    seed: int
    drawing: bool = True

    @classmethod
    def of(
        cls, tasks: Sequence[Task], effort: RlEffort, rounds: Rounds, seed: int, drawing: bool
    ) -> "RlPlan":
        """A plan with an evenly spread sample of the tasks."""
        places = np.linspace(0, len(tasks) - 1, min(effort.tasks, len(tasks))).round().astype(int)
        return cls(tuple(tasks[place] for place in places), effort, rounds, seed, drawing)

    def seen(self, setups: Sequence[Setup]) -> list[Setup]:
        """Those of the setups that can be drawn."""
        return [setup for setup in setups if self.drawing or not setup.side]


@dataclass
class RlFigures:
    """The figures so far, and notes on what was not measured."""

    figures: list[Figure] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def measure_rl(plan: RlPlan, advance: Advance, into: RlFigures) -> None:
    """Measure everything; `into` keeps the completed sections if it is interrupted."""
    effort, seed, drawing = plan.effort, plan.seed, plan.drawing
    tasks = plan.tasks
    into.figures += measure_steps("tasks", plan.seen(SETUPS), tasks, effort, seed, advance)
    figures, notes = measure_beside(plan.rounds, seed, advance, drawing)
    into.figures += figures
    into.notes += notes
    into.figures += measure_many(tasks, effort, seed, advance, drawing)
    into.figures += measure_resets(tasks, effort, seed, advance, drawing)
    scenes = growing_scenes(effort.objects)
    for figure in measure_steps("scaling", plan.seen((RAYS, CAMERA)), scenes, effort, seed, advance):
        into.figures += _by_subject(figure)
    if memory.can_measure():
        into.figures += memory.measure_memory(tasks, effort, seed, advance, drawing)
    else:
        into.notes.append("Memory is measured on Linux only.")


def rl_advances(plan: RlPlan) -> int:
    """How often `measure_rl` calls `advance`."""
    effort, kinds = plan.effort, 2 if plan.drawing else 1
    passes = len(plan.seen(SETUPS)) + kinds + kinds * len(worker_counts(effort.some_workers)) + 2 * kinds
    sampled = kinds * (effort.processes + memory.SAMPLES)
    return (
        effort.passes * passes + beside_advances(plan.rounds, plan.drawing) + sampled * memory.can_measure()
    )


def _by_subject(figure: Figure) -> list[Figure]:
    """A figure for each subject, as they differ on purpose."""
    return [
        replace(figure, name=f"{subject}, {figure.name}", subjects=(subject,), values=values[:, None])
        for subject, values in zip(figure.subjects, figure.values.T, strict=True)
    ]
