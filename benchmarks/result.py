"""Timings, and the figures derived from them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Rates = npt.NDArray[np.float64]


class Timing(NamedTuple):
    """How often something was done, and its total time (s)."""

    times: int
    seconds: float


class Pair(NamedTuple):
    """The same work done by us and by a peer."""

    ours: Timing
    peer: Timing


class Spread(NamedTuple):
    """A median with a lower and an upper value: the extremes, or two percentiles."""

    median: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Sequence[float] | Rates) -> "Spread":
        """Median, lowest and highest value."""
        return cls(float(np.median(values)), float(np.min(values)), float(np.max(values)))


@dataclass(frozen=True)
class Result:
    """What a part of the benchmark measured.

    `ours` and `theirs` are rates per second, (passes, tasks): each pass repeats the same work.
    `total_ours` and `total_theirs` (passes,) are a pass's total work over its total time. `cpu` is the
    processor time used per second: below 1, other programs ran, unless drawing used several cores.
    """

    name: str
    tasks: tuple[str, ...]
    ours: Rates
    total_ours: Rates
    theirs: Rates
    total_theirs: Rates
    cpu: float

    @classmethod
    def of(cls, name: str, tasks: Sequence[str], passes: Sequence[Sequence[Pair]], cpu: float) -> "Result":
        """From the timings, one list per pass with one pair per task."""
        ours = _times_and_seconds([[pair.ours for pair in pairs] for pairs in passes])
        peer = _times_and_seconds([[pair.peer for pair in pairs] for pairs in passes])
        return cls(name, tuple(tasks), *_rates(ours), *_rates(peer), cpu)

    @property
    def per_task(self) -> Rates:
        """Our rate on each task: the median of its passes."""
        return np.asarray(np.median(self.ours, axis=0))

    @property
    def median_task(self) -> float:
        """Our rate on the median task."""
        return float(np.median(self.per_task))

    @property
    def peer_per_task(self) -> Rates:
        """The peer's rate beside each task: the median of its passes."""
        return np.asarray(np.median(self.theirs, axis=0))

    @property
    def total(self) -> Spread:
        """Our rate over all tasks: median, lowest and highest pass."""
        return Spread.of(self.total_ours)

    @property
    def peer_total(self) -> Spread:
        """The peer's rate over all tasks: median, lowest and highest pass."""
        return Spread.of(self.total_theirs)

    @property
    def ratio(self) -> Spread:
        """Our rate in units of the peer's, task by task: median and quartiles."""
        ratios = self.per_task / self.peer_per_task
        return Spread(*(float(q) for q in np.percentile(ratios, (50, 25, 75))))

    @property
    def milliseconds(self) -> tuple[float, float]:
        """Time for one, per task: median and 95th percentile of the tasks."""
        middle, slow = np.percentile(1000 / self.per_task, (50, 95))
        return float(middle), float(slow)

    @property
    def noise(self) -> float:
        """Range of the passes as a share of their median; 0 for a single pass."""
        return (self.total.high - self.total.low) / self.total.median

    def slowest(self, count: int) -> list[tuple[str, float]]:
        """The tasks with the lowest rates, with those rates."""
        order = np.argsort(self.per_task)[:count]
        return [(self.tasks[index], float(self.per_task[index])) for index in order]


@dataclass(frozen=True)
class Figure:
    """A quantity of some subjects (tasks, scenes, programs).

    `values` (passes, subjects) are in `unit`; each pass repeats the measurement. `section` is its table.
    """

    section: str
    name: str
    unit: str
    subjects: tuple[str, ...]
    values: Rates

    @property
    def over_subjects(self) -> Spread:
        """The median, the 10th and the 90th percentile of the subjects, each by the median of its passes."""
        return Spread(*(float(q) for q in np.percentile(np.median(self.values, axis=0), (50, 10, 90))))

    @property
    def over_passes(self) -> Spread:
        """The median subject of each pass: the passes' median, lowest and highest."""
        return Spread.of(np.median(self.values, axis=1))


def _times_and_seconds(timings: list[list[Timing]]) -> Rates:
    """As one array (2, passes, tasks)."""
    return np.array([[tuple(timing) for timing in row] for row in timings], np.float64).transpose(2, 0, 1)


def _rates(work: Rates) -> tuple[Rates, Rates]:
    """Rates of each pass and task (passes, tasks), and of each pass (passes,)."""
    times, seconds = work
    return times / seconds, times.sum(axis=1) / seconds.sum(axis=1)
