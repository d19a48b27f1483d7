"""Level 10, causal reasoning: tools or moved obstacles yield the reward."""

import math
from functools import partial

from testbed.blueprints.blueprint import BLUE, GREY, Blueprint, Object, Push, Rng, task
from testbed.blueprints.parts import DEATH, across, agent, ball, block, pane, ramp, wall, zone
from testbed.blueprints.placement import Frame, anywhere, in_frame, upright
from testbed.blueprints.places import HEIGHT, near, polar

_task = partial(task, time_limit=500)


@in_frame(upright)
def bridging(rng: Rng, stop: bool, other: float) -> Blueprint:
    """Bridge building (Koehler 1925): a block bridges to an unclimbable platform.

    The landing is too short a run-up for a leap. With `stop` the block cannot be pushed too far; `other` is
    the excess height of a second block, metres, 0 for none.
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
    return _task(
        "Get to the green ball on the platform.",
        ("causal reasoning", "tool use", "spatial reasoning"),
        "Push the block of the right height between the landing and the platform, then drive over it.",
        *local,
        # The block has to be pushed gently over many metres.
        time_limit=1000,
        pushes=(push,),
    )


LEDGE = 20.0
"""Depth of the raised half on which the blocks are, metres."""

CUBE = 1.6
"""Edge of a thrown block, metres. On the floor it reaches up to a ball on a post of 1 m."""


def _throw(rng: Rng, low: int, end: int) -> tuple[list[Object], float, tuple[float, float, float], Push]:
    """Return a raised half with a block, and an elevated ball. The ball is on a post.

    The ball is before it, at a bearing in steps of 6 degrees. Also returns the post's x, the block's x, z and
    bearing, and the push that throws it.
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
    """Knocking a reward down with something thrown. With `lookalike` another block cannot be moved."""
    things, x, (_, at_z, bearing), push = _throw(rng, 1, 4)
    if lookalike:
        things.append(wall(x + near(rng, 7, 1), at_z, (CUBE, CUBE, CUBE), -bearing % 360, GREY, y=1))
    return _task(
        "Get the green ball down from its post.",
        ("causal reasoning", "tool use"),
        KNOCK,
        *things,
        agent(near(rng, 3, 5), near(rng, -16, 1.5), 6 * int(rng.integers(-5, 6)), y=1),
        pushes=(push,),
    )


@in_frame(upright)
def knocking_down_choice(rng: Rng) -> Blueprint:
    """Knocking down, with a choice between a block and a similar wall. The agent cannot go back."""
    things, x, (at_x, at_z, bearing), push = _throw(rng, 4, 6)
    things += [
        wall(2 * x - at_x, at_z, (CUBE, CUBE, CUBE), -bearing % 360, GREY, y=1),
        wall(x, -17.5, (9, 2, 5), color=BLUE, y=1),
        wall(x, -7.5, (0.8, 0.6, 15), color=GREY, y=1),
        agent(x, near(rng, -17.5, 1), 0, y=3),
    ]
    return _task(
        "Get the green ball down from its post.",
        ("causal reasoning", "tool use", "inhibition"),
        "Go down to the side of the block that can be moved. " + KNOCK,
        *things,
        pushes=(push,),
    )


def toppling(rng: Rng, fixed: int) -> Blueprint:
    """Support: a reward on a tower falls when the tower is hit. `fixed` others are walls and stand firm."""
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
        _task(
            "Get a green ball down from its tower.",
            ("causal reasoning", "support"),
            "Ram the tower that can be moved, and catch the ball that falls from it.",
            *local,
            pushes=(Push(x, z - width / 2 - 2, 0, 4),),
        )
    )


