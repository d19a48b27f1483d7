"""Level 1, food retrieval: no obstacle lies between agent and reward."""

from typing import Any

from testbed.blueprints.blueprint import Blueprint, Object, Rng, task
from testbed.blueprints.parts import agent, ball
from testbed.blueprints.places import XZ, bearing_to, inside, near, polar, scattered, side

APART = 3.5
"""Metres between balls, so that the agent can pass between any two."""


def _view(rng: Rng, bearing: float, distance: float) -> tuple[Object, XZ]:
    """Return an agent, and a place at a bearing from its heading. Degrees, to either side; both inside the
    arena."""
    for _ in range(1000):
        x, z, yaw = near(rng, 20, 17), near(rng, 20, 17), near(rng, 180, 180)
        spot = polar(x, z, yaw + side(rng) * bearing, distance)
        if inside(*spot):
            return agent(x, z, yaw), spot
    raise ValueError(f"no place {distance} m away from any other in the arena")


def _one_ball(rng: Rng, bearing: float, distance: float, size: float, *words: Any) -> Blueprint:
    """One ball at a bearing. `words` are the goal, the capacities and the solution."""
    start, spot = _view(rng, bearing, distance)
    return task(*words, start, ball("GoodGoal", *spot, size), pass_mark=max(0.0, size - 1))


def approach(rng: Rng, distance: float, size: float) -> Blueprint:
    """Approach of a visible reward that lies ahead. The simplest runway task (Crosby et al. 2020)."""
    words = "Reach the green ball ahead.", ("approach",), "Turn a little towards the ball, then drive on."
    return _one_ball(rng, near(rng, 6, 6), distance, size, *words)


def orienting(rng: Rng, bearing: float, distance: float, size: float) -> Blueprint:
    """Orienting: turning reveals the reward, which is at the side or behind."""
    goal = "Find the green ball, which is out of view at first, and reach it."
    solution = "Turn until the ball is in view, then drive to it."
    words = goal, ("search", "approach"), solution
    return _one_ball(rng, near(rng, bearing, 12), distance, size, *words)


def corner(rng: Rng, size: float) -> Blueprint:
    """Approach of a reward in a corner. It is small in the view, from the far side of the arena."""
    x, z = (near(rng, 20 + 18 * side(rng), 0.4) for _ in range(2))
    start_x, start_z = 40 - near(rng, x, 3) if rng.random() < 0.5 else near(rng, 20, 4), 40 - z
    yaw = bearing_to((start_x, start_z), (x, z)) + near(rng, 0, 25)
    return task(
        "Reach the green ball in the far corner.",
        ("approach", "search"),
        "Turn towards the corner and drive there.",
        agent(min(max(start_x, 1), 39), start_z, yaw),
        ball("GoodGoal", x, z, size),
    )


def foraging(rng: Rng, count: int, mark: int, limit: int) -> Blueprint:
    """Foraging in a patch: many rewards have to be gathered in time. Enough of them pass (Stephens & Krebs
    1986)."""
    start, *places = scattered(rng, count + 1, APART)
    return task(
        f"Gather so many of the {count} yellow balls that the reward passes {mark}.",
        ("foraging", "search"),
        "Take the nearest ball, then the next nearest, and go on.",
        agent(*start, near(rng, 180, 180)),
        *(ball("GoodGoalMulti", x, z, 1) for x, z in places),
        time_limit=limit,
        pass_mark=mark,
    )


def foraging_among_bad(rng: Rng, count: int, bad: int, mark: int, limit: int) -> Blueprint:
    """Foraging with discrimination among yellow balls. A red one ends the episode."""
    start, *places = scattered(rng, count + bad + 1, APART + 0.5)
    return task(
        f"Gather yellow balls until the reward passes {mark}, and touch no red ball.",
        ("foraging", "discrimination"),
        "Take one yellow ball after another on ways that keep clear of the red ones.",
        agent(*start, near(rng, 180, 180)),
        *(ball("GoodGoalMulti", x, z, 1) for x, z in places[:count]),
        *(ball("BadGoal", x, z, 1) for x, z in places[count:]),
        time_limit=limit,
        pass_mark=mark,
    )


def discrimination(rng: Rng, bad: int, size: float) -> Blueprint:
    """Discrimination: one green ball among red ones. These end the episode with a loss."""
    start, goal, *places = scattered(rng, bad + 2, 5.0)
    yaw = bearing_to(start, goal) + near(rng, 0, 60)
    return task(
        "Reach the green ball without touching a red one.",
        ("discrimination", "approach"),
        "Look for a way that keeps clear of the red balls.",
        agent(*start, yaw),
        ball("GoodGoal", *goal, 1),
        *(ball("BadGoal", x, z, size) for x, z in places),
    )


def pursuit(rng: Rng, distance: float, across: float) -> Blueprint:
    """Pursuit of a reward that rolls. `across` is the angle of its course to the line of sight, degrees."""
    start, (x, z) = _view(rng, near(rng, 8, 8), distance)
    return task(
        "Catch the rolling green ball.",
        ("pursuit", "approach"),
        "See where the ball goes, and drive to where it will be or comes to rest.",
        start,
        ball("GoodGoalBounce", x, z, 1, yaw=start.yaw + side(rng) * near(rng, across, 15)),
    )


def pursuit_of_several(rng: Rng, count: int, mark: int) -> Blueprint:
    """Pursuit of several rolling rewards, one after another."""
    start, *places = scattered(rng, count + 1, 5.0)
    return task(
        f"Catch rolling yellow balls until the reward passes {mark}.",
        ("pursuit", "foraging"),
        "Go for the ball that comes nearest, then for the next.",
        agent(*start, near(rng, 180, 180)),
        *(ball("GoodGoalMultiBounce", x, z, 1, yaw=near(rng, 180, 180)) for x, z in places),
        time_limit=500,
        pass_mark=mark,
    )


def patience_before_the_end(rng: Rng, count: int, limit: int) -> Blueprint:
    """Foraging with inhibition. The green ball ends the episode, so it is left for the end."""
    start, goal, *places = scattered(rng, count + 2, APART + 0.5)
    return task(
        "Gather all yellow balls before the green one, which ends the episode.",
        ("foraging", "inhibition"),
        "Take the yellow balls on ways that keep clear of the green one, and that last.",
        agent(*start, near(rng, 180, 180)),
        ball("GoodGoal", *goal, 1),
        *(ball("GoodGoalMulti", x, z, 1) for x, z in places),
        time_limit=limit,
        pass_mark=count,
    )
