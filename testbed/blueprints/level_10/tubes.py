"""Level 10: rewards in places that are too low or too narrow for the agent, but not for a tool."""

from testbed.blueprints.blueprint import Blueprint, Object, Push, Rng, task
from testbed.blueprints.parts import BLUE, GREY, agent, ball, block, pane, ramp, wall
from testbed.blueprints.placement import Frame, anywhere, in_frame
from testbed.blueprints.places import near

LOW = 0.9
"""Height or width of places that are too small for the agent, which is 1 m thick, metres."""

SMALL = 0.8
"""Diameter of balls and thickness of tools that fit in, metres."""

WIDE = 8.0
"""Width of the shelf, metres."""


def _shelf(depth: float, back: bool) -> list[Object]:
    """A low shelf, its front at z = 0; `back` closes its far end."""
    sides = [wall(x, depth / 2, (0.5, LOW, depth)) for x in (-WIDE / 2 - 0.25, WIDE / 2 + 0.25)]
    roof = pane(0, depth / 2, (WIDE + 1, 0.3, depth), y=LOW)
    if back:
        sides.append(wall(0, depth + 0.28, (WIDE + 1, LOW + 0.3, 0.5)))
    return [*sides, roof]


def _askew(rng: Rng, spread: float, bearing: float, wobble: float) -> Frame:
    """A frame about the middle whose bearing differs from a multiple of 90 degrees by about `bearing`."""
    frame = anywhere(rng, spread)
    return frame._replace(bearing=bearing + 90.0 * int(rng.integers(4)) + near(rng, 0, wobble))


def low_shelf_raking(rng: Rng, back: bool) -> Blueprint:
    """Raking from under a shelf: the reward is within sight, but not within reach (Beck 1967)."""
    depth = near(rng, 6, 0.5)
    goal_z, x = near(rng, depth - 3.2, 0.3), near(rng, 1.8, 0.6)
    bar = goal_z + near(rng, 1.6, 0.2) - 5
    local = [
        agent(near(rng, 0, 6), near(rng, -10, 1), 6 * int(rng.integers(-10, 11))),
        *_shelf(depth, back),
        block("UBlock", x, bar, (5, SMALL, 10), 90),
        ball("GoodGoal", x - near(rng, 2.2, 0.2), goal_z, SMALL),
    ]
    frame = _askew(rng, 1, 0, 15)
    return frame.placed(
        task(
            "Get the green ball from under the low shelf.",
            ("tool use", "causal reasoning"),
            "Stand between the arms of the tool and push the near one away from the shelf.",
            *local,
            time_limit=500,
            pushes=(Push(x - 0.75 - near(rng, 1.3, 0.2), bar - 3.6, 180, 8),),
        )
    )


@in_frame(anywhere, 1)
def low_shelf_poking(rng: Rng, length: float) -> Blueprint:
    """Stick tool use: the reward under a shelf is pushed out at its other side."""
    depth, x = near(rng, 6, 0.5), near(rng, 0, 2)
    stick = near(rng, 1.5, 0.5) - length / 2
    behind = stick - length / 2 - near(rng, 2, 0.2)
    return task(
        "Get the green ball from under the low shelf.",
        ("tool use", "causal reasoning", "detour"),
        "Push the stick at the ball, so that it rolls out at the other side; go round and fetch it.",
        agent(near(rng, 0, 6), min(behind - 1.2, -8), 6 * int(rng.integers(-10, 11))),
        *_shelf(depth, False),
        block("HeavyBlock", x, stick, (1.2, SMALL, length)),
        ball("GoodGoal", near(rng, x, 0.15), near(rng, depth / 2 + 0.8, 0.3), SMALL),
        time_limit=500,
        pushes=(Push(x, behind, 0, 7),),
    )


