"""Level 3, static obstacles of several storeys: platforms, walkways, terraces and the ramps to them."""

from testbed.blueprints.blueprint import Blueprint, Rng, task
from testbed.blueprints.parts import BLUE, agent, ball, pane, ramp, wall
from testbed.blueprints.placement import any_free_pose, any_pose
from testbed.blueprints.places import near, polar
from testbed.blueprints.walls import EDGE, HEIGHT, JOINT

SLOPE = 2.4
"""Metres along a ramp for each metre that it rises."""


@any_pose
def ridge(rng: Rng, width: float, transparent: bool) -> Blueprint:
    """Detour with a choice (after Crosby et al. 2020): a ridge is left on one side and not climbed again.

    A barrier stands across the ridge; the reward is behind it on one side, in view if it is `transparent`.
    """
    z, x = near(rng, 21, 2), 20 + near(rng, 5, 1.5)
    high, thick = 0.6, near(rng, 3, 0.4)
    size = (width, HEIGHT, 0.6)
    top = pane(20, z, size, y=high) if transparent else wall(20, z, size, y=high)
    return task(
        "Leave the ridge on the side of the green ball and reach it.",
        ("detour", "spatial choice"),
        "See on which side the ball is, leave the ridge there, and go around the barrier.",
        agent(20, near(rng, 4, 2.5), near(rng, 0, 8), y=high),
        wall(20, 20, (thick, high, 40 - 2 * EDGE), color=BLUE),
        top,
        ball("GoodGoal", x, z + near(rng, 5, 2), 1),
    )


@any_free_pose
def platform(rng: Rng, height: float, beside: float) -> Blueprint:
    """Elevated platform: a ramp is the only way up to the reward.

    `beside` is the bearing of the agent's start from the ramp as seen from the platform, degrees.
    """
    length = SLOPE * height
    width, depth = near(rng, 8, 1.5), near(rng, 7, 1.5)
    start = polar(20, 20, 180 + near(rng, beside, 15), near(rng, 14.5, 1.5))
    return task(
        "Climb the ramp to the green ball on the platform.",
        ("climbing", "navigation"),
        "Line up with the ramp, drive up, and cross the platform to the ball.",
        agent(*start, near(rng, beside, 25)),
        wall(20, 20, (width, height, depth), color=BLUE),
        ramp(
            20 + near(rng, 0, width / 2 - 2), 20 - depth / 2 - JOINT - length / 2, (3.6, height, length), 180
        ),
        ball("GoodGoal", 20 + near(rng, 0, width / 3), 20 + near(rng, 0, depth / 3), 1, y=height),
    )


@any_pose
def walkway(rng: Rng, legs: int, width: float, height: float) -> Blueprint:
    """Walkway: a ramp leads up to a narrow wall, and the reward is at its far end; `legs` is its corners."""
    x, z, reach = near(rng, 11, 2), near(rng, 16, 2), near(rng, 14, 1)
    length = SLOPE * height
    far = z + reach
    across = near(rng, 13, 1.5)
    objects = [
        ramp(x, z - JOINT - length / 2, (4, height, length), 180),
        wall(x, z + reach / 2, (4, height, reach), color=BLUE),
        wall(x + 2 + JOINT + across / 2, far - width / 2, (across, height, width), color=BLUE),
    ]
    goal = x + 2 + across - 1.2, far - width / 2
    if legs > 1:
        back = near(rng, 11, 1.5)
        end = x + 2 + across - width / 2
        objects.append(wall(end, far - width - JOINT - back / 2, (width, height, back), color=BLUE))
        goal = end, far - width - back + 1.2
    return task(
        "Reach the green ball at the far end of the walkway.",
        ("climbing", "navigation"),
        "Drive up the ramp and slowly along the walkway, turning at its corners.",
        agent(near(rng, 28, 8), near(rng, 5, 2.5), near(rng, 330, 40)),
        *objects,
        ball("GoodGoal", *goal, 2, y=height),
        time_limit=500,
        pass_mark=1,
    )


@any_pose
def terraces(rng: Rng, storeys: int, rise: float) -> Blueprint:
    """Several storeys: each terrace is higher than the one before, with one ramp up to it."""
    band, length, width = 40 / (storeys + 1), 2.2 * rise, 5.0
    objects = []
    where = near(rng, 20, 14)
    for number in range(1, storeys + 1):
        edge = band * number
        top = edge + band - JOINT if number < storeys else 40 - EDGE
        size = (40 - 2 * EDGE, rise * number, top - edge)
        objects.append(wall(20, (edge + top) / 2, size, color=BLUE))
        foot = edge - JOINT - length / 2
        objects.append(ramp(where, foot, (width, rise, length), 180, y=rise * (number - 1)))
        where = near(rng, 20, 8) - 8 if where > 20 else near(rng, 20, 8) + 8
    return task(
        "Climb from terrace to terrace to the green ball on the highest.",
        ("climbing", "navigation"),
        "Drive up one ramp after another, then to the ball.",
        agent(near(rng, 20, 15), near(rng, 3, 1), near(rng, 0, 60)),
        *objects,
        ball("GoodGoal", near(rng, 20, 16), near(rng, 37, 1), 1, y=rise * storeys),
        time_limit=250 if storeys < 3 else 500,
    )


@any_pose
def over_the_wall(rng: Rng, height: float) -> Blueprint:
    """A wall across the whole arena without an opening: a ramp leads up to its top, beyond is a drop."""
    x, z, thick = near(rng, 20, 14), near(rng, 21, 2), near(rng, 1.8, 0.4)
    length = SLOPE * height
    return task(
        "Get over the wall and reach the green ball.",
        ("climbing", "navigation"),
        "Drive up the ramp to the top of the wall, drop down beyond it, and go to the ball.",
        agent(near(rng, 20, 15), near(rng, 5, 2), near(rng, 0, 50)),
        wall(20, z, (40 - 2 * EDGE, height, thick), color=BLUE),
        ramp(x, z - thick / 2 - JOINT - length / 2, (4, height, length), 180),
        ball("GoodGoal", near(rng, 20, 16), near(rng, 34.5, 2), 1),
    )


@any_free_pose
def yard(rng: Rng, inner: float, height: float) -> Blueprint:
    """Enclosure: the agent is shut in by walls, over one of which a ramp leads out to the reward."""
    thick, length = 1.6, SLOPE * height
    half, low = inner / 2, near(rng, 0, inner / 2 - 2.2)
    start = polar(20, 20, near(rng, 180, 60), half - 1.5)
    high = HEIGHT
    return task(
        "Get out of the walled yard and reach the green ball.",
        ("climbing", "search"),
        "Turn to find the ramp, drive up it and over the lower wall, then search for the ball.",
        agent(*start, near(rng, 180, 180)),
        wall(20, 20 + half + thick / 2, (inner, height, thick), color=BLUE),
        wall(20, 20 - half - thick / 2, (inner, high, thick)),
        *(
            wall(20 + sign * (half + thick / 2 + JOINT), 20, (thick, high, inner + 2 * thick))
            for sign in (-1, 1)
        ),
        ramp(20 + low, 20 + half - JOINT - length / 2, (4, height, length), 180),
        ball("GoodGoal", *polar(20, 20, near(rng, 180, 100), near(rng, 14, 1.5)), 1),
    )
