"""How different arenas are, so that no two tasks are the same by accident."""

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import closing
from itertools import combinations
from pathlib import Path

import numpy as np
from scipy.optimize import linear_sum_assignment

from arena import Episode
from arena.geometry.placed import Layout
from arena.scene import Floats
from testbed.tasks import Task, find_tasks

MISSING = 10.0
"""Distance that a thing counts which the other arena lacks, metres."""

TURNED = 1.0
"""Distance that an opposite heading counts, metres."""


def report(folder: Path) -> str:
    """One sentence on the two most similar tasks of a folder."""
    try:
        one, other, metres = nearest(layouts(find_tasks(folder=folder)))
    except ValueError:
        return "No two have the same things."
    return f"The most alike are {one} and {other}: {metres:.2f} m per thing."


def layouts(tasks: tuple[Task, ...]) -> dict[str, Layout]:
    """The arena of each task as it is built with seed 0."""
    found = {}
    for task in tasks:
        with closing(Episode(task.spec, task_id=task.id)) as episode:
            found[task.id] = episode.layout
    return found


def nearest(layouts: Mapping[str, Layout]) -> tuple[str, str, float]:
    """The two most similar of several arenas with the same things, and their distance.

    Raises ValueError if no two have the same things.
    """
    pairs = ((a, b, distance(layouts[a], layouts[b])) for a, b in _comparable(layouts))
    return min(pairs, key=lambda pair: pair[2])


def _comparable(layouts: Mapping[str, Layout]) -> Iterator[tuple[str, str]]:
    groups: dict[object, list[str]] = {}
    for name, layout in layouts.items():
        things = frozenset(Counter(placed.kind.name for placed in layout.things).items())
        groups.setdefault(things, []).append(name)
    for names in groups.values():
        yield from combinations(names, 2)


def distance(one: Layout, other: Layout) -> float:
    """Mean difference per thing, the agent included, metres; 0 for equal arenas.

    Things of one kind are paired so that the sum is minimal. A pair differs by the distance of the places,
    the difference of the sizes, and `TURNED` times the difference of the headings as a share of half a turn.
    Colours do not count.
    """
    mine, theirs = _by_kind(one), _by_kind(other)
    total, count = _agents(one, other), 1
    for kind in mine.keys() | theirs.keys():
        rows, columns = mine.get(kind, _NONE), theirs.get(kind, _NONE)
        costs = np.abs(rows[:, None, 6:] - columns[None, :, 6:])
        costs = TURNED * np.minimum(costs, 360 - costs)[..., 0] / 180
        for part in (slice(0, 3), slice(3, 6)):
            costs = costs + np.linalg.norm(rows[:, None, part] - columns[None, :, part], axis=-1)
        chosen = linear_sum_assignment(costs)
        total += float(costs[chosen].sum()) + MISSING * abs(len(rows) - len(columns))
        count += max(len(rows), len(columns))
    return total / count


_NONE = np.empty((0, 7))


def _by_kind(layout: Layout) -> Mapping[str, Floats]:
    """The things of each kind as rows of place, size and yaw."""
    rows: dict[str, list[tuple[float, ...]]] = {}
    for placed in layout.things:
        # A resting ball looks the same from every side.
        yaw = 0.0 if placed.kind.is_goal and not placed.kind.launch else placed.yaw % 360
        rows.setdefault(placed.kind.name, []).append((*placed.position, *placed.size, yaw))
    return {kind: np.array(every) for kind, every in rows.items()}


def _agents(one: Layout, other: Layout) -> float:
    turned = abs(one.agent.yaw - other.agent.yaw) % 360
    apart = np.linalg.norm(np.subtract(one.agent.position, other.agent.position))
    return float(apart) + TURNED * min(turned, 360 - turned) / 180