@in_frame(upright)
def care(rng: Rng, count: int) -> Blueprint:
    """Opening a barrier harmlessly: behind one block the reward is endangered. There it lies in front of a
    deadly zone. The blocks are low, so that the agent can see the reward over them."""
    wide, deep = 4.0, 1.5
    here = int(rng.integers(count))
    centre = (count - 1) / 2
    xs = [(number - centre) * (wide + 0.1) for number in range(count)]
    span = count * (wide + 0.1) / 2
    row = near(rng, 2, 2)
    near_edge = row + deep / 2 + near(rng, 3.2, 0.2)
    free = int(rng.choice([n for n in range(count) if abs(n - here) == 1]))
    return _task(
        "Get to the green ball behind the blocks, and not into the red zone.",
        ("causal reasoning", "inhibition", "avoidance"),
        "Push away a block beside the ball's: that one would push the ball into the zone.",
        agent(near(rng, 0, 6), near(rng, -13, 2), 6 * int(rng.integers(-6, 7))),
        *(block("LightBlock", x, row, (wide, 0.6, deep)) for x in xs),
        *(wall(sign * (span + 20) / 2, row, (20 - span, 1.5, deep)) for sign in (-1, 1)),
        ball("GoodGoal", xs[here] + near(rng, 0, 0.8), row + deep / 2 + 0.7, 1.2),
        zone(DEATH, 0, (near_edge + 19.95) / 2, 39.9, 19.95 - near_edge),
        pushes=(Push(xs[free], row - deep / 2 - 2, 0, 4),),
    )


@in_frame(upright)
def doorway(rng: Rng, count: int) -> Blueprint:
    """Opening a passage without blocking it for good. Pushed straight in, the block is stuck in the doorway.
    `count` blocks stand in a row along the wall; one of them is in front of the doorway."""
    cube, mouth, narrow = 1.8, 2.1, 1.4
    x, front = near(rng, 0, 3), near(rng, 1, 1)
    return _task(
        "Get to the green ball behind the wall.",
        ("causal reasoning", "inhibition", "spatial reasoning"),
        "Push the block aside along the wall: pushed into the doorway it would close it.",
        agent(near(rng, 3, 6), near(rng, -13, 2), 6 * int(rng.integers(-8, 9))),
        *_split(x, mouth, front + 0.75, 1.5),
        *_split(x, narrow, front + 2.5, 2.0),
        *(
            block("HeavyBlock", x + n * (cube + 0.05), front - cube / 2 - 0.1, (cube, 1.6, cube))
            for n in range(count)
        ),
        ball("GoodGoal", near(rng, 0, 14), near(rng, 14, 3), 1),
        pushes=(Push(x - cube / 2 - 2, front - cube / 2 - 0.1, 90, 5),),
    )


def _split(x: float, gap: float, z: float, thick: float) -> list[Object]:
    """Return a wall from fence to fence with a gap about x."""
    return [across(z, -20, x - gap / 2, HEIGHT, thick), across(z, x + gap / 2, 20, HEIGHT, thick)]


@in_frame(anywhere, 1)
def releasing(rng: Rng, stop: bool) -> Blueprint:
    """Releasing: a bar holds back a reward on a slope. Released, it rolls down to the agent. With `stop` the
    bar can be pushed out in one direction only."""
    inner, deep, rise = 0.9, near(rng, 6, 0.5), near(rng, 1.4, 0.2)
    bar, shift = near(rng, 6, 0.5), near(rng, 0, 0.5)
    local = [
        agent(near(rng, 0, 5), near(rng, -11, 2), 6 * int(rng.integers(-6, 7))),
        *(pane(sign * (inner / 2 + 0.2), deep / 2 - 0.02, (0.4, 3, deep - 0.04)) for sign in (-1, 1)),
        pane(0, deep + 0.22, (inner + 0.8, 3, 0.4)),
        ramp(0, deep / 2, (inner - 0.06, rise, deep - 0.1), 180),
        block("HeavyBlock", shift, -0.4, (bar, 1.2, 0.7)),
        ball("GoodGoal", 0, 0.8, 0.8, y=rise * 1.25 / deep + 0.05),
    ]
    if stop:
        local.append(wall(shift + bar / 2 + 0.5, -0.4, (0.6, 1.2, 3)))
    end = shift - bar / 2
    push = Push(end + 0.8, 1.6, 180, 4) if stop else Push(end - 2, -0.4, 90, 6)
    return _task(
        "Get the green ball out of its narrow channel.",
        ("causal reasoning", "tool use"),
        "Push the bar away from the channel's mouth, so that the ball rolls out.",
        *local,
        pushes=(push,),
    )


