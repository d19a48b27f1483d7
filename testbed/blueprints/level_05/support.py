"""Level 5, support: what supports the reward is pushed away, or where it will move is foreseen."""

from testbed.blueprints.blueprint import Blueprint, Object, Push, Rng, task
from testbed.blueprints.choices import perch
from testbed.blueprints.parts import GREY, agent, ball, block, ramp, wall
from testbed.blueprints.placement import any_free_pose, any_pose
from testbed.blueprints.places import XZ, near, polar, scattered, side
from testbed.blueprints.walls import EDGE, HEIGHT, JOINT

RUN_UP = 5.0
"""Metres from which the intended solution rams a block."""


def _ram(x: float, z: float, bearing: float, steps: int = 8) -> Push:
    """A push against what stands at x, z, after a run-up."""
    return Push(*polar(x, z, bearing + 180, RUN_UP), bearing, steps)


def _start(rng: Rng) -> Object:
    """The agent at some distance from the middle of the arena."""
    bearing = near(rng, 180, 40)
    return agent(*polar(20, 20, bearing, near(rng, 14, 2)), bearing + 180 + near(rng, 0, 25))


@any_pose
def pillar(rng: Rng, kind: str, height: float, width: float) -> Blueprint:
    """Support (after Piaget 1952): the reward is out of reach on a pillar that can be knocked down."""
    x, z = near(rng, 20, 5), near(rng, 21, 4)
    return task(
        "Get the green ball down from the pillar and reach it.",
        ("support", "pushing"),
        "Ram the pillar, so that the ball falls, and drive to it.",
        _start(rng),
        block(kind, x, z, (width, height, width), near(rng, 45, 45)),
        ball("GoodGoal", x, z, 1, y=height),
        pushes=(_ram(x, z, near(rng, 0, 30)),),
    )


@any_pose
def stack(rng: Rng, kind: str, count: int, cube: float) -> Blueprint:
    """Support by a stack of loose blocks, with the reward on top."""
    x, z, yaw = near(rng, 20, 5), near(rng, 21, 4), near(rng, 45, 45)
    return task(
        "Bring the stack of blocks down and reach the green ball.",
        ("support", "pushing"),
        "Ram the lowest block of the stack, and drive to the ball that has fallen.",
        _start(rng),
        *(block(kind, x, z, (cube,) * 3, yaw, y=cube * n) for n in range(count)),
        ball("GoodGoal", x, z, 1, y=cube * count),
        pushes=(_ram(x, z, near(rng, 0, 30)),),
    )


@any_free_pose
def beam(rng: Rng, height: float, span: float) -> Blueprint:
    """Support by a beam on two loose posts: with either post gone the beam comes down."""
    objects = [block("LightBlock", 20 + sign * span / 2, 20, (1, height, 1)) for sign in (-1, 1)]
    return task(
        "Bring the beam down and reach the green ball.",
        ("support", "pushing"),
        "Ram one of the posts from the side, and drive to the ball that has fallen.",
        _start(rng),
        *objects,
        block("LightBlock", 20, 20, (span + 2, 0.5, 1.2), y=height),
        ball("GoodGoal", 20 + near(rng, 0, span / 3), 20, 1, y=height + 0.5),
        pushes=(_ram(20 + span / 2, 20, 0),),
    )


@any_free_pose
def shelf(rng: Rng, height: float) -> Blueprint:
    """Support at one end: a plank lies on a firm wall and on a loose block; without the block it tilts."""
    long, reach = near(rng, 7, 0.8), near(rng, 0.6, 0.4)
    return task(
        "Bring the shelf down and reach the green ball.",
        ("support", "pushing", "discrimination"),
        "See that one support is loose, ram it from the side, and drive to the ball that has fallen.",
        _start(rng),
        wall(20 - long / 2 + 0.8, 20, (1.6, height, 2)),
        block("LightBlock", 20 + long / 2 - 0.7, 20, (1, height, 1)),
        block("LightBlock", 20, 20, (long, 0.5, 1.2), y=height),
        ball("GoodGoal", 20 + reach, 20, 1, y=height + 0.5),
        pushes=(_ram(20 + long / 2 - 0.7, 20, 0),),
    )


@any_free_pose
def table(rng: Rng, height: float) -> Blueprint:
    """Support by four loose legs under a slab: the reward comes down when legs are gone."""
    wide, deep = near(rng, 5, 0.4), near(rng, 4, 0.4)
    legs = [(20 + a * (wide / 2 - 0.6), 20 + b * (deep / 2 - 0.6)) for a in (-1, 1) for b in (-1, 1)]
    return task(
        "Bring the table down and reach the green ball.",
        ("support", "pushing"),
        "Ram the legs of the table one after another until the ball falls, and drive to it.",
        _start(rng),
        *(block("LightBlock", x, z, (0.9, height, 0.9)) for x, z in legs),
        block("LightBlock", 20, 20, (wide, 0.5, deep), y=height),
        ball("GoodGoal", 20 + near(rng, 0, 1), 20 + near(rng, 0, 0.8), 1, y=height + 0.5),
        time_limit=500,
        pushes=(_ram(*legs[2], 0, 10), _ram(*legs[0], 0, 10)),
    )


