"""Level 1, food retrieval: nothing stands between the agent and what it wants."""

import math

from testbed.blueprints.blueprint import Blueprint, agent, ball


def straight_ahead(variant: int) -> Blueprint:
    """Approach: a single visible reward ahead, ever farther."""
    distance = (8, 16, 27)[variant - 1]
    return Blueprint(
        "Reach the green ball ahead.",
        "approach of a visible reward",
        "Drive straight on.",
        (agent(13 + 5 * variant, 6, 0), ball("GoodGoal", 13 + 5 * variant, 6 + distance, 1)),
    )


def out_of_view(variant: int) -> Blueprint:
    """Orienting: the reward is beside or behind the agent and comes into view by turning."""
    yaw, bearing, distance = ((10, 75, 11), (200, 130, 13), (300, 180, 15))[variant - 1]
    angle = math.radians(yaw + bearing)
    x, z = round(20 + distance * math.sin(angle), 1), round(20 + distance * math.cos(angle), 1)
    return Blueprint(
        "Find the green ball, which is not straight ahead, and reach it.",
        "orienting and search",
        f"Turn by about {bearing} degrees to the right, then drive.",
        (agent(20, 20, yaw), ball("GoodGoal", x, z, 1)),
    )


def several(variant: int) -> Blueprint:
    """Foraging: three yellow balls, all needed (compare foraging in a patch, Stephens & Krebs 1986)."""
    places = (
        ((14, 15), (20, 22), (27, 14)),
        ((8, 24), (20, 12), (31, 26)),
        ((6, 8), (33, 12), (18, 34)),
    )[variant - 1]
    return Blueprint(
        "Collect all three yellow balls.",
        "foraging for several rewards",
        "Visit the nearest ball, then the next nearest.",
        (agent(20, 4, 0), *(ball("GoodGoalMulti", x, z, 1) for x, z in places)),
        time_limit=500,
        pass_mark=2,
    )


def rolling(variant: int) -> Blueprint:
    """Pursuit: the reward rolls across the view and has to be followed or met."""
    x, z, yaw = ((8, 22, 90), (33, 26, 250), (20, 10, 20))[variant - 1]
    return Blueprint(
        "Catch the rolling green ball.",
        "pursuit of a moving reward",
        "Wait until the ball's course is clear, then drive to where it goes or comes to rest.",
        (agent(20, 5, 0), ball("GoodGoalBounce", x, z, 1, yaw=yaw)),
    )


PARADIGMS = (straight_ahead, out_of_view, several, rolling)