LOW = 0.9
"""Height or width of places too small for the agent, metres. The agent is 1 m thick."""

SMALL = 0.8
"""Diameter of balls and thickness of tools that fit in, metres."""

WIDE = 8.0
"""Width of the shelf, metres."""


def _shelf(depth: float, back: bool) -> list[Object]:
    """Return a low shelf, its front at z = 0. `back` closes its far end."""
    sides = [wall(x, depth / 2, (0.5, LOW, depth)) for x in (-WIDE / 2 - 0.25, WIDE / 2 + 0.25)]
    roof = pane(0, depth / 2, (WIDE + 1, 0.3, depth), y=LOW)
    if back:
        sides.append(wall(0, depth + 0.28, (WIDE + 1, LOW + 0.3, 0.5)))
    return [*sides, roof]


def _askew(rng: Rng, spread: float, bearing: float, wobble: float) -> Frame:
    """Return a frame about the middle. It is about `bearing` off a multiple of 90 degrees."""
    frame = anywhere(rng, spread)
    return frame._replace(bearing=bearing + 90.0 * int(rng.integers(4)) + near(rng, 0, wobble))


def low_shelf_raking(rng: Rng, back: bool) -> Blueprint:
    """Raking from under a shelf: the reward is visible but unreachable. After Beck (1967)."""
    depth = near(rng, 6, 0.5)
    goal_z, x = near(rng, depth - 3.2, 0.3), near(rng, 1.8, 0.6)
    bar = goal_z + near(rng, 1.6, 0.2) - 5
    local = [
        agent(near(rng, 0, 6), near(rng, -10, 1), 6 * int(rng.integers(-10, 11))),
        # First, as in 3.1.3 its place must be free of all that its arms enclose.
        block("UBlock", x, bar, (5, SMALL, 10), 90),
        *_shelf(depth, back),
        ball("GoodGoal", x - near(rng, 2.2, 0.2), goal_z, SMALL),
    ]
    frame = _askew(rng, 1, 0, 15)
    return frame.placed(
        _task(
            "Get the green ball from under the low shelf.",
            ("tool use", "causal reasoning"),
            "Stand between the arms of the tool and push the near one away from the shelf.",
            *local,
            pushes=(Push(x - 0.75 - near(rng, 1.3, 0.2), bar - 3.6, 180, 8),),
        )
    )


@in_frame(anywhere, 1)
def low_shelf_poking(rng: Rng, length: float) -> Blueprint:
    """Stick tool use: pushing the reward out from under a shelf. It leaves at the other side."""
    depth, x = near(rng, 6, 0.5), near(rng, 0, 2)
    stick = near(rng, 1.5, 0.5) - length / 2
    behind = stick - length / 2 - near(rng, 2, 0.2)
    return _task(
        "Get the green ball from under the low shelf.",
        ("tool use", "causal reasoning", "detour"),
        "Push the stick at the ball, so that it rolls out at the other side; go round and fetch it.",
        agent(near(rng, 0, 6), min(behind - 1.2, -8), 6 * int(rng.integers(-10, 11))),
        *_shelf(depth, False),
        block("HeavyBlock", x, stick, (1.2, SMALL, length)),
        ball("GoodGoal", near(rng, x, 0.15), near(rng, depth / 2 + 0.8, 0.3), SMALL),
        pushes=(Push(x, behind, 0, 7),),
    )


