"""Level 2, preferences against costs: the better thing is farther, higher, or behind something unpleasant."""

from testbed.blueprints.blueprint import Blueprint, Rng, task
from testbed.blueprints.choices import fill, ledge, mark
from testbed.blueprints.parts import HOT, agent, ball, ramp, wall, zone
from testbed.blueprints.placement import any_quarter_turn
from testbed.blueprints.places import near, polar, side
from testbed.blueprints.walls import GAP


@any_quarter_turn
def size_against_distance(rng: Rng, large: float, small: float, far: float, close: float) -> Blueprint:
    """Size against distance: spatial discounting (Stevens et al. 2005)."""
    start = near(rng, 20, 6), near(rng, 3, 0.8)
    first = side(rng)
    near_place = polar(*start, first * near(rng, 14, 6), close + small)
    far_place = polar(*start, -first * near(rng, 12, 5), near(rng, far, 0.8))
    return task(
        "Take the large far ball and leave the small near one.",
        ("preference", "inhibition"),
        "Drive past the small ball without touching it, on to the large one.",
        agent(*start, near(rng, 0, 10)),
        ball("GoodGoal", *near_place, small),
        ball("GoodGoal", *far_place, large),
        pass_mark=small,
    )


@any_quarter_turn
def climbing_for_more(rng: Rng, large: float, small: float, height: float) -> Blueprint:
    """Choice by effort: the large reward is up on a block (Salamone et al. 1994)."""
    s = side(rng)
    x, top, length = 20 + s * near(rng, 9, 1.5), near(rng, 32, 1), max(6.0, 2.2 * height)
    block = near(rng, 7, 0.8)
    front = top - block / 2
    return task(
        "Take the large green ball on the block and not the small one on the floor.",
        ("preference", "climbing"),
        "Drive up the ramp, straight on to the large ball.",
        agent(near(rng, 20, 3), near(rng, 4, 1.5), near(rng, 0, 12)),
        wall(x, top, (block, height, block)),
        ramp(x, front - GAP - length / 2, (near(rng, 4.5, 0.5), height, length), 180),
        ball("GoodGoal", x, top, large, y=height),
        ball("GoodGoal", 20 - s * near(rng, 8, 3), near(rng, 14, 3), small),
        pass_mark=small,
    )


@any_quarter_turn
def crossing_heat_for_more(rng: Rng, large: float, small: float, depth: float) -> Blueprint:
    """Approach-avoidance conflict: the large reward is worth crossing a hot strip."""
    start, strip = near(rng, 5, 1.5), near(rng, 20, 3)
    return task(
        "Take the large green ball behind the hot strip, not the small one before it.",
        ("preference", "cost against gain"),
        "Cross the hot strip straight and fast, and go on to the large ball.",
        agent(near(rng, 20, 8), start, near(rng, 0, 15)),
        zone(HOT, 20, strip, 39.9, depth),
        ball("GoodGoal", near(rng, 20, 10), near(rng, 34, 2), large),
        ball("GoodGoal", 20 + side(rng) * near(rng, 12, 3), near(rng, 10, 2), small),
        pass_mark=small,
    )


@any_quarter_turn
def far_but_more(rng: Rng, close: int, far: int) -> Blueprint:
    """Number against distance: few rewards are close to a ledge, more are far on its other side."""
    apparatus = ledge(rng)
    (more_x0, _, more_x1, _), (few_x0, _, few_x1, _) = apparatus.areas
    return task(
        f"Gather the {far} far yellow balls and not the {close} near by.",
        ("preference", "number against distance"),
        "Drop down from the ledge on the side with more balls, however far they are.",
        *apparatus.objects,
        *fill(rng, (more_x0, 25, more_x1, 39), (1.5,) * far),
        *fill(rng, (few_x0, 8, few_x1, 15), (1.5,) * close),
        pass_mark=mark(1.5 * far, 1.5 * close),
    )
