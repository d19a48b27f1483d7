"""Level 3, static obstacles: the way has to be found around, over or through something."""

from testbed.blueprints.blueprint import BLUE, GREY, PINK, Blueprint, Object, agent, ball, wall


def detour(variant: int) -> Blueprint:
    """Detour (Koehler 1925): a wall hides the reward or, transparent, shows it out of reach."""
    width, x = ((10, 20), (18, 17), (14, 23))[variant - 1]
    size = (width, 3, 1)
    barrier = (
        Object("WallTransparent", (x, 0, 18), size, 0) if variant == 3 else wall(x, 18, size, color=GREY)
    )
    return Blueprint(
        "Reach the green ball behind the barrier.",
        "detour around a " + ("transparent" if variant == 3 else "opaque") + " barrier",
        "Drive past the nearer end of the barrier, then turn towards the ball.",
        (agent(20, 8, 0), barrier, ball("GoodGoal", 20, 26, 1)),
    )


def barrier_in_u(variant: int) -> Blueprint:
    """U-shaped detour (Koehler 1925): the agent starts inside the U and must first turn away."""
    depth = (6, 8, 10)[variant - 1]
    sides = tuple(wall(x, 20 - depth / 2, (1, 3, depth), color=BLUE) for x in (15.5, 24.5))
    return Blueprint(
        "Leave the U-shaped barrier and reach the green ball behind it.",
        "detour that first leads away from the reward",
        "Turn round, leave the U by its open side, and go around it.",
        (
            agent(20, 20 - depth / 2, 0),
            wall(20, 20.5, (10, 3, 1), color=BLUE),
            *sides,
            ball("GoodGoal", 18 + variant, 29, 1.5),
        ),
        time_limit=500,
    )


def platform(variant: int) -> Blueprint:
    """Elevated platform: a ramp is the only way up to the reward."""
    height, x, length = ((1, 20, 5), (2, 14, 6), (2.5, 27, 7))[variant - 1]
    return Blueprint(
        "Climb the ramp to the green ball on the platform.",
        "use of a ramp",
        "Line up with the ramp, drive up, cross the platform.",
        (
            agent(20, 5, 0),
            wall(20, 30, (30, height, 12), color=BLUE),
            Object("Ramp", (x, 0, 24 - length / 2), (5, height, length), 180, PINK),
            ball("GoodGoal", x + (0, 3, -4)[variant - 1], 30, 1, y=height + 0.02),
        ),
        time_limit=500,
    )


def opening(variant: int) -> Blueprint:
    """Passage: a wall across the whole arena with one opening, or a tunnel in it."""
    x, width = ((20, 6), (9, 5), (30, 4))[variant - 1]
    left, right = x - width / 2, 40 - x - width / 2
    walls = (
        wall(left / 2 + 0.01, 20, (left - 0.02, 4, 2), color=GREY),
        wall(40 - right / 2 - 0.01, 20, (right - 0.02, 4, 2), color=GREY),
    )
    tunnel = (Object("CylinderTunnel", (x, 0, 20), (3.9, 5, 6), 0, PINK),) if variant == 3 else ()
    return Blueprint(
        "Pass to the other half of the arena and reach the green ball.",
        "finding a passage",
        "Drive to the opening, through it, and then to the ball.",
        (agent(20, 7, 0), *walls, *tunnel, ball("GoodGoal", 40 - x if variant > 1 else 24, 31, 1.5)),
        time_limit=500,
    )


PARADIGMS = (detour, barrier_in_u, platform, opening)
