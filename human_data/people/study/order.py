"""In which order a person plays the tasks: from the study's seed and their place in the design."""

import random
from collections import Counter
from collections.abc import Sequence

from human_data.people.study.config import Test
from testbed import Task


def balanced_square(count: int) -> tuple[tuple[int, ...], ...]:
    """Orders of 0 to count - 1: each comes equally often at each place, and right after each other one.

    Williams' design (Williams 1949, Australian Journal of Scientific Research A 2, 149-168): `count` rows
    where it is even, twice as many where it is odd.
    """
    first = [(k + 1) // 2 if k % 2 else (count - k // 2) % count for k in range(count)]
    rows = [tuple((place + row) % count for place in first) for row in range(count)]
    return tuple(rows + [row[::-1] for row in rows] if count % 2 and count > 1 else rows)


def rows_of(test: Test, tasks: Sequence[Task]) -> int:
    """How many orders the design has; 1 where it has none."""
    return len(balanced_square(len(_units(test, tasks)))) if test.order == "latin-square" else 1


def least_used(rows: int, used: Sequence[int]) -> int:
    """The design's row that fewest people have; the first of several."""
    counts = Counter(used)
    return min(range(rows), key=lambda row: (counts[row], row))


def order_of(test: Test, tasks: Sequence[Task], seed: int, code: str, row: int) -> tuple[str, ...]:
    """The ids of the tasks as the person with this code plays them.

    With `by: level` levels are kept together, and tasks within a level are shuffled for each person.
    """
    if test.order == "listed":
        return tuple(task.id for task in tasks)
    # A text as seed is hashed in full, and alike by every Python.
    source = random.Random(f"{seed} {code}")
    units = _units(test, tasks)
    if test.order == "random":
        source.shuffle(units)
    else:
        units = [units[k] for k in balanced_square(len(units))[row]]
    return tuple(task.id for unit in units for task in source.sample(unit, len(unit)))


def _units(test: Test, tasks: Sequence[Task]) -> list[list[Task]]:
    if test.by == "task":
        return [[task] for task in tasks]
    levels = dict.fromkeys(task.level for task in tasks)
    return [[task for task in tasks if task.level == level] for level in levels]
