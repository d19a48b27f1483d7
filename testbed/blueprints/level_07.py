"""Level 7, internal modelling: tasks of levels 1 to 5 in which the lights go out."""

from dataclasses import replace

import numpy as np

from testbed.blueprints import level_01, level_02, level_03, level_04, level_05
from testbed.blueprints.blueprint import Blueprint
from testbed.blueprints.condition import Condition, condition


def darkness(rng: np.random.Generator, of: Condition, after: int) -> Blueprint:
    """Acting from memory: after a first look it stays dark (delayed response, Hunter 1913)."""
    return _darkened(of.paradigm(rng, **of.parameters), (after + int(rng.integers(0, 6)),))


def dark_interval(rng: np.random.Generator, of: Condition, after: int, length: int) -> Blueprint:
    """Acting through a dark interval: where was the agent when the light went out, where is it now?"""
    begin = after + int(rng.integers(0, 6))
    return _darkened(of.paradigm(rng, **of.parameters), (begin, begin + length))


def blinking(rng: np.random.Generator, of: Condition, period: int) -> Blueprint:
    """Path integration with a light that goes off and on in regular turns."""
    return _darkened(of.paradigm(rng, **of.parameters), (-period - int(rng.integers(0, 6)),))


def flashes(rng: np.random.Generator, of: Condition, after: int, light: int, dark: int) -> Blueprint:
    """Path integration between short flashes of light in a long darkness."""
    task = of.paradigm(rng, **of.parameters)
    switches: list[int] = []
    now = after + int(rng.integers(0, 6))
    while now + dark + light < task.time_limit:
        switches += [now, now + dark]
        now += dark + light
    return _darkened(task, tuple(switches))


def _darkened(task: Blueprint, blackouts: tuple[int, ...]) -> Blueprint:
    """`blackouts` in the clock's units of five ticks, as the time limit is."""
    return replace(task, blackouts=blackouts, capacities=("internal model of the way", *task.capacities))


_ONE, _TWO, _THREE, _FOUR, _FIVE = (
    each.CONDITIONS for each in (level_01, level_02, level_03, level_04, level_05)
)

CONDITIONS = (
    condition(dark_interval, 1, of=_ONE[0], after=15, length=45),
    condition(dark_interval, 1, of=_ONE[1], after=15, length=45),
    condition(darkness, 1, of=_ONE[1], after=22),
    condition(darkness, 2, of=_ONE[2], after=30),
    condition(blinking, 1, of=_ONE[4], period=20),
    condition(darkness, 3, of=_ONE[5], after=22),
    condition(blinking, 2, of=_ONE[11], period=40),
    condition(flashes, 3, of=_ONE[12], after=50, light=5, dark=20),
    condition(dark_interval, 2, of=_ONE[15], after=15, length=45),
    condition(darkness, 2, of=_TWO[0], after=30),
    condition(dark_interval, 2, of=_TWO[5], after=15, length=60),
    condition(blinking, 2, of=_TWO[12], period=20),
    condition(darkness, 3, of=_TWO[16], after=30),
    condition(flashes, 3, of=_TWO[10], after=50, light=5, dark=20),
    condition(darkness, 3, of=_TWO[18], after=30),
    condition(blinking, 2, of=_FOUR[0], period=20),
    condition(blinking, 3, of=_FOUR[1], period=20),
    condition(darkness, 2, of=_FOUR[6], after=30),
    condition(dark_interval, 3, of=_FOUR[8], after=15, length=45),
    condition(flashes, 3, of=_FOUR[11], after=50, light=5, dark=20),
    condition(blinking, 3, of=_FOUR[19], period=20),
    condition(flashes, 3, of=_FIVE[16], after=50, light=5, dark=20),
    condition(darkness, 2, of=_THREE[0], after=30),
    condition(dark_interval, 2, of=_THREE[5], after=15, length=60),
    condition(flashes, 2, of=_ONE[18], after=50, light=5, dark=20),
    condition(blinking, 2, of=_THREE[15], period=40),
    condition(flashes, 3, of=_THREE[12], after=50, light=5, dark=20),
    condition(darkness, 3, of=_THREE[8], after=30),
    condition(dark_interval, 2, of=_FIVE[4], after=15, length=60),
    condition(blinking, 3, of=_FIVE[25], period=60),
)
"""The tasks of the level; a task's number is its place here, from 1."""
