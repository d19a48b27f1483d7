"""Level 2, preferences in time: what comes first is not the best, or ends the episode too early."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from testbed.blueprints.blueprint import Blueprint, Object, Rng, task
from testbed.blueprints.choices import fill
from testbed.blueprints.parts import BLUE, GREY, agent, ball, ramp, wall
from testbed.blueprints.placement import any_quarter_turn
from testbed.blueprints.places import near, scattered, side
from testbed.blueprints.walls import GAP

EDGE = 1.0
"""Height over the floor at which a chute ends, metres: too high to be climbed."""

LENGTH = 24.0
"""Length of a chute, metres."""


def _chute(rng: Rng, x: float, slope: float, balls: Sequence[tuple[str, float]]) -> list[Object]:
    """A chute that leads down from the fence at z = 40, with balls of a kind and size at its upper end.

    The first of them is the lowest. `slope` in degrees.
    """
    width = 5.0
    rise = round(LENGTH * float(np.tan(np.radians(slope))), 2)
    z = 39.9 - LENGTH / 2
    objects = [wall(x, z, (width, EDGE, LENGTH)), ramp(x, z, (width, rise, LENGTH), 180, y=EDGE)]
    at = 38.5
    for kind, size in reversed(balls):
        at -= size / 2
        objects.append(ball(kind, x + near(rng, 0, 0.2), at, size, y=EDGE + rise + 0.05))
        at -= size / 2 + near(rng, 0.8, 0.3)
    return objects


@any_quarter_turn
def waiting_for_more(rng: Rng, large: float, small: float, slope: float, limit: int) -> Blueprint:
    """Delay of gratification: a small reward now, a large one later (Mischel et al. 1972)."""
    s = side(rng)
    x = 20 + s * near(rng, 8, 3)
    return task(
        "Take the large green ball that comes down the chute, not the small one that is there at once.",
        ("delay of gratification", "preference", "inhibition"),
        "Go to the lower end of the chute without touching the small ball, and wait for the large one.",
        agent(near(rng, 20, 3), near(rng, 4, 1.5), near(rng, 0, 15)),
        *_chute(rng, x, slope, [("GoodGoal", large)]),
        ball("GoodGoal", 20 - s * near(rng, 6, 2), near(rng, 11, 2), small),
        time_limit=limit,
        pass_mark=small,
    )


@any_quarter_turn
def green_rolls_first(rng: Rng, count: int, slope: float) -> Blueprint:
    """Delayed sequence: the green ball ends the episode; it comes first and is left till last."""
    s = side(rng)
    x = 20 + s * near(rng, 7, 3)
    return task(
        "Gather the yellow balls that come down the chute after the green one, and the green one last.",
        ("delay of gratification", "inhibition", "foraging"),
        "Keep clear of the green ball, wait for the yellow ones, and take the green one at the end.",
        agent(20 - s * near(rng, 8, 3), near(rng, 8, 3), s * near(rng, 35, 10)),
        *_chute(rng, x, slope, [("GoodGoal", 1), *[("GoodGoalMulti", 1)] * count]),
        time_limit=500,
        pass_mark=count,
    )


@any_quarter_turn
def green_last(rng: Rng, count: int) -> Blueprint:
    """Inhibition: the near green ball ends the episode, so the yellow ones farther off come first."""
    start = near(rng, 20, 6), near(rng, 4, 1)
    goal = near(rng, start[0], 2), near(rng, 13, 1.5)
    places = scattered(rng, count, 5, (goal,), (3, 19, 37, 37))
    return task(
        "Gather all yellow balls before the near green one, which ends the episode.",
        ("inhibition", "preference", "foraging"),
        "Drive round the green ball, take the yellow ones, and come back for the green one.",
        agent(*start, near(rng, 0, 8)),
        ball("GoodGoal", *goal, 1),
        *(ball("GoodGoalMulti", x, z, 1) for x, z in places),
        time_limit=500,
        pass_mark=count,
    )


@any_quarter_turn
def terraces(rng: Rng, levels: int, each: int) -> Blueprint:
    """Order of levels: what is on a terrace is gathered before dropping to the next, without return."""
    step = 1.4
    bounds = [0.0, *(near(rng, 40 / (levels + 1) * i, 1.5) for i in range(1, levels + 1)), 40.0]
    objects: list[Object] = [agent(near(rng, 20, 12), bounds[1] - 3, near(rng, 0, 30), y=step * levels)]
    for i, (low, high) in enumerate(pairwise(bounds)):
        top = round(step * (levels - i), 2)
        if top:
            color = GREY if i % 2 else BLUE
            objects.append(wall(20, (low + high) / 2, (40, top, high - low - 2 * GAP), color=color))
        area = (0.5, low + (0.3 if i == 0 else 2.5), 39.5, high - (4.2 if i == 0 else 1.2))
        objects += fill(rng, area, (1.0,) * each, y=top)
    total = each * (levels + 1)
    return task(
        f"Gather all {total} yellow balls, from the highest terrace to the floor.",
        ("planning", "preference", "foraging"),
        "Gather what is on a terrace before dropping to the next one; look behind too.",
        *objects,
        time_limit=500,
        pass_mark=total - 1,
    )
