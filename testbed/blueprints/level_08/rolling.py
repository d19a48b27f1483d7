"""Level 8, object permanence: rewards that roll behind screens."""

from testbed.blueprints.blueprint import Blueprint, Object, Rng, task
from testbed.blueprints.choices import PLATFORM, platform
from testbed.blueprints.parts import agent, ball, wall
from testbed.blueprints.placement import any_orientation
from testbed.blueprints.places import even, near, side
from testbed.blueprints.walls import across, along

SCREEN = 2.6
"""Height of screens, metres; the agent's eye on a platform is at 1.5."""

FENCE, LOWER = 0.8, 0.6
"""Height of walls over which the agent looks, and of those that must not hide a ball on the floor, metres.

At full speed the agent hops over walls lower than its centre.
"""

BESIDE = 2.1
"""Metres beside a screen through which a passing ball is seen."""


@any_orientation
def rolling_behind(rng: Rng, screens: int, lights: tuple[int, ...] = ()) -> Blueprint:
    """From a walkway a reward is seen to roll behind a screen, left or right (Piaget's stage 4).

    Once the agent leaves the walkway on one side, a wall keeps it there. With `lights` they go out after the
    ball has vanished.
    """
    middle, long, sign = near(rng, 20, 2), even(near(rng, 10.5, 1)), side(rng)
    front = near(rng, 28, 0.3)
    objects = [
        agent(middle, long - near(rng, 3, 0.8), near(rng, 0, 8), PLATFORM),
        platform(middle, 3, long),
        along(middle, long, 40, FENCE, 0.5),
        ball("GoodGoalBounce", middle, front - 7, 1.5, 0.95, sign * near(rng, 32.5, 0.7) % 360),
    ]
    for hand in (sign, -sign)[:screens]:
        objects += _garage(middle, hand, front)
    return task(
        "Reach the green ball that rolls behind the screen; the walkway can be left once only.",
        ("object permanence", "working memory", "irreversible choice"),
        "Note on which side the ball vanishes; leave the walkway on that side and look behind the screen.",
        *objects,
        time_limit=500 if lights else 250,
        pass_mark=0.5,
        blackouts=lights,
    )


def _garage(middle: float, hand: int, front: float) -> list[Object]:
    """A screen with a back and an outer wall, open towards the middle."""
    return [
        wall(middle + hand * 10, front, (9, SCREEN, 0.4)),
        wall(middle + hand * 11, front + 5.6, (7.8, SCREEN, 0.4)),
        wall(middle + hand * 14.7, front + 2.8, (0.4, SCREEN, 5.2)),
    ]


@any_orientation
def passing_behind(rng: Rng, count: int) -> Blueprint:
    """A reward rolls past screens, reappears between them, and stays behind one (A not B, Piaget 1954).

    It rolls through slots that are too narrow for the agent.
    """
    width = even(near(rng, 37 / count, 0.7))
    span = count * width
    first = even(near(rng, 20 - span / 2, max(0.0, 20 - span / 2 - 0.6)))
    lefts = [first + number * width for number in range(count)]
    deep, front = even(near(rng, 18, 1.5)), even(near(rng, 34, 0.8))
    track, stop = front + 1.2, int(rng.integers(1, count))
    objects = [
        agent(first + span / 2 + near(rng, 0, 2), deep - near(rng, 3, 0.8), near(rng, 0, 8), PLATFORM),
        platform(first + span / 2, span, deep),
        ball("GoodGoalBounce", first + 1.2, track, 0.85, 0, 90),
        wall(lefts[stop] + width / 2 + 1.2, track, (0.3, 0.6, 0.9)),
    ]
    for x in lefts[1:]:
        objects += [along(x, deep, track - 0.48, LOWER, 0.3), along(x, track + 0.48, 40, LOWER, 0.3)]
    objects += [along(x, 0, 40, SCREEN, 0.3) for x in (first - 0.15, first + span + 0.15) if 0.3 < x < 39.7]
    # Before the first screen the ball is seen from the start, so that gap is wider.
    screens = [(left + (2.3 if left == first else 1) * BESIDE, left + width - BESIDE) for left in lefts]
    objects += [across(front, a, b, SCREEN, 0.3) for a, b in screens]
    return task(
        f"Reach the green ball that passes behind {count} screens in a row and stays behind one of them.",
        ("object permanence", "working memory", "tracking", "irreversible choice"),
        "Watch each gap between screens: the ball is behind the screen after the last in which it was seen.",
        *objects,
        time_limit=500,
    )