@in_frame(_askew, 0.5, 45, 20)
def tube(rng: Rng, long: float, thick: bool) -> Blueprint:
    """Tube task: a stick pushes a reward out of a narrow tube. After Visalberghi & Trinca (1989). With
    `thick` a second stick lies at the other end, which does not fit into the tube."""
    half, length = long / 2, near(rng, 4, 0.5)
    stick = -half - near(rng, 0.6, 0.3) - length / 2
    behind = stick - length / 2 - near(rng, 2, 0.2)
    local = [
        agent(near(rng, 7, 2), near(rng, 0, 6), 6 * int(rng.integers(-25, -5))),
        *(pane(sign * (LOW / 2 + 0.2), 0, (0.4, 1.5, long)) for sign in (-1, 1)),
        block("HeavyBlock", 0, stick, (0.7, SMALL, length)),
        ball("GoodGoal", 0, near(rng, 0, 1.2), SMALL),
    ]
    if thick:
        local.append(block("HeavyBlock", 0, half + near(rng, 2.4, 0.3) + length / 2, (1.6, SMALL, length)))
    return _task(
        "Get the green ball out of the narrow tube.",
        ("tool use", "causal reasoning"),
        "Push the stick that fits into the tube, and fetch the ball at the other end.",
        *local,
        pushes=(Push(0, behind, 0, 7),),
    )


TABLE = 1.0
"""Height of the trap tube's table, metres."""

PIT = 1.6
"""Length of the tube's trap, metres. A slow ball falls in, one that flies is stopped by the stick beyond."""

HALF, LANDING = 3.6, 5.4
"""Half the tube's length, and the space before each end, metres."""


def _lengthwise(rng: Rng) -> Frame:
    """Return a frame whose x is nearly along the arena's. It has one direction or the other."""
    z, bearing = near(rng, 20, 1), 180.0 * int(rng.integers(2)) + near(rng, 0, 8)
    return Frame(20, z, bearing, bool(rng.integers(2)))


@in_frame(_lengthwise)
def trap_tube(rng: Rng, inserted: bool) -> Blueprint:
    """Trap tube: pushed towards the trap the reward is lost. After Visalberghi & Limongelli (1994). With
    `inserted` a stick is in each end; otherwise the stick on the side where pushing fails lies outside."""
    pit = near(rng, 0.5, 0.15)
    right, left_tip = pit + PIT + near(rng, 0.25, 0.1), pit - 1.9 if inserted else -HALF - near(rng, 1.2, 0.2)
    length, left_length = 4.0, 4.0 if inserted else 1.5
    return _task(
        "Get the green ball out of the tube, but not into the trap.",
        ("tool use", "causal reasoning", "inhibition"),
        "Push from the side on which the trap is, so that the ball leaves at the other end.",
        agent(near(rng, 0, 4), near(rng, -9, 1), 6 * int(rng.integers(-5, 6))),
        *_table(pit),
        block("HeavyBlock", right + length / 2, 0, (length, SMALL, 0.7), y=TABLE),
        block("HeavyBlock", left_tip - left_length / 2, 0, (left_length, SMALL, 0.7), y=TABLE),
        ball("GoodGoal", pit - near(rng, 0.9, 0.1), 0, SMALL, y=TABLE),
        pushes=(Push(right + length + 1.4, 0, 270, 7),),
    )


def _table(pit: float) -> list[Object]:
    """Return a table with a tube along x, and two ramps. The tube's trap begins at `pit`."""
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


OFF_LIMITS = "Get the green ball out of the red zone without entering it."

BAR = 1.5
"""Width of the bar of the largest blocks, metres. For L, J and U blocks, 0.3 of the greatest size in x."""


@in_frame(anywhere, 1)
def pushing_out(rng: Rng, kind: str, width: float, length: float, inside: float, side: float) -> Blueprint:
    """Stick tool use: pushing the reward out of a deadly place.

    After Visalberghi (1989). `inside` is the length of the stick, which is in line with the reward, in the
    zone; `side` is the zone's length; both in metres.
    """
    middle, edge = near(rng, 0, 1), -side / 2
    stick = edge + inside - length / 2
    behind = stick - length / 2 - near(rng, 2.2, 0.2)
    return _task(
        OFF_LIMITS,
        ("tool use", "causal reasoning", "avoidance"),
        "Push the stick at the ball, so that it rolls out at the other side; go round and fetch it.",
        agent(near(rng, 0, 5), min(behind - 1.2, -10.5), 6 * int(rng.integers(-15, 16))),
        zone(DEATH, 0, 0, side, side),
        block(kind, middle, stick, (width, 1, length)),
        ball("GoodGoal", near(rng, middle, 0.15), near(rng, 0, 0.8), 1),
        pushes=(Push(middle, behind, 0, 7),),
    )


