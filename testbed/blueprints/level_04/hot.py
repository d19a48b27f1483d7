"""Level 4, avoidance: hot zones, which cost time, and rows of red balls."""

from itertools import pairwise

import numpy as np

from testbed.blueprints.blueprint import Blueprint, Object, Rng, task
from testbed.blueprints.choices import PLATFORM, platform
from testbed.blueprints.parts import DEATH, HOT, agent, ball, zone_between
from testbed.blueprints.placement import any_orientation
from testbed.blueprints.places import even, near
from testbed.blueprints.walls import along


@any_orientation
def hot_band(rng: Rng, depth: float) -> Blueprint:
    """A hot zone across the whole arena: it has to be crossed, fast (motivation against cost)."""
    z = near(rng, 20, 3)
    return task(
        "Reach the green ball beyond the orange zone, in which time runs ten times as fast.",
        ("avoidance", "cost and benefit"),
        "Take a run and cross the zone without stopping.",
        agent(near(rng, 20, 14), near(rng, 4, 2), near(rng, 0, 40)),
        zone_between(HOT, 0, z - depth / 2, 40, z + depth / 2),
        ball("GoodGoal", near(rng, 20, 14), near(rng, 35, 2), 1),
    )


@any_orientation
def hot_lake(rng: Rng, width: float, depth: float) -> Blueprint:
    """A hot zone between agent and goal: the detour is longer and cheaper (cost and benefit)."""
    x, z = near(rng, 20, 4), near(rng, 20, 0.5)
    return task(
        "Reach the green ball with a reward above the mark: crossing the orange zone costs too much.",
        ("avoidance", "detour", "cost and benefit"),
        "Go round the orange zone, although the way is longer.",
        agent(x + near(rng, 0, 3), near(rng, 2.5, 0.5), near(rng, 0, 20)),
        zone_between(HOT, x - width / 2, z - depth / 2, x + width / 2, z + depth / 2),
        ball("GoodGoal", x + near(rng, 0, 3), near(rng, 37, 0.5), 1),
        pass_mark=0.5,
    )


@any_orientation
def hot_gate(rng: Rng, gates: int) -> Blueprint:
    """A barrier that ends the episode, with gates in it that are only hot (the lesser evil)."""
    z, depth, width = near(rng, 20, 3), near(rng, 4, 0.5), near(rng, 5, 0.5)
    places = [40 * (number + 0.5) / gates + near(rng, 0, 40 / gates / 2 - 4) for number in range(gates)]
    edges = [0.0, *(x + offset * width / 2 for x in places for offset in (-1, 1)), 40.0]
    objects: list[Object] = []
    for number, (left, right) in enumerate(pairwise(edges)):
        objects.append(zone_between(HOT if number % 2 else DEATH, left, z - depth / 2, right, z + depth / 2))
    return task(
        "Cross the barrier where it is orange, not red, and reach the green ball.",
        ("avoidance", "discrimination", "cost and benefit"),
        "Line up with an orange gate and drive straight and fast through it.",
        agent(near(rng, 20, 14), near(rng, 4, 2), near(rng, 0, 40)),
        *objects,
        ball("GoodGoal", near(rng, 20, 14), near(rng, 36, 1.5), 1),
    )


@any_orientation
def lanes(rng: Rng, sizes: tuple[float, float], heat: tuple[float, float], mark: float) -> Blueprint:
    """Two lanes below a platform, of which only one can be entered: their goals and heat differ.

    `heat` is the share of each lane that is hot.
    """
    deep, middle = even(near(rng, 5, 0.5)), near(rng, 20, 3)
    objects = [
        agent(middle, near(rng, 1.6, 0.6), near(rng, 0, 15), PLATFORM),
        platform(20, 40, deep),
        along(middle, deep, 40, 3, 1),
    ]
    for number, (left, right) in enumerate(((0.0, middle - 0.5), (middle + 0.5, 40.0))):
        far = near(rng, 35.5, 0.5)
        if heat[number]:
            length = 28 * heat[number]
            objects.append(zone_between(HOT, left, 34 - length, right, 34))
        objects.append(ball("GoodGoal", (left + right) / 2 + near(rng, 0, 4), far, sizes[number]))
    return task(
        f"Choose a lane and reach its green ball with a reward above {mark:g}.",
        ("avoidance", "cost and benefit", "irreversible choice"),
        "Look at both lanes from the platform: weigh ball against heat, then drop into the better one.",
        *objects,
        pass_mark=mark,
    )


@any_orientation
def red_rows(rng: Rng, rows: int, gap: float) -> Blueprint:
    """Rows of red balls with one opening each."""
    apart, size, pitch = 20 / rows, 2.0, 2.5
    objects = [agent(near(rng, 20, 14), near(rng, 3.5, 1), near(rng, 0, 40))]
    for number in range(rows):
        z = 20 + apart * (number - (rows - 1) / 2) + near(rng, 0, 0.5)
        opening = near(rng, 10 if (number + rows) % 2 else 30, 6)
        places = np.arange(1.25, 39.9, pitch)
        objects += [
            ball("BadGoal", float(x), z, size) for x in places if abs(x - opening) > gap / 2 + size / 2
        ]
    return task(
        "Reach the green ball through the openings in the rows of red balls.",
        ("avoidance", "discrimination", "detour"),
        "Find each row's opening and pass through the middle of it.",
        *objects,
        ball("GoodGoal", near(rng, 20, 14), near(rng, 36.5, 1), 1),
    )
