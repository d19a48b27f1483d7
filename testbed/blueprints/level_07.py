"""Level 7, internal modelling: tasks of levels 1 to 5 in which the lights go out."""

from testbed.blueprints.blueprint import Blueprint, Condition, Rng
from testbed.blueprints.level_01 import CONDITIONS as ONE
from testbed.blueprints.level_02 import CONDITIONS as TWO
from testbed.blueprints.level_03 import CONDITIONS as THREE
from testbed.blueprints.level_04 import CONDITIONS as FOUR
from testbed.blueprints.level_05 import CONDITIONS as FIVE


def darkness(rng: Rng, of: Condition, after: int) -> Blueprint:
    """Acting from memory: after a first look it stays dark (delayed response, Hunter 1913)."""
    return _darkened(of.drawn(rng), (after + int(rng.integers(0, 6)),))


def dark_interval(rng: Rng, of: Condition, after: int, length: int) -> Blueprint:
    """Acting through a dark interval: where was the agent when the light went out, where is it now?"""
    begin = after + int(rng.integers(0, 6))
    return _darkened(of.drawn(rng), (begin, begin + length))


def blinking(rng: Rng, of: Condition, period: int) -> Blueprint:
    """Path integration with a light that goes off and on in regular turns."""
    return _darkened(of.drawn(rng), (-period - int(rng.integers(0, 6)),))


def flashes(rng: Rng, of: Condition, after: int, light: int, dark: int) -> Blueprint:
    """Path integration between short flashes of light in a long darkness."""
    task = of.drawn(rng)
    switches: list[int] = []
    now = after + int(rng.integers(0, 6))
    while now + dark + light < task.time_limit:
        switches += [now, now + dark]
        now += dark + light
    return _darkened(task, tuple(switches))


def _darkened(task: Blueprint, blackouts: tuple[int, ...]) -> Blueprint:
    """`blackouts` in the clock's units of five ticks, as the time limit is."""
    return task._replace(blackouts=blackouts, capacities=("internal model of the way", *task.capacities))


CONDITIONS = (
    Condition(dark_interval, 1, of=ONE[0], after=15, length=45),
    Condition(dark_interval, 1, of=ONE[1], after=15, length=45),
    Condition(darkness, 1, of=ONE[1], after=22),
    Condition(darkness, 2, of=ONE[2], after=30),
    Condition(blinking, 1, of=ONE[4], period=20),
    Condition(darkness, 3, of=ONE[5], after=22),
    Condition(blinking, 2, of=ONE[11], period=40),
    Condition(flashes, 3, of=ONE[12], after=50, light=5, dark=20),
    Condition(dark_interval, 2, of=ONE[15], after=15, length=45),
    Condition(darkness, 2, of=TWO[0], after=30),
    Condition(dark_interval, 2, of=TWO[5], after=15, length=60),
    Condition(blinking, 2, of=TWO[12], period=20),
    Condition(darkness, 3, of=TWO[16], after=30),
    Condition(flashes, 3, of=TWO[10], after=50, light=5, dark=20),
    Condition(darkness, 3, of=TWO[18], after=30),
    Condition(blinking, 2, of=FOUR[0], period=20),
    Condition(blinking, 3, of=FOUR[1], period=20),
    Condition(darkness, 2, of=FOUR[6], after=30),
    Condition(dark_interval, 3, of=FOUR[8], after=15, length=45),
    Condition(flashes, 3, of=FOUR[11], after=50, light=5, dark=20),
    Condition(blinking, 3, of=FOUR[19], period=20),
    Condition(flashes, 3, of=FIVE[16], after=50, light=5, dark=20),
    Condition(darkness, 2, of=THREE[0], after=30),
    Condition(dark_interval, 2, of=THREE[5], after=15, length=60),
    Condition(flashes, 2, of=ONE[18], after=50, light=5, dark=20),
    Condition(blinking, 2, of=THREE[15], period=40),
    Condition(flashes, 3, of=THREE[12], after=50, light=5, dark=20),
    Condition(darkness, 3, of=THREE[8], after=30),
    Condition(dark_interval, 2, of=FIVE[4], after=15, length=60),
    Condition(blinking, 3, of=FIVE[25], period=60),
)
