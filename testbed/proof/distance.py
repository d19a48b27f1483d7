"""How different two arenas are: so that no two files are secretly alike."""

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import combinations

import numpy as np
from scipy.optimize import linear_sum_assignment

from arena.geometry.placed import Layout, Placed
from arena.scene import Floats

MISSING = 10.0
"""What a thing that the other arena has not counts, metres."""

TURNED = 1.0
"""What a heading that is opposite counts, metres."""


def distance(one: Layout, other: Layout) -> float:
    """Mean difference per thing, the agent among them, metres; 0 for arenas that are the same.

    Things of one kind are paired so that the sum is least. A pair differs by the distance of the places, the
    difference of the sizes, and `TURNED` times the difference of the headings as a share of half a turn.
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
        rows.setdefault(placed.kind.name, []).append((*placed.position, *placed.size, _yaw(placed)))
    return {kind: np.array(every) for kind, every in rows.items()}


def _yaw(placed: Placed) -> float:
    """A ball that lies looks the same from every side."""
    return 0.0 if placed.kind.is_goal and not placed.kind.launch else placed.yaw % 360


def _agents(one: Layout, other: Layout) -> float:
    turned = abs(one.agent.yaw - other.agent.yaw) % 360
    way = np.linalg.norm(np.subtract(one.agent.position, other.agent.position))
    return float(way) + TURNED * min(turned, 360 - turned) / 180


def nearest(layouts: Mapping[str, Layout]) -> tuple[str, str, float]:
    """The two most similar of several arenas with the same things, and their distance.

    Raises ValueError where no two have the same things.
    """
    pairs = ((a, b, distance(layouts[a], layouts[b])) for a, b in _alike(layouts))
    return min(pairs, key=lambda pair: pair[2])


def _alike(layouts: Mapping[str, Layout]) -> Iterator[tuple[str, str]]:
    groups: dict[object, list[str]] = {}
    for name, layout in layouts.items():
        things = frozenset(Counter(placed.kind.name for placed in layout.things).items())
        groups.setdefault(things, []).append(name)
    for names in groups.values():
        yield from combinations(names, 2)
