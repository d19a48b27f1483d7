"""Level 10: blocks that serve as a bridge, hold something up or back, or obstruct."""

import math

from testbed.blueprints.blueprint import Blueprint, Object, Push, Rng, task
from testbed.blueprints.parts import BLUE, DEATH, GREY, agent, ball, block, pane, ramp, wall, zone
from testbed.blueprints.placement import anywhere, in_frame, upright
from testbed.blueprints.places import near, polar
from testbed.blueprints.walls import across

LONG = 1000
"""The time limit where a block has to be pushed gently over many metres."""


@in_frame(upright)
def bridging(rng: Rng, stop: bool, other: float) -> Blueprint:
    """Bridge building: a block becomes a bridge to a platform that cannot be climbed (Koehler 1925).

    The landing is too short a run-up for a leap. With `stop` the block cannot be pushed too far; `other` is
    by how much a second block is too high, metres, 0 for none.
    """
    high, gap = near(rng, 1.5, 0.2), near(rng, 5.2, 0.2)
    edge = near(rng, 4, 1.5)
    shore, far = edge + gap, 20.0
    middle, from_x = edge + gap / 2, -near(rng, 9, 1)
    local = [
        agent(near(rng, -8, 4), near(rng, -13, 2), 6 * int(rng.integers(-8, 9))),
        wall(0, (shore + far) / 2, (40, high, far - shore), color=BLUE),
        wall(0, edge - 1.25, (3, high, 2.5)),
        wall(-1.75, edge - 1.25, (0.5, high + 1.5, 2.5)),
        ramp(1.5 + 2.5, edge - 1.25, (2.5, high, 5), 90),
        block("HeavyBlock", from_x, middle, (3, high, gap - near(rng, 0.4, 0.1))),
        ball("GoodGoal", near(rng, 0, 12), near(rng, 16, 2), 1, y=high),
    ]
    if stop:
        local.append(wall(1.9, middle, (0.5, high, gap - 1.5)))
    if other:
        local.append(block("HeavyBlock", near(rng, 12, 1), middle, (3, high + other, gap - 0.4)))
    stand = from_x - 1.5 - 1.4
    nudges = round((-stand - 2.0) / 0.364)
    push = Push(stand, middle, 90, 7) if stop else Push(stand, middle, 90, nudges, gentle=True)
    return task(
        "Get to the green ball on the platform.",
        ("causal reasoning", "tool use", "spatial reasoning"),
        "Push the block of the right height between the landing and the platform, then drive over it.",
        *local,
        time_limit=LONG,
        pushes=(push,),
    )


LEDGE = 20.0
"""Depth of the raised half on which the blocks are, metres."""

CUBE = 1.6
"""Edge of what is thrown, metres: on the floor it reaches up to a ball on a post of 1 m."""


def _throw(rng: Rng, low: int, end: int) -> tuple[list[Object], float, tuple[float, float, float], Push]:
    """A raised half with a block on it, and before it a ball on a post, at a bearing in steps of 6 degrees.

    Returns these, the post's x, the block's x, z and bearing, and the push that throws it.
    """
    x, z = near(rng, 0, 3), near(rng, 12.5, 1)
    bearing = 6.0 * int(rng.integers(low, end))
    at = polar(x, z, bearing + 180, (z + near(rng, 5, 0.5)) / math.cos(math.radians(bearing)))
    things = [
        wall(0, -LEDGE / 2, (40, 1, LEDGE), color=BLUE),
        wall(x, z, (0.3, 1, 0.3)),
        ball("GoodGoal", x, z, 1, y=1),
        block("HeavyBlock", *at, (CUBE, CUBE, CUBE), bearing, y=1),
    ]
    return things, x, (*at, bearing), Push(*polar(*at, bearing + 180, CUBE / 2 + 1.6), bearing, 8)


KNOCK = (
    "Push the block over the edge so that it knocks the ball off its post; then go down and fetch the ball."
)


@in_frame(upright)
def knocking_down(rng: Rng, lookalike: bool) -> Blueprint:
    """Knocking a reward down with something thrown; with `lookalike` another block cannot be moved."""
    things, x, (_, at_z, bearing), push = _throw(rng, 1, 4)
    if lookalike:
        things.append(wall(x + near(rng, 7, 1), at_z, (CUBE, CUBE, CUBE), -bearing % 360, GREY, y=1))
    return task(
        "Get the green ball down from its post.",
        ("causal reasoning", "tool use"),
        KNOCK,
        *things,
        agent(near(rng, 3, 5), near(rng, -16, 1.5), 6 * int(rng.integers(-5, 6)), y=1),
        time_limit=500,
        pushes=(push,),
    )


@in_frame(upright)
def knocking_down_choice(rng: Rng) -> Blueprint:
    """The same, but the agent has to choose between a block and a wall like it, and cannot go back."""
    things, x, (at_x, at_z, bearing), push = _throw(rng, 4, 6)
    things += [
        wall(2 * x - at_x, at_z, (CUBE, CUBE, CUBE), -bearing % 360, GREY, y=1),
        wall(x, -17.5, (9, 2, 5), color=BLUE, y=1),
        wall(x, -7.5, (0.8, 0.6, 15), color=GREY, y=1),
        agent(x, near(rng, -17.5, 1), 0, y=3),
    ]
    return task(
        "Get the green ball down from its post.",
        ("causal reasoning", "tool use", "inhibition"),
        "Go down to the side of the block that can be moved. " + KNOCK,
        *things,
        time_limit=500,
        pushes=(push,),
    )