@in_frame(upright)
def raking(rng: Rng, gap: float, size: float, ends: bool) -> Blueprint:
    """Raking: a hooked tool behind the reward is drawn back.

    Cane task of Koehler (1925). `gap` is the reward's depth in the zone, metres, `size` the tool's length in
    z. With `ends` the zone can be passed at its sides, which does not help.
    """
    edge, unit = near(rng, 2, 1), size / 10
    goal_z = edge + gap
    x = near(rng, 5, 2)
    bar = goal_z + near(rng, 1.7, 0.2) - 5 * unit
    foot = bar - 5.5 * unit
    push_x = x - BAR / 2 - near(rng, 1.3, 0.2)
    width = 40 if not ends else near(rng, 22, 2)
    return _task(
        OFF_LIMITS,
        ("tool use", "causal reasoning", "avoidance"),
        "Stand between the arms of the tool and push the near one away from the zone: the far one takes "
        "the ball along.",
        agent(near(rng, -8, 4), near(rng, -14, 2), 6 * int(rng.integers(-8, 9))),
        zone(DEATH, 0 if width == 40 else near(rng, 3, 1), (edge + 19.95) / 2, width - 0.1, 19.95 - edge),
        block("UBlock", x, bar, (5, 1, size), 90),
        ball("GoodGoal", x - near(rng, 2.3, 0.3), goal_z, 1),
        pushes=(Push(push_x, foot + unit / 2 + 1.1, 180, 8),),
    )


@in_frame(upright)
def tool_choice(rng: Rng, wrong: str) -> Blueprint:
    """Choice between a cane around the reward and a useless tool.

    After Hauser (1997). The agent comes down from a wall on one side or the other, and cannot go back.
    `wrong` is the arrangement on the side that does not lead to the reward.
    """
    edge, z_goal = near(rng, 0.5, 0.5), near(rng, 3.6, 0.5)
    x, bar = near(rng, 12.5, 1.5), edge + near(rng, 0.3, 0.3)
    return _task(
        "Choose the side on which the green ball can be drawn out of the red zone.",
        ("tool use", "causal reasoning", "inhibition"),
        "Go down to the side where an arm of the tool is behind the ball and another within reach; push "
        "that one away from the zone.",
        agent(0, near(rng, -18, 1), 0, y=2),
        wall(0, 0, (2, 2, 40), color=BLUE),
        zone(DEATH, 10.5, (edge + 19.95) / 2, 18.9, 19.95 - edge),
        zone(DEATH, -10.5, (edge + 19.95) / 2, 18.9, 19.95 - edge),
        block("UBlock", x, bar, (5, 1, 10), 90),
        ball("GoodGoal", x - near(rng, 2.4, 0.3), z_goal, 1),
        *_useless(rng, wrong, bar, z_goal),
        pushes=(Push(x - BAR / 2 - near(rng, 1.3, 0.2), bar - 3.6, 180, 8),),
    )


def _useless(rng: Rng, wrong: str, bar: float, z_goal: float) -> list[Object]:
    """Return tool and ball of the useless side, at -x. The tool cannot bring the ball."""
    x = -near(rng, 12.5, 1.5)
    aside = near(rng, 2.4, 0.3)
    if wrong == "outside":
        aside = -near(rng, 2.4, 0.3)
    # Kind, how far off in z, length in z and yaw.
    tools = {
        "hook on this side": [("LBlock", 0, 10, 270)],
        "hook turned away": [("JBlock", 0, 10, 270)],
        "outside": [("UBlock", 0, 10, 270)],
        "short": [("UBlock", -3, 6, 270)],
        "two parts": [("JBlock", 3, 4, 90), ("LBlock", -3, 4, 270)],
    }.get(wrong, [])
    placed = [block(kind, x, bar + off, (5, 1, long), yaw) for kind, off, long, yaw in tools]
    # Tools first, as in 3.1.3 their places must be free of what their arms enclose.
    return [*placed, ball("GoodGoal", x + aside, z_goal, 1)]
