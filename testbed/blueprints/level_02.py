"""Level 2, preferences: the pass mark requires the best reachable thing. There are two or more."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from testbed.blueprints.blueprint import BLUE, GREY, Blueprint, Object, Rng, task
from testbed.blueprints.choices import fill, ledge, mark
from testbed.blueprints.mazes import radial_sectors, y_maze
from testbed.blueprints.parts import HOT, agent, ball, ramp, wall, zone
from testbed.blueprints.placement import any_quarter_turn, every
from testbed.blueprints.places import GAP, XZ, near, polar, scattered, side


def size_against_distance(rng: Rng, large: float, small: float, far: float, close: float) -> Blueprint:
    """Size against distance: spatial discounting (Stevens et al. 2005)."""
    start = near(rng, 20, 6), near(rng, 3, 0.8)
    first = side(rng)
    near_place = polar(*start, first * near(rng, 14, 6), close + small)
    far_place = polar(*start, -first * near(rng, 12, 5), near(rng, far, 0.8))
    return task(
        "Take the large far ball and leave the small near one.",
        ("preference", "inhibition"),
        "Drive past the small ball without touching it, on to the large one.",
        agent(*start, near(rng, 0, 10)),
        ball("GoodGoal", *near_place, small),
        ball("GoodGoal", *far_place, large),
        pass_mark=small,
    )


def climbing_for_more(rng: Rng, large: float, small: float, height: float) -> Blueprint:
    """Choice by effort: the large reward is up on a block. After Salamone et al. (1994)."""
    s = side(rng)
    x, top, length = 20 + s * near(rng, 9, 1.5), near(rng, 32, 1), max(6.0, 2.2 * height)
    block = near(rng, 7, 0.8)
    front = top - block / 2
    return task(
        "Take the large green ball on the block and not the small one on the floor.",
        ("preference", "climbing"),
        "Drive up the ramp, straight on to the large ball.",
        agent(near(rng, 20, 3), near(rng, 4, 1.5), near(rng, 0, 12)),
        wall(x, top, (block, height, block)),
        ramp(x, front - GAP - length / 2, (near(rng, 4.5, 0.5), height, length), 180),
        ball("GoodGoal", x, top, large, y=height),
        ball("GoodGoal", 20 - s * near(rng, 8, 3), near(rng, 14, 3), small),
        pass_mark=small,
    )


def crossing_heat_for_more(rng: Rng, large: float, small: float, depth: float) -> Blueprint:
    """Approach-avoidance conflict: the large reward is worth crossing a hot strip."""
    start, strip = near(rng, 5, 1.5), near(rng, 20, 3)
    return task(
        "Take the large green ball behind the hot strip, not the small one before it.",
        ("preference", "cost against gain"),
        "Cross the hot strip straight and fast, and go on to the large ball.",
        agent(near(rng, 20, 8), start, near(rng, 0, 15)),
        zone(HOT, 20, strip, 39.9, depth),
        ball("GoodGoal", near(rng, 20, 10), near(rng, 34, 2), large),
        ball("GoodGoal", 20 + side(rng) * near(rng, 12, 3), near(rng, 10, 2), small),
        pass_mark=small,
    )


def far_but_more(rng: Rng, close: int, far: int) -> Blueprint:
    """Number against distance: few rewards are near, more are far. The far ones are beyond a ledge."""
    apparatus = ledge(rng)
    (more_x0, _, more_x1, _), (few_x0, _, few_x1, _) = apparatus.areas
    return task(
        f"Gather the {far} far yellow balls and not the {close} near by.",
        ("preference", "number against distance"),
        "Drop down from the ledge on the side with more balls, however far they are.",
        *apparatus.objects,
        *fill(rng, (more_x0, 25, more_x1, 39), (1.5,) * far),
        *fill(rng, (few_x0, 8, few_x1, 15), (1.5,) * close),
        pass_mark=mark(1.5 * far, 1.5 * close),
    )


EDGE = 1.0
"""Height over the floor of a chute's end, metres. It is too high to be climbed."""

LENGTH = 24.0
"""Length of a chute, metres."""


def _chute(rng: Rng, x: float, slope: float, balls: Sequence[tuple[str, float]]) -> list[Object]:
    """Return a chute with balls at its upper end. It leads down from the fence at z = 40; the balls are of a
    kind and size, the first of them the lowest. `slope` in degrees."""
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


def waiting_for_more(rng: Rng, large: float, small: float, slope: float, limit: int) -> Blueprint:
    """Delay of gratification: a small reward now, a large one later. After Mischel et al. (1972)."""
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


