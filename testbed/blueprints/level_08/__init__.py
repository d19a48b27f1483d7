"""Level 8, object permanence and working memory: what was seen to vanish is still there."""

import math

from testbed.blueprints.blueprint import Blueprint, Object, Rng, task
from testbed.blueprints.compartments import Compartments, compartments
from testbed.blueprints.condition import Condition
from testbed.blueprints.level_08 import rolling, search
from testbed.blueprints.parts import ball, ramp
from testbed.blueprints.placement import any_orientation
from testbed.blueprints.places import even, near, side

MEMORY = ("object permanence", "working memory", "irreversible choice")

CHOOSE = "Note behind which screen {}; drop from the platform into that stall and go round its screen."

LAUNCH = 10.0
"""Speed of a ball that is launched, m/s (`arena/taskfile/catalog.py`)."""

GRAVITY = 9.81

Lights = tuple[int, ...]


def _task(
    goal: str,
    seen: str,
    *objects: Object,
    lights: Lights = (),
    mark: float = 0,
    capacities: tuple[str, ...] = (),
) -> Blueprint:
    return task(
        goal,
        (*MEMORY, *capacities),
        CHOOSE.format(seen),
        *objects,
        time_limit=500 if lights else 250,
        pass_mark=mark,
        blackouts=lights,
    )


def _drop(rng: Rng, apparatus: Compartments, kind: str, number: int, size: float) -> Object:
    """A ball that falls from the sky behind a screen, and is seen for more than a second."""
    x, z = apparatus.hidden(rng, number)
    return ball(kind, x, z, size, near(rng, 11, 1.5))


@any_orientation
def falling(rng: Rng, count: int, lights: Lights = ()) -> Blueprint:
    """A reward falls behind one of several screens (visible displacement, Piaget 1954; Voelter et al. 2022).

    With `lights` they go out after it has vanished (delayed response, Hunter 1913).
    """
    apparatus, baited = compartments(rng, count), int(rng.integers(count))
    return _task(
        f"Reach the green ball that falls behind one of {count} screens; a choice cannot be undone.",
        "the ball falls",
        *apparatus.objects(rng),
        _drop(rng, apparatus, "GoodGoal", baited, 2),
        lights=lights,
        mark=1,
    )


@any_orientation
def falling_among_bad(rng: Rng, count: int, bad: int) -> Blueprint:
    """Balls fall behind screens at once: one is good, the others end the episode (what and where)."""
    apparatus = compartments(rng, count)
    good, *others = (int(baited) for baited in rng.permutation(count)[: bad + 1])
    return _task(
        f"Reach the green ball; red balls fall behind {bad} of the other {count - 1} screens.",
        "the green ball falls",
        *apparatus.objects(rng),
        _drop(rng, apparatus, "GoodGoal", good, 2),
        *(_drop(rng, apparatus, "BadGoal", baited, 2) for baited in others),
        mark=1,
        capacities=("discrimination",),
    )


@any_orientation
def larger_of_two(rng: Rng, count: int, lights: Lights = ()) -> Blueprint:
    """Two rewards fall behind screens, and the larger has to be remembered (preference from memory)."""
    apparatus = compartments(rng, count)
    large, small = (int(baited) for baited in rng.permutation(count)[:2])
    return _task(
        "Reach the larger of two green balls that fall behind screens.",
        "the larger ball falls",
        *apparatus.objects(rng),
        _drop(rng, apparatus, "GoodGoal", large, 2),
        _drop(rng, apparatus, "GoodGoal", small, 1),
        lights=lights,
        mark=1,
        capacities=("preference",),
    )


@any_orientation
def more_of_them(rng: Rng, counts: tuple[int, ...]) -> Blueprint:
    """Rewards fall behind screens in different numbers (hidden sets, Hauser, Carey & Hauser 2000)."""
    apparatus = compartments(rng, len(counts))
    objects = list(apparatus.objects(rng))
    for index, count in zip(rng.permutation(len(counts)), counts, strict=True):
        x, z = apparatus.hidden(rng, int(index))
        shift = apparatus.gaps[int(index)] * 0.3
        for number in range(count):
            off = 1.3 * (number - (count - 1) / 2)
            height = near(rng, 10.5, 1) + 0.8 * number
            objects.append(ball("GoodGoalMulti", x + shift + off, z, 1, height))
    return _task(
        f"Gather the most yellow balls: {', '.join(map(str, sorted(counts)))} fall behind the screens.",
        "most balls fall",
        *objects,
        # Balls remain that cannot be had, so the clock always runs down, which costs 1 and more.
        mark=sorted(counts)[-2] - 1,
        capacities=("numerosity",),
    )


