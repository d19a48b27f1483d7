"""Level 2, preferences: two things can be had, and the pass mark asks for the better."""

from testbed.blueprints.blueprint import PINK, Blueprint, Object, agent, ball, wall


def _arms(length: float) -> tuple[Object, ...]:
    """A Y: a wall ahead that parts the way to the left from the way to the right."""
    return (wall(20, 14 + length / 2, (1, 4, length), color=PINK),)


def size_choice(variant: int) -> Blueprint:
    """Quantity discrimination by size: two balls at the same distance (two-alternative choice)."""
    large, small = ((3, 1), (2.5, 1), (2, 1))[variant - 1]
    left, right = (large, small) if variant != 2 else (small, large)
    return Blueprint(
        "Take the larger of two green balls; touching either ends the episode.",
        "preference for more",
        f"Go to the {'left' if left > right else 'right'} ball.",
        (agent(20, 6, 0), ball("GoodGoal", 12, 24, left), ball("GoodGoal", 28, 24, right)),
        pass_mark=1,
    )


def size_against_distance(variant: int) -> Blueprint:
    """Delay of gratification in space: the small reward is near, the large one far."""
    near, far, side = ((10, 26, 1), (9, 30, -1), (8, 33, 1))[variant - 1]
    return Blueprint(
        "Take the large far ball and leave the small near one.",
        "preference for size over distance",
        "Drive past the small ball without touching it.",
        (
            agent(20, 4, 0),
            ball("GoodGoal", 20 + 3 * side, near, 0.5),
            ball("GoodGoal", 20 - 4 * side, far, 2),
        ),
        pass_mark=0.5,
    )


def good_and_bad(variant: int) -> Blueprint:
    """Discrimination: one arm of a Y holds the reward, the other a ball that punishes."""
    good, bad = ((11, 29), (29, 11), (12, 28))[variant - 1]
    size = (1, 1, 2)[variant - 1]
    return Blueprint(
        "Take the green ball, not the red one.",
        "discrimination of reward and punishment",
        f"Go to the {'left' if good < 20 else 'right'} of the dividing wall.",
        (
            agent(20, 5, 0),
            *_arms(14),
            ball("GoodGoal", good, 24 + variant, 1),
            ball("BadGoal", bad, 24 - variant, size),
        ),
    )


def more_before_last(variant: int) -> Blueprint:
    """Inhibition: the green ball ends the episode, so the yellow ones come first."""
    places = (((10, 18), (30, 18)), ((8, 26), (14, 32)), ((33, 12), (6, 14)))[variant - 1]
    return Blueprint(
        "Collect both yellow balls before the green one, which ends the episode.",
        "number against nearness, inhibition",
        "Leave the near green ball until the yellow ones are collected.",
        (
            agent(20, 4, 0),
            ball("GoodGoal", 20, 12, 1),
            *(ball("GoodGoalMulti", x, z, 1) for x, z in places),
        ),
        time_limit=500,
        pass_mark=2,
    )


PARADIGMS = (size_choice, size_against_distance, good_and_bad, more_before_last)
