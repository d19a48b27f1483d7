"""The order in which a participant plays the tasks, from the study's seed and their row of the design."""

import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from people.study.config import Study, Test
from people.study.plan import Plan, Tasks
from people.study.progress import Cell
from testbed import Task


def balanced_latin_square(count: int) -> tuple[tuple[int, ...], ...]:
    """Orders of 0 to count - 1 in which each appears equally often in each position and after each other one.

    Williams' design (Williams 1949, Australian Journal of Scientific Research A 2, 149-168): `count` rows
    if it is even, twice as many if it is odd.
    """
    first = [(k + 1) // 2 if k % 2 else (count - k // 2) % count for k in range(count)]
    rows = [tuple((place + row) % count for place in first) for row in range(count)]
    return tuple(rows + [row[::-1] for row in rows] if count % 2 and count > 1 else rows)


def rows_of(test: Test, tasks: Tasks) -> int:
    """Number of rows of the design; 1 if there is no design."""
    return len(balanced_latin_square(len(_units(test, tasks)))) if test.order == "latin-square" else 1


def least_used(rows: int, used: Mapping[int, int]) -> int:
    """The row of the design that the fewest participants have; the first of several."""
    return min(range(rows), key=lambda row: (used.get(row, 0), row))


def order_of(test: Test, tasks: Tasks, seed: int, code: str, row: int) -> tuple[str, ...]:
    """The ids of the tasks in the order of the participant with this code.

    With `by: level` the tasks of a level stay together, shuffled for each participant.
    """
    if test.order == "listed":
        return tuple(task.id for task in tasks)
    # A text as seed is hashed completely, and identically by every version of Python.
    source = random.Random(f"{seed} {code}" if test.name == "test" else f"{seed} {code} {test.name}")
    units = _units(test, tasks)
    if test.order == "random":
        source.shuffle(units)
    else:
        units = [units[k] for k in balanced_latin_square(len(units))[row]]
    return tuple(task for unit in units for task in source.sample(unit, len(unit)))


def has_design(plan: Plan) -> bool:
    """Whether it matters which cells of the design the other participants have."""
    study = plan.study
    several = any(rows_of(block, plan.tasks[block.name]) > 1 for block in study.test)
    return several or bool(study.conditions) or study.block_order == "latin-square"


def assigned(plan: Plan, used: Sequence[Cell], code: str, condition: str | None) -> dict[str, Any]:
    """Condition and order of blocks and tasks of the participant with this code, as the contents of a note.

    Without `condition` it is the one that the fewest have; rows of the designs are assigned in the same
    manner within the condition. `used` are the cells that others have. `row` is that of the first block.
    """
    if not plan.study.conditions:
        return _ordered(plan, used, code)
    if condition not in plan.study.conditions:
        condition = _least_filled(plan.study, _counts((cell.condition, cell.people) for cell in used))
    same = [cell for cell in used if cell.condition == condition]
    return _ordered(plan.of(condition), same, code) | {"condition": condition}


def _counts(cells: Iterable[tuple[Any, int]]) -> Counter[Any]:
    counts: Counter[Any] = Counter()
    for key, count in cells:
        counts[key] += count
    return counts


def _least_filled(study: Study, counts: Mapping[str, int]) -> str:
    """The condition that the fewest have; of several the first in an order that is drawn for each round."""
    fewest = min(counts[name] for name in study.conditions)
    source = random.Random(f"{study.seed} conditions {fewest}")
    shuffled = source.sample(list(study.conditions), len(study.conditions))
    return next(name for name in shuffled if counts[name] == fewest)


def _ordered(plan: Plan, used: Sequence[Cell], code: str) -> dict[str, Any]:
    study = plan.study
    names = [block.name for block in study.test]
    block_orders = balanced_latin_square(len(names)) if study.block_order == "latin-square" else [[0]]
    block_row = least_used(len(block_orders), _counts((cell.block_row, cell.people) for cell in used))
    if study.block_order == "random":
        random.Random(f"{study.seed} {code} blocks").shuffle(names)
    elif study.block_order == "latin-square":
        names = [names[place] for place in block_orders[block_row]]
    # Orders of tasks are balanced among those who have the same order of blocks.
    similar = [cell for cell in used if cell.block_row == block_row]
    rows: dict[str, int] = {}
    tasks: dict[str, tuple[str, ...]] = {}
    for block in study.test:
        own = plan.tasks[block.name]
        taken = _counts((cell.rows.get(block.name), cell.people) for cell in similar)
        rows[block.name] = row = least_used(rows_of(block, own), taken)
        tasks[block.name] = order_of(block, own, study.seed, code, row)
    order = [task for name in names for task in tasks[name]]
    note = {"tasks": order, "row": rows[study.test[0].name], "seed": study.seed}
    return note if names == ["test"] else note | {"blocks": names, "block_row": block_row, "rows": rows}


def _units(test: Test, tasks: Tasks) -> list[list[str]]:
    """The ids that stay together."""
    if test.by == "task":
        return [[task.id] for task in tasks]
    of_arena = [task for task in tasks if isinstance(task, Task)]
    levels = dict.fromkeys(task.level for task in of_arena)
    return [[task.id for task in of_arena if task.level == level] for level in levels]