def green_rolls_first(rng: Rng, count: int, slope: float) -> Blueprint:
    """Delayed sequence: the green ball ends the episode. It comes first and is left till last."""
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


def green_last(rng: Rng, count: int) -> Blueprint:
    """Inhibition: the near green ball ends the episode. Yellow ones farther off come first."""
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


def terraces(rng: Rng, levels: int, each: int) -> Blueprint:
    """Order of levels: a terrace is cleared before dropping to the next. There is no return."""
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


LOW, TALL = 0.3, 3.0
"""Heights of walls that the agent can and cannot look over, metres."""

Worth = float | None
"""Content of an arm: a green ball's size. A negative number is a red ball, which costs its size."""


def _choice(best: float, other: Worth, solution: str, *objects: Object) -> Blueprint:
    """Return a choice. The pass mark is exactly the other option's value without a clock."""
    rival = f" and not the {'red' if other < 0 else 'smaller'} one" if other else ""
    return task(
        f"Take the green ball of size {best:g}{rival}.",
        ("preference", "discrimination" if other else "search"),
        solution,
        *objects,
        pass_mark=max(other or 0, 0),
    )


def _kind(worth: float) -> str:
    return "GoodGoal" if worth > 0 else "BadGoal"


def _placed(worth: Worth, spot: XZ) -> list[Object]:
    return [ball(_kind(worth), *spot, abs(worth))] if worth else []


def y_maze_choice(rng: Rng, best: float, other: Worth, tall: bool) -> Blueprint:
    """Two-alternative choice in a Y-maze (Yerkes 1907)."""
    fork, spread = near(rng, 13, 3), near(rng, 38, 7)
    walls, ends = y_maze(fork, spread, near(rng, 20, 2), TALL if tall else LOW)
    places = ends if side(rng) > 0 else ends[::-1]
    start = agent(20, near(rng, 3, 1.5), near(rng, 0, 12))
    balls = [*_placed(best, places[0]), *_placed(other, places[1])]
    return _choice(best, other, "Look into both arms at the fork, then enter one.", start, *walls, *balls)


def ledge_choice(rng: Rng, best: float, other: Worth) -> Blueprint:
    """Two-alternative choice from a ledge. Once down on one side, the agent cannot reach the other."""
    apparatus = ledge(rng)
    balls = [
        thing
        for area, worth in zip(apparatus.areas, (best, other), strict=True)
        if worth
        for thing in fill(rng, (area[0], 18, area[2], area[3]), (abs(worth),), _kind(worth))
    ]
    solution = "Look to both sides from the ledge, then drop down on the better side."
    return _choice(best, other, solution, *apparatus.objects, *balls)


def radial_choice(rng: Rng, best: float, other: float, arms: int, tall: bool) -> Blueprint:
    """Choice of the better arm of a radial maze. After Olton & Samuelson (1976)."""
    walls, places = radial_sectors(arms, near(rng, 180, 180), near(rng, 14, 1.5), TALL if tall else LOW)
    start = agent(near(rng, 20, 0.5), near(rng, 20, 0.5), near(rng, 180, 180))
    balls = [thing for i, spot in enumerate(places) for thing in _placed(other if i else best, spot)]
    solution = "Turn round to see what every arm holds, then enter the best."
    return _choice(best, other, solution, start, *walls, *balls)


def corridor_choice(rng: Rng, best: float, other: Worth) -> Blueprint:
    """Choice in a corridor: a drop from a beam into a lane. There are two, and no return."""
    half, width = near(rng, 4.2, 0.5), near(rng, 1.6, 0.2)
    height, end = near(rng, 1.2, 0.15), near(rng, 24, 2)
    objects = [
        agent(20, near(rng, 8, 4), near(rng, 0, 4), y=height),
        wall(20, end / 2, (width, height, end - 2 * GAP), color=BLUE),
        wall(20, (end + 40) / 2, (width, TALL, 40 - end - 2 * GAP)),
        *(wall(20 + s * (half + 0.3), 20, (0.6, TALL, 40)) for s in (-1, 1)),
    ]
    first = side(rng)
    middle = (half + width / 2) / 2
    for hand, held in ((first, best), (-first, other)):
        objects += _placed(held, (20 + hand * middle, near(rng, 35, 1.5)))
    return _choice(best, other, "From the beam look down both lanes, then drop into one.", *objects)


placed = every(any_quarter_turn, but=(radial_choice,))
