"""Level 9, numerosity and advanced preferences: the option with more is chosen, and there is no way back."""

from collections.abc import Sequence

from testbed.blueprints.blueprint import Blueprint, Rng, task
from testbed.blueprints.choices import Apparatus, boxes, fill, hub, ledge, mark, pens
from testbed.blueprints.condition import Condition
from testbed.blueprints.level_09 import sums
from testbed.blueprints.placement import any_quarter_turn

Sizes = Sequence[float]
"""Diameters of the balls of one option."""


@any_quarter_turn
def _choice(rng: Rng, apparatus: Apparatus, options: Sequence[Sizes], limit: int) -> Blueprint:
    """A choice between options, the best of which comes first."""
    totals = sorted((sum(sizes) for sizes in options), reverse=True)
    balls = [
        thing
        for area, sizes in zip(apparatus.areas, options, strict=True)
        for thing in fill(rng, area, sizes)
    ]
    return task(
        f"Gather the yellow balls where they are worth most: {totals[0]:g} and not {totals[1]:g}.",
        ("numerosity", "preference", "foraging"),
        "Look at all options from above, go down to the best one, and gather all that is there.",
        *apparatus.objects,
        *balls,
        time_limit=limit,
        pass_mark=mark(totals[0], totals[1]),
    )


def _equal(numbers: Sequence[int], size: float) -> list[Sizes]:
    return [(size,) * number for number in numbers]


def numbers_beside_a_ledge(rng: Rng, numbers: Sequence[int], size: float, limit: int = 250) -> Blueprint:
    """Relative numerosity: more balls to one side of a ledge than to the other (Hanus & Call 2007)."""
    return _choice(rng, ledge(rng), _equal(numbers, size), limit)


def numbers_in_pens(
    rng: Rng, numbers: Sequence[int], size: float, glass: bool = True, limit: int = 250
) -> Blueprint:
    """Relative numerosity among several sets that are seen at once (Uller et al. 2003, "go for more")."""
    return _choice(rng, pens(rng, len(numbers), glass), _equal(numbers, size), limit)


def numbers_all_around(
    rng: Rng, numbers: Sequence[int], size: float, glass: bool = True, limit: int = 250
) -> Blueprint:
    """Relative numerosity among sets that are seen one after another and must be remembered (Beran 2004)."""
    return _choice(rng, hub(rng, len(numbers), glass), _equal(numbers, size), limit)


def numbers_behind_glass(rng: Rng, numbers: Sequence[int], size: float, limit: int = 250) -> Blueprint:
    """Relative numerosity through glass: each set is in a box that is entered over a ramp, for good."""
    return _choice(rng, boxes(rng, len(numbers)), _equal(numbers, size), limit)


def larger_but_fewer(rng: Rng, large: Sizes, small: Sizes, fewer_wins: bool, limit: int = 250) -> Blueprint:
    """Amount against number: few large balls against many small ones (Boysen et al. 2001)."""
    options = [large, small] if fewer_wins else [small, large]
    return _choice(rng, pens(rng, 2, True), options, limit)


def totals_all_around(rng: Rng, options: Sequence[Sizes], limit: int = 500) -> Blueprint:
    """Summation of unlike amounts: each field holds balls of several sizes (Beran & Beran 2004)."""
    return _choice(rng, hub(rng, len(options), False), options, limit)


def totals_in_pens(rng: Rng, options: Sequence[Sizes], limit: int = 500) -> Blueprint:
    """Summation of unlike amounts that are seen at once (Beran & Beran 2004)."""
    return _choice(rng, pens(rng, len(options), True), options, limit)


CONDITIONS = (
    Condition(numbers_beside_a_ledge, 1, numbers=(1, 0), size=2),
    Condition(numbers_beside_a_ledge, 1, numbers=(3, 1), size=2),
    Condition(numbers_beside_a_ledge, 3, numbers=(6, 4), size=2, limit=500),
    Condition(numbers_in_pens, 1, numbers=(3, 1), size=1),
    Condition(numbers_in_pens, 1, numbers=(4, 2), size=2, glass=False),
    Condition(numbers_in_pens, 2, numbers=(3, 2), size=1.5),
    Condition(numbers_in_pens, 2, numbers=(4, 3), size=2, glass=False, limit=500),
    Condition(numbers_beside_a_ledge, 1, numbers=(2, 1), size=2),
    Condition(numbers_in_pens, 2, numbers=(4, 2, 1), size=1.5),
    Condition(numbers_in_pens, 3, numbers=(5, 4, 3, 2), size=1, limit=500),
    Condition(numbers_all_around, 2, numbers=(4, 2, 1, 0), size=2),
    Condition(numbers_all_around, 3, numbers=(5, 4, 3), size=2, glass=False, limit=500),
    Condition(numbers_behind_glass, 1, numbers=(2, 1), size=2),
    Condition(numbers_behind_glass, 2, numbers=(3, 2, 1), size=1.5),
    Condition(numbers_behind_glass, 3, numbers=(4, 3), size=1.5, limit=500),
    Condition(larger_but_fewer, 1, large=(4, 4), small=(1, 1, 1), fewer_wins=True),
    Condition(larger_but_fewer, 2, large=(3,), small=(1, 1, 1, 1, 1), fewer_wins=False, limit=500),
    Condition(totals_all_around, 2, options=((3, 2, 2), (1, 1, 1, 1), (3, 1), (2,))),
    Condition(totals_in_pens, 3, options=((2, 2, 2), (3, 1, 1), (1, 1, 1, 1))),
    Condition(sums.adding, 1, resting=(0, 0), rolling=(2, 0)),
    Condition(sums.adding, 2, resting=(2, 1), rolling=(3, 0)),
    Condition(sums.adding, 1, resting=(0, 0), rolling=(3, 1)),
    Condition(sums.adding, 2, resting=(1, 2), rolling=(3, 1)),
    Condition(sums.adding, 2, resting=(1, 0), rolling=(3, 1)),
    Condition(sums.adding, 3, resting=(1, 2), rolling=(3, 1), limit=500),
    Condition(sums.subtracting, 1, numbers=(2, 3), leaving=(0, 2)),
    Condition(sums.subtracting, 2, numbers=(3, 4), leaving=(0, 2)),
    Condition(sums.subtracting, 3, numbers=(4, 5), leaving=(1, 3), limit=500),
    Condition(numbers_in_pens, 3, numbers=(5, 4), size=1, limit=500),
    Condition(numbers_all_around, 3, numbers=(6, 5, 4, 3), size=1, glass=False, limit=500),
)