@any_orientation
def thrown_along(rng: Rng, count: int) -> Blueprint:
    """A reward flies past the screens and comes down behind one of them (tracking a trajectory)."""
    apparatus = compartments(rng, count)
    height = near(rng, 9.5, 0.8)
    reach = LAUNCH * math.sqrt(2 * height / GRAVITY)
    baited, sign = int(rng.integers(count)), side(rng)
    middle = apparatus.middle(baited)
    if not 1 < middle - sign * reach < 39:
        sign = -sign
    apparatus = apparatus.with_gap(baited, -sign)
    z = near(rng, apparatus.screen + 1.7, 0.2)
    x = min(max(middle - sign * reach, 0.8), 39.2)
    return _task(
        f"Reach the green ball that flies past and falls behind one of {count} screens.",
        "the ball comes down",
        *apparatus.objects(rng),
        ball("GoodGoalBounce", x, z, 1.5, height, 90 * sign % 360),
        mark=0.5,
        capacities=("tracking",),
    )


@any_orientation
def thrown_over(rng: Rng, count: int) -> Blueprint:
    """A reward flies away from the agent over one of the screens (tracking a trajectory)."""
    apparatus = compartments(rng, count, behind=6.5)
    baited = int(rng.integers(count))
    height = near(rng, 8.8, 0.4)
    reach = LAUNCH * math.sqrt(2 * height / GRAVITY)
    middle = apparatus.lefts[0] + count * apparatus.width / 2
    x, z = apparatus.middle(baited), apparatus.screen + near(rng, 3.6, 0.3)
    gap = side(rng) if abs(x - middle) < 1 else (1 if x < middle else -1)
    apparatus = apparatus.with_gap(baited, gap)
    start = x - max(-6.0, min(6.0, x - middle))
    back = math.sqrt(reach**2 - (x - start) ** 2)
    bearing = math.degrees(math.atan2(x - start, back))
    return _task(
        f"Reach the green ball that flies over one of {count} screens.",
        "the ball comes down",
        *apparatus.objects(rng),
        ball("GoodGoalBounce", start, z - back, 1.5, height, bearing % 360),
        mark=0.5,
        capacities=("tracking",),
    )


@any_orientation
def down_a_ramp(rng: Rng, drop: bool) -> Blueprint:
    """From a ridge that rises above two screens a reward rolls down on one side (invisible displacement).

    With `drop` it falls on to the ridge first, and a little to one side decides. The ridge is too steep to
    climb.
    """
    apparatus = compartments(rng, 2, behind=7.0, gap=1).with_gap(1, -1)
    top, sign = apparatus.lefts[1], side(rng)
    high, long = near(rng, 4.6, 0.2), even(near(rng, 3.0, 0.1))
    z = 38.0
    ridge = [
        ramp(top + off * (long / 2 + 0.2), z, (3, high, long), 270 if off < 0 else 90) for off in (-1, 1)
    ]
    start = ball("GoodGoal", top + sign * 1.0, z, 1.4, (near(rng, 9, 1) if drop else high))
    return _task(
        "Reach the green ball that rolls down one side of the ridge, behind a screen.",
        "the ball rolls",
        *apparatus.objects(rng),
        *ridge,
        start,
        mark=0.5,
        capacities=("tracking", "physical reasoning"),
    )


CONDITIONS = (
    Condition(falling, 1, count=2),
    Condition(falling, 1, count=3),
    Condition(search.gathering, 1, bays=3, balls=2),
    Condition(search.over_ramps, 1, count=2),
    Condition(search.over_ramps, 2, count=3),
    Condition(search.over_ramps, 3, count=4),
    Condition(rolling.rolling_behind, 1, screens=1),
    Condition(thrown_along, 2, count=2),
    Condition(thrown_along, 3, count=4),
    Condition(search.pits, 1, columns=3, rows=1),
    Condition(search.pits, 3, columns=4, rows=3),
    Condition(search.pits, 2, columns=3, rows=2, lights=(25, 60)),
    Condition(down_a_ramp, 2, drop=True),
    Condition(down_a_ramp, 1, drop=False),
    Condition(larger_of_two, 2, count=2),
    Condition(larger_of_two, 3, count=4, lights=(25, 75)),
    Condition(rolling.passing_behind, 2, count=3),
    Condition(rolling.passing_behind, 3, count=4),
    Condition(rolling.rolling_behind, 2, screens=1, lights=(25, 60)),
    Condition(falling, 2, count=3, lights=(25, 60)),
    Condition(falling, 3, count=4, lights=(25, 100)),
    Condition(falling, 3, count=3, lights=(25,)),
    Condition(more_of_them, 2, counts=(1, 3)),
    Condition(more_of_them, 3, counts=(1, 2, 3)),
    Condition(falling_among_bad, 2, count=3, bad=1),
    Condition(falling_among_bad, 3, count=5, bad=4),
    Condition(search.two_in_turn, 3, count=2),
    Condition(thrown_over, 2, count=3),
    Condition(search.gathering, 3, bays=5, balls=3),
    Condition(rolling.rolling_behind, 3, screens=2, lights=(25, 60)),
)
