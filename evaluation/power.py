"""What a comparison of two agents could find, before either has played."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from evaluation.paired import POWER, planned_difference
from evaluation.statistics import family


@dataclass(frozen=True, slots=True)
class PlannedStudy:
    """Two agents on the same `tasks`, `trials` each, in `groups` of tasks that are variants of one another.

    `difference` is the smallest true one, as a share from 0 to 1, that is found in `POWER` of such studies:
    NaN with fewer than two groups, 1 if none can be found. `rate`, `alike` and `shared` are assumed, as
    `planned_difference` takes them.
    """

    tasks: int
    groups: int
    trials: int
    rate: float
    alike: float
    shared: float
    difference: float

    def sentences(self) -> str:
        """The difference and all that it rests on, in sentences."""
        return (
            f"Two agents compared on {_counted(self.tasks, 'task')}, {_counted(self.trials, 'trial')} each, "
            f"by one run like this per agent: {self._finding()}. {self._assumed()}"
        )

    def _finding(self) -> str:
        if math.isnan(self.difference):
            return "no difference can be distinguished from chance, because all tasks are variants of one"
        if self.difference >= 1:
            return "no difference can be relied on to be found; play more tasks"
        return (
            f"the smallest true difference of their pass rates that {POWER:.0%} of such comparisons find "
            f"is {100 * self.difference:.0f} percentage points"
        )

    def _assumed(self) -> str:
        return (
            f"Assumed: about {self.rate:.0%} are passed; trials of one agent on one idea correlate by "
            f"{self.alike:g}, what two agents find hard by {self.shared:g}; tasks come in "
            f"{_counted(self.groups, 'group')} of variants (one per idea), which are unrelated; paired "
            "test at 5 %, two-sided, uncorrected."
        )


def planned_study(
    task_ids: Sequence[str], trials: int, *, rate: float = 0.5, alike: float = 0.5, shared: float = 0.5
) -> PlannedStudy:
    """The study that compares two agents on these tasks, `trials` each.

    Variants of a task (ids LL-TT-VV) count as further trials of it, as they do in `compare_agents`.
    """
    groups = len({family(task_id) for task_id in task_ids})
    each = trials * len(task_ids) / groups
    difference = planned_difference(groups, each, rate=rate, alike=alike, shared=shared)
    return PlannedStudy(len(task_ids), groups, trials, rate, alike, shared, difference)


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")
