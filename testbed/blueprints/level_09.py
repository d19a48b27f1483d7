"""Level 9, numerosity and advanced preferences: the larger option is chosen, irreversibly."""

from collections.abc import Sequence
from itertools import chain

from testbed.blueprints.blueprint import BLUE, Blueprint, Object, Rng, task
from testbed.blueprints.choices import FIRM, Apparatus, boxes, fill, hub, ledge, mark, pens
from testbed.blueprints.parts import DEATH, agent, ball, pane, wall, zone
from testbed.blueprints.placement import any_quarter_turn
from testbed.blueprints.places import GAP, THICK, near, side

SIZE = 2.0
"""Diameter of the balls, metres. They can be counted from the ledge."""


def _hidden_sides(rng: Rng) -> tuple[list[Object], float, float, float]:
    """Return a ledge, a high shelf beyond it, and two screened compartments. These are at either end of the
    shelf. Also returns half the shelf's length, its height and the z of the screens."""
    half, high, screen = near(rng, 10, 0.8), near(rng, 3, 0.2), near(rng, 28.5, 0.8)
    height, width, end = near(rng, 2, 0.2), near(rng, 2, 0.3), near(rng, 32.5, 0.4)
    depth, middle = 40 - end, (screen + THICK / 2 + end) / 2
    objects = [
        agent(20, near(rng, 8, 2), near(rng, 0, 4), y=height),
        wall(20, end / 2, (width, height, end - 2 * GAP), color=BLUE),
        wall(20, end + depth / 2, (2 * half, high, depth - 2 * GAP)),
    ]
    for s in (-1, 1):
        # The entrance along the fence is 2.6 m wide.
        inner, outer = 20 + s * half, 20 + s * 17.4
        objects += [
            wall((inner + outer) / 2, screen, (abs(outer - inner), 5, THICK)),
            wall(inner - s * THICK, middle, (THICK, 5, end - screen - THICK / 2 - 2 * GAP)),
        ]
    return objects, half, high, screen


@any_quarter_turn
def adding(rng: Rng, resting: Sequence[int], rolling: Sequence[int], limit: int = 250) -> Blueprint:
    """Addition out of sight: balls roll behind screens with others (Wynn 1992). `resting` and `rolling` are
    the numbers of balls to either side, the better side first."""
    objects, half, high, screen = _hidden_sides(rng)
    better = side(rng)
    lane = near(rng, 36, 0.7)
    for s, still, moving in zip((better, -better), resting, rolling, strict=True):
        inner, outer = sorted((20 + s * 3.0, 20 + s * (half + 4)))
        objects += fill(rng, (inner, screen - 9, outer, screen - 1.5), (SIZE,) * still)
        objects += [
            ball("GoodGoalMultiBounce", 20 + s * (1.4 + 2.6 * i), lane, SIZE, y=high, yaw=90 * s % 360)
            for i in range(moving)
        ]
    best, second = sorted((SIZE * (a + b) for a, b in zip(resting, rolling, strict=True)), reverse=True)
    return task(
        "Gather the yellow balls on the side to which more of them have come in all.",
        ("numerosity", "object permanence", "working memory"),
        "Watch how many balls roll to either side, go down where more are, and look behind the screen.",
        *objects,
        time_limit=limit,
        pass_mark=mark(best, second),
    )


def _terraces(rng: Rng) -> tuple[list[Object], float, float, float]:
    """Return a high platform and two terraces with a deadly ditch between. A pane is in the ditch's middle.
    Also returns half the width of the ditch, the depth of the platform, and the height of the terraces."""
    half, high, depth = near(rng, 4, 0.4), near(rng, 2, 0.2), near(rng, 8, 1)
    objects = [
        agent(20, depth - near(rng, 2, 0.5), near(rng, 0, 5), y=high + 1.8),
        wall(20, depth / 2, (40, high + 1.8, depth - 2 * GAP), color=BLUE),
        pane(20, 20 + depth / 2, (FIRM, high + 3, 40 - depth - 2 * GAP)),
    ]
    for s in (-1, 1):
        width = 20 - half
        objects.append(wall(20 + s * (half + width / 2), 20 + depth / 2, (width, high, 40 - depth - 2 * GAP)))
        across = half - FIRM / 2 - 0.1
        objects.append(zone(DEATH, 20 + s * (half + FIRM / 2) / 2, 20 + depth / 2, across, 39 - depth))
    return objects, half, depth, high