def toppling(rng: Rng, fixed: int) -> Blueprint:
    """Support: a reward on a tower falls when the tower is hit; `fixed` others are walls and stand firm."""
    frame = anywhere(rng, 2)
    high, width = near(rng, 3, 0.3), near(rng, 1.1, 0.1)
    x, z = near(rng, 0, 3), near(rng, 6, 2)
    local = [
        agent(near(rng, 0, 4), near(rng, -12, 1), 6 * int(rng.integers(-5, 6))),
        block("HeavyBlock", x, z, (width, high, width)),
        ball("GoodGoal", x, z, 1, y=high),
    ]
    for number in range(fixed):
        at = x + (5 + near(rng, 0, 0.5)) * (1, -1)[number], near(rng, z, 1.5)
        local += [wall(*at, (width, high, width)), ball("GoodGoal", *at, 1, y=high)]
    return frame.placed(
        task(
            "Get a green ball down from its tower.",
            ("causal reasoning", "support"),
            "Ram the tower that can be moved, and catch the ball that falls from it.",
            *local,
            time_limit=500,
            pushes=(Push(x, z - width / 2 - 2, 0, 4),),
        )
    )


@in_frame(upright)
def care(rng: Rng, count: int) -> Blueprint:
    """Opening a barrier where it does no harm: behind one block the reward lies in front of a deadly zone.

    The blocks are low, so that the agent can see over them where the reward is.
    """
    wide, deep = 4.0, 1.5
    here = int(rng.integers(count))
    centre = (count - 1) / 2
    xs = [(number - centre) * (wide + 0.1) for number in range(count)]
    span = count * (wide + 0.1) / 2
    row = near(rng, 2, 2)
    near_edge = row + deep / 2 + near(rng, 3.2, 0.2)
    free = int(rng.choice([n for n in range(count) if abs(n - here) == 1]))
    return task(
        "Get to the green ball behind the blocks, and not into the red zone.",
        ("causal reasoning", "inhibition", "avoidance"),
        "Push away a block beside the ball's: that one would push the ball into the zone.",
        agent(near(rng, 0, 6), near(rng, -13, 2), 6 * int(rng.integers(-6, 7))),
        *(block("LightBlock", x, row, (wide, 0.6, deep)) for x in xs),
        *(wall(sign * (span + 20) / 2, row, (20 - span, 1.5, deep)) for sign in (-1, 1)),
        ball("GoodGoal", xs[here] + near(rng, 0, 0.8), row + deep / 2 + 0.7, 1.2),
        zone(DEATH, 0, (near_edge + 19.95) / 2, 39.9, 19.95 - near_edge),
        time_limit=500,
        pushes=(Push(xs[free], row - deep / 2 - 2, 0, 4),),
    )


@in_frame(upright)
def doorway(rng: Rng, count: int) -> Blueprint:
    """Opening a passage without blocking it: pushed straight in, the block is stuck in the doorway for good.

    `count` blocks stand in a row along the wall; one of them is in front of the doorway.
    """
    cube, mouth, narrow = 1.8, 2.1, 1.4
    x, front, high = near(rng, 0, 3), near(rng, 1, 1), 3.0
    spread = 20.0
    return task(
        "Get to the green ball behind the wall.",
        ("causal reasoning", "inhibition", "spatial reasoning"),
        "Push the block aside along the wall: pushed into the doorway it would close it.",
        agent(near(rng, 3, 6), near(rng, -13, 2), 6 * int(rng.integers(-8, 9))),
        *_split(x, mouth, front + 0.75, 1.5, high, spread),
        *_split(x, narrow, front + 2.5, 2.0, high, spread),
        *(
            block("HeavyBlock", x + n * (cube + 0.05), front - cube / 2 - 0.1, (cube, 1.6, cube))
            for n in range(count)
        ),
        ball("GoodGoal", near(rng, 0, 14), near(rng, 14, 3), 1),
        time_limit=500,
        pushes=(Push(x - cube / 2 - 2, front - cube / 2 - 0.1, 90, 5),),
    )


def _split(x: float, gap: float, z: float, thick: float, high: float, spread: float) -> list[Object]:
    """A wall from fence to fence with a gap about x."""
    left, right = x - gap / 2, x + gap / 2
    return [across(z, -spread, left, high, thick), across(z, right, spread, high, thick)]


@in_frame(anywhere, 1)
def releasing(rng: Rng, stop: bool) -> Blueprint:
    """Releasing: a bar holds back a reward that would roll down to the agent.

    With `stop` the bar can be pushed out in one direction only.
    """
    inner, deep, rise = 0.9, near(rng, 6, 0.5), near(rng, 1.4, 0.2)
    bar, shift = near(rng, 6, 0.5), near(rng, 0, 0.5)
    sides = [pane(sign * (inner / 2 + 0.2), deep / 2 - 0.02, (0.4, 3, deep - 0.04)) for sign in (-1, 1)]
    local = [
        agent(near(rng, 0, 5), near(rng, -11, 2), 6 * int(rng.integers(-6, 7))),
        *sides,
        pane(0, deep + 0.22, (inner + 0.8, 3, 0.4)),
        ramp(0, deep / 2, (inner - 0.06, rise, deep - 0.1), 180),
        block("HeavyBlock", shift, -0.4, (bar, 1.2, 0.7)),
        ball("GoodGoal", 0, 0.8, 0.8, y=rise * 1.25 / deep + 0.05),
    ]
    if stop:
        local.append(wall(shift + bar / 2 + 0.5, -0.4, (0.6, 1.2, 3)))
    end = shift - bar / 2
    push = Push(end + 0.8, 1.6, 180, 4) if stop else Push(end - 2, -0.4, 90, 6)
    return task(
        "Get the green ball out of its narrow channel.",
        ("causal reasoning", "tool use"),
        "Push the bar away from the channel's mouth, so that the ball rolls out.",
        *local,
        time_limit=500,
        pushes=(push,),
    )