@any_pose
def post_and_block(rng: Rng, height: float) -> Blueprint:
    """The reward on a firm post: it has to be pushed off with a block as high as the ball (Kohler 1925)."""
    x, z, bearing = near(rng, 20, 3), near(rng, 22, 2), near(rng, 0, 180)
    size = height + 1
    from_post = near(rng, 8, 1.5)
    spot = polar(x, z, bearing + 180, from_post)
    return task(
        "Get the green ball down from the post and reach it.",
        ("support", "pushing", "tool use"),
        "Push the high block against the post, so that it moves the ball off, and drive around to the ball.",
        agent(*polar(x, z, bearing + 90, near(rng, 12, 2)), bearing - 90 + near(rng, 0, 30)),
        wall(x, z, (0.4, height, 0.4)),
        ball("GoodGoal", x, z, 1, y=height),
        block("HeavyBlock", *spot, (size, size, size), bearing),
        time_limit=500,
        pushes=(Push(*polar(*spot, bearing + 180, size / 2 + 1.2), bearing, 12),),
    )


@any_pose
def pillars(rng: Rng, count: int, height: float, limit: int) -> Blueprint:
    """Support, several times: a reward on each of several loose pillars."""
    start, *places = scattered(rng, count + 1, 8, within=(6, 6, 34, 34))
    return task(
        f"Get all {count} yellow balls down from their pillars.",
        ("support", "pushing", "foraging"),
        "Ram one pillar after another, and take each ball that has fallen.",
        agent(*start, near(rng, 180, 180)),
        *(block("LightBlock", x, z, (1, height, 1), near(rng, 45, 45)) for x, z in places),
        *(ball("GoodGoalMulti", x, z, 1, y=height) for x, z in places),
        time_limit=limit,
        pass_mark=count - 1,
        pushes=tuple(_ram(x, z, 0) for x, z in places),
    )


@any_pose
def two_pillars(rng: Rng, height: float) -> Blueprint:
    """Choice by support: of two rewards on pillars only the one on the loose pillar can be obtained.

    The agent looks from a perch that it cannot climb again.
    """
    start, stand = perch(rng, 40)
    loose: XZ = 20 + near(rng, 5.2, 0.8), near(rng, 14.5, 2)
    firm: XZ = 20 - near(rng, 5.2, 0.8), near(rng, 14.5, 2)
    yaw = near(rng, 45, 45)
    return task(
        "Go to the green ball whose pillar can be knocked down, and reach the ball.",
        ("support", "discrimination"),
        "See which pillar is a block and which is a wall, go to the block, ram it, and drive to the ball.",
        start,
        *stand,
        block("LightBlock", *loose, (1, height, 1), yaw),
        wall(*firm, (1, height, 1), yaw),
        ball("GoodGoal", *loose, 1, y=height),
        ball("GoodGoal", *firm, 1, y=height),
        pushes=(_ram(*loose, near(rng, 30, 20)),),
    )


@any_free_pose
def soft_side(rng: Rng, inner: float) -> Blueprint:
    """Enclosure with one loose side: the reward is shut in, and only blocks can be pushed away."""
    half, cube = inner / 2, inner / 3 - JOINT
    objects = [wall(20 + sign * (half + 0.3), 20, (0.6, 2, inner + 1.2)) for sign in (-1, 1)] + [
        wall(20, 20 - half - 0.3, (inner - 2 * JOINT, 2, 0.6))
    ]
    blocks = [
        block("LightBlock", 20 + n * inner / 3, 20 + half - cube / 2 + 0.5, (cube, 2, cube))
        for n in (-1, 0, 1)
    ]
    return task(
        "Open the enclosure and reach the green ball in it.",
        ("support", "pushing", "discrimination"),
        "Go around the enclosure to the side that is made of blocks, and push through it.",
        agent(*polar(20, 20, near(rng, 180, 70), near(rng, 14, 2)), near(rng, 0, 60)),
        *objects,
        *blocks,
        ball("GoodGoal", 20 + near(rng, 0, half - 1), 20 - half + near(rng, 1, 0.3), 1),
        pushes=(Push(20, 20 + half + RUN_UP, 180, 9),),
    )


@any_pose
def slope(rng: Rng, screened: bool) -> Blueprint:
    """Inclined plane: a ball drops on a slope and rolls off to one side; the other choice cannot be undone.

    If `screened`, where it comes down is out of view and has to be inferred from the slope.
    """
    z, high = near(rng, 21, 2.5), 3.0
    sign = side(rng)
    start, stand = perch(rng, z - 1.6, high=1)
    rise, long = near(rng, 1.6, 0.3), near(rng, 4.6, 0.5)
    objects: list[Object] = [
        wall(20, z, (long + 0.2, high, 3)),
        wall(20, (z + 1.5 + JOINT + 40 - EDGE) / 2, (0.6, high, 40 - EDGE - z - 1.5 - JOINT)),
        ramp(20, z, (2.6, rise, long), (90 * sign) % 360, y=high, color=GREY),
    ]
    if screened:
        objects += [wall(20 + at * 10.5, z - 4, (near(rng, 14, 1), HEIGHT, 0.6)) for at in (-1, 1)]
    return task(
        "Go to the side on which the green ball rolls down, and reach it.",
        ("support", "object permanence"),
        "See to which side the slope falls, leave the perch on that side, and drive to the ball.",
        start,
        *stand,
        *objects,
        ball("GoodGoal", 20 - sign * (long / 2 - 0.7), z, 1, y=high + rise),
    )