@in_frame(_askew, 0.5, 45, 20)
def tube(rng: Rng, long: float, thick: bool) -> Blueprint:
    """Tube task: a reward in a narrow tube is pushed out with a stick (Visalberghi & Trinca 1989).

    With `thick` a second stick lies at the other end, which does not fit into the tube.
    """
    half, length = long / 2, near(rng, 4, 0.5)
    stick = -half - near(rng, 0.6, 0.3) - length / 2
    behind = stick - length / 2 - near(rng, 2, 0.2)
    sides = [pane(sign * (LOW / 2 + 0.2), 0, (0.4, 1.5, long)) for sign in (-1, 1)]
    local = [
        agent(near(rng, 7, 2), near(rng, 0, 6), 6 * int(rng.integers(-25, -5))),
        *sides,
        block("HeavyBlock", 0, stick, (0.7, SMALL, length)),
        ball("GoodGoal", 0, near(rng, 0, 1.2), SMALL),
    ]
    if thick:
        local.append(block("HeavyBlock", 0, half + near(rng, 2.4, 0.3) + length / 2, (1.6, SMALL, length)))
    return task(
        "Get the green ball out of the narrow tube.",
        ("tool use", "causal reasoning"),
        "Push the stick that fits into the tube, and fetch the ball at the other end.",
        *local,
        time_limit=500,
        pushes=(Push(0, behind, 0, 7),),
    )


TABLE = 1.0
"""Height of the trap tube's table, metres."""

PIT = 1.6
"""Length of its trap, metres: a slow ball falls in, one that flies is stopped by the stick beyond."""

HALF, LANDING = 3.6, 5.4
"""Half the tube's length, and the length of the place before each end, metres."""


def _lengthwise(rng: Rng) -> Frame:
    """A frame whose x is along the arena's, nearly, in one direction or the other."""
    z, bearing = near(rng, 20, 1), 180.0 * int(rng.integers(2)) + near(rng, 0, 8)
    return Frame(20, z, bearing, bool(rng.integers(2)))


@in_frame(_lengthwise)
def trap_tube(rng: Rng, inserted: bool) -> Blueprint:
    """Trap tube: pushed towards the trap the reward is lost (Visalberghi & Limongelli 1994).

    With `inserted` a stick is in each end; else the stick on the side where pushing fails lies outside.
    """
    pit = near(rng, 0.5, 0.15)
    right, left_tip = pit + PIT + near(rng, 0.25, 0.1), pit - 1.9 if inserted else -HALF - near(rng, 1.2, 0.2)
    length, left_length = 4.0, 4.0 if inserted else 1.5
    return task(
        "Get the green ball out of the tube, but not into the trap.",
        ("tool use", "causal reasoning", "inhibition"),
        "Push from the side on which the trap is, so that the ball leaves at the other end.",
        agent(near(rng, 0, 4), near(rng, -9, 1), 6 * int(rng.integers(-5, 6))),
        *_table(pit),
        block("HeavyBlock", right + length / 2, 0, (length, SMALL, 0.7), y=TABLE),
        block("HeavyBlock", left_tip - left_length / 2, 0, (left_length, SMALL, 0.7), y=TABLE),
        ball("GoodGoal", pit - near(rng, 0.9, 0.1), 0, SMALL, y=TABLE),
        time_limit=500,
        pushes=(Push(right + length + 1.4, 0, 270, 7),),
    )


def _table(pit: float) -> list[Object]:
    """The table, the tube on it along x, its trap from `pit` on, and a ramp at both ends."""
    end = pit + PIT
    outer = HALF + LANDING
    things = [
        wall((pit - HALF) / 2, 0, (pit + HALF - 0.04, TABLE, 1.5), color=BLUE),
        wall((end + HALF) / 2, 0, (HALF - end - 0.04, TABLE, 1.5), color=BLUE),
        *(pane((pit + end) / 2, z, (PIT - 0.06, TABLE, 0.3)) for z in (-0.6, 0.6)),
        *(pane(0, z, (2 * HALF, 1.2, 0.3), y=TABLE) for z in (-0.6, 0.6)),
    ]
    for sign in (-1, 1):
        things.append(wall(sign * (HALF + LANDING / 2), 0, (LANDING, TABLE, 5), color=GREY))
        things.append(ramp(sign * (outer + 1.52), 0, (4, TABLE, 3), 90 * sign))
    return things