@any_quarter_turn
def subtracting(rng: Rng, numbers: Sequence[int], leaving: Sequence[int], limit: int = 250) -> Blueprint:
    """Subtraction: balls leave the side that had more at first. After Sulkowski & Hauser (2001). `numbers`
    are the balls at first and `leaving` those that leave, the side that is better in the end first."""
    objects, half, depth, high = _terraces(rng)
    better = side(rng)
    for s, number, lost in zip((better, -better), numbers, leaving, strict=True):
        rows = [depth + 6 + (33 - depth) / number * (i + 0.1) for i in range(number)]
        rows = [rows[int(i)] for i in rng.permutation(number)]
        for i, z in enumerate(rows):
            x = 20 + s * near(rng, half + (6 if i < lost else 8), 2.5)
            kind = "GoodGoalMultiBounce" if i < lost else "GoodGoalMulti"
            objects.append(ball(kind, x, z, SIZE, y=high, yaw=-90 * s % 360 if i < lost else 0))
    left = [SIZE * (number - lost) for number, lost in zip(numbers, leaving, strict=True)]
    return task(
        "Gather the yellow balls on the side where more of them stay.",
        ("numerosity", "prediction", "inhibition"),
        "Wait until the rolling balls are in the ditch, and go down to the side where more are left.",
        *objects,
        time_limit=limit,
        pass_mark=mark(left[0], left[1]),
    )


Sizes = Sequence[float]
"""Diameters of the balls of one option."""


@any_quarter_turn
def _choice(rng: Rng, apparatus: Apparatus, options: Sequence[Sizes], limit: int) -> Blueprint:
    """Return a choice between options, the best of which comes first."""
    totals = sorted((sum(sizes) for sizes in options), reverse=True)
    return task(
        f"Gather the yellow balls where they are worth most: {totals[0]:g} and not {totals[1]:g}.",
        ("numerosity", "preference", "foraging"),
        "Look at all options from above, go down to the best one, and gather all that is there.",
        *apparatus.objects,
        *chain.from_iterable(fill(rng, *each) for each in zip(apparatus.areas, options, strict=True)),
        time_limit=limit,
        pass_mark=mark(totals[0], totals[1]),
    )


def _equal(numbers: Sequence[int], size: float) -> list[Sizes]:
    return [(size,) * number for number in numbers]


def numbers_beside_a_ledge(rng: Rng, numbers: Sequence[int], size: float, limit: int = 250) -> Blueprint:
    """Relative numerosity: more balls on one side of a ledge. After Hanus & Call (2007)."""
    return _choice(rng, ledge(rng), _equal(numbers, size), limit)


def numbers_in_pens(
    rng: Rng, numbers: Sequence[int], size: float, glass: bool = True, limit: int = 250
) -> Blueprint:
    """Relative numerosity among several sets that are seen together. "Go for more" (Uller et al. 2003)."""
    return _choice(rng, pens(rng, len(numbers), glass), _equal(numbers, size), limit)


def numbers_all_around(
    rng: Rng, numbers: Sequence[int], size: float, glass: bool = True, limit: int = 250
) -> Blueprint:
    """Relative numerosity among sets seen one after another (Beran 2004). They must be remembered."""
    return _choice(rng, hub(rng, len(numbers), glass), _equal(numbers, size), limit)


def numbers_behind_glass(rng: Rng, numbers: Sequence[int], size: float, limit: int = 250) -> Blueprint:
    """Relative numerosity through glass: a box is entered for good. Each set is in one, over a ramp."""
    return _choice(rng, boxes(rng, len(numbers)), _equal(numbers, size), limit)


def larger_but_fewer(rng: Rng, large: Sizes, small: Sizes, fewer_wins: bool, limit: int = 250) -> Blueprint:
    """Amount against number: few large balls against many small ones. After Boysen et al. (2001)."""
    return _choice(rng, pens(rng, 2, True), [large, small] if fewer_wins else [small, large], limit)


def totals_all_around(rng: Rng, options: Sequence[Sizes], limit: int = 500) -> Blueprint:
    """Summation of unlike amounts: each field holds balls of several sizes. After Beran & Beran (2004)."""
    return _choice(rng, hub(rng, len(options), False), options, limit)


def totals_in_pens(rng: Rng, options: Sequence[Sizes], limit: int = 500) -> Blueprint:
    """Summation of unlike amounts that are seen together (Beran & Beran 2004)."""
    return _choice(rng, pens(rng, len(options), True), options, limit)
