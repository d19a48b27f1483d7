"""One part of the benchmark, measured on all tasks, several times."""

from collections.abc import Callable, Sequence
from time import perf_counter, process_time

from benchmarks.measure import Effort
from benchmarks.parts import Part
from benchmarks.result import Pair, Result
from testbed import Task


def measure_part(
    part: Part, tasks: Sequence[Task], effort: Effort, seed: int, advance: Callable[[], None]
) -> Result:
    """Measure a part: each pass goes over all tasks, so that a busy moment falls on one pass of a few tasks.

    The first task is measured once before, for nothing, so that everything is loaded. `advance` is called
    after each task.
    """
    part.measure(tasks[0], seed, effort)
    passes: list[list[Pair]] = []
    wall, used = perf_counter(), process_time()
    for _ in range(effort.passes):
        passes.append([])
        for task in tasks:
            passes[-1].append(part.measure(task, seed, effort))
            advance()
    cpu = (process_time() - used) / (perf_counter() - wall)
    return Result.of(part.name, [task.id for task in tasks], passes, cpu)
