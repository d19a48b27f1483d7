"""Level 6, generalisation: tasks of levels 1 to 5 whose walls and ramps look different."""

import colorsys
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from testbed.blueprints import level_02, level_03, level_04, level_05
from testbed.blueprints.blueprint import Blueprint, Color, Object
from testbed.blueprints.condition import Condition, condition
from testbed.blueprints.parts import agent, ball, near, scattered, wall

COLOURED = ("Wall", "Ramp", "CylinderTunnel")
"""Kinds whose colour can be told in a file."""

FLOOR = 0.1
"""Thickness of a painted floor, metres: the least that a wall has."""

GOAL_COLORS: tuple[Color, ...] = ((129, 191, 65), (214, 169, 32), (202, 59, 48))
"""Colours like those of green, yellow and red balls: none of them means food here."""


def one_new_color(rng: np.random.Generator, of: Condition) -> Blueprint:
    """Generalisation over one changed colour (stimulus generalisation, Guttman & Kalish 1956)."""
    color = _any(rng)
    return _altered(rng, of, lambda _: color)


def a_color_for_each(rng: np.random.Generator, of: Condition) -> Blueprint:
    """Generalisation over colours that differ from object to object."""
    return _altered(rng, of, lambda _: _any(rng))


def exchanged_colors(rng: np.random.Generator, of: Condition) -> Blueprint:
    """Generalisation where ramps have the colour of walls and walls that of ramps."""
    one, other = _any(rng), _any(rng)
    return _altered(rng, of, lambda thing: one if thing.kind == "Ramp" else other)


def colors_of_goals(rng: np.random.Generator, of: Condition) -> Blueprint:
    """Generalisation against interference: obstacles have the colours of balls, and shape has to decide."""
    return _altered(rng, of, lambda _: GOAL_COLORS[int(rng.integers(len(GOAL_COLORS)))])


def painted_room(rng: np.random.Generator, count: int) -> Blueprint:
    """Generalisation over the room: floor and skirting have other colours than anywhere before."""
    floor, skirting = _any(rng), _any(rng)
    start, goal, *others = scattered(rng, count + 1, 6.0)
    sides = (
        wall(0.1, 20, (0.1, 1.5, 39.6), color=skirting, y=FLOOR),
        wall(39.9, 20, (0.1, 1.5, 39.6), color=skirting, y=FLOOR),
        wall(20, 0.1, (39.6, 1.5, 0.1), color=skirting, y=FLOOR),
        wall(20, 39.9, (39.6, 1.5, 0.1), color=skirting, y=FLOOR),
    )
    return Blueprint(
        "Reach the green ball in a room whose floor has another colour; yellow ones may come before.",
        ("generalisation over colour", "search"),
        "Look for the ball as anywhere else, and drive to it.",
        (
            wall(20, 20, (40, FLOOR, 40), color=floor),
            *sides,
            *(ball("GoodGoalMulti", x, z, 1, y=FLOOR) for x, z in others),
            ball("GoodGoal", *goal, 1, y=FLOOR),
            agent(*start, near(rng, 180, 180), y=FLOOR),
        ),
        pass_mark=0.5 * (count - 1),
    )


def _altered(rng: np.random.Generator, of: Condition, color: Callable[[Object], Color]) -> Blueprint:
    task = of.paradigm(rng, **of.parameters)
    assert any(thing.kind in COLOURED for thing in task.objects), f"{of.name} has nothing to colour"
    objects = tuple(
        replace(thing, color=color(thing)) if thing.kind in COLOURED else thing for thing in task.objects
    )
    return replace(task, objects=objects, capacities=("generalisation over colour", *task.capacities))


def _any(rng: np.random.Generator) -> Color:
    """A colour of any hue, neither too dark nor too pale to be told from the floor."""
    red, green, blue = colorsys.hsv_to_rgb(rng.random(), rng.uniform(0.55, 1.0), rng.uniform(0.5, 1.0))
    return round(255 * red), round(255 * green), round(255 * blue)


_TWO, _THREE, _FOUR, _FIVE = (each.CONDITIONS for each in (level_02, level_03, level_04, level_05))

CONDITIONS = (
    condition(one_new_color, 1, of=_TWO[0]),
    condition(one_new_color, 1, of=_TWO[6]),
    condition(a_color_for_each, 1, of=_TWO[2]),
    condition(a_color_for_each, 2, of=_TWO[12]),
    condition(colors_of_goals, 2, of=_TWO[3]),
    condition(colors_of_goals, 3, of=_TWO[17]),
    condition(exchanged_colors, 3, of=_TWO[20]),
    condition(one_new_color, 2, of=_TWO[8]),
    condition(painted_room, 1, count=1),
    condition(a_color_for_each, 1, of=_THREE[0]),
    condition(a_color_for_each, 2, of=_THREE[8]),
    condition(a_color_for_each, 2, of=_THREE[25]),
    condition(one_new_color, 2, of=_THREE[16]),
    condition(exchanged_colors, 2, of=_THREE[17]),
    condition(exchanged_colors, 3, of=_THREE[20]),
    condition(colors_of_goals, 3, of=_THREE[29]),
    condition(a_color_for_each, 2, of=_THREE[26]),
    condition(colors_of_goals, 2, of=_THREE[5]),
    condition(one_new_color, 2, of=_FOUR[21]),
    condition(a_color_for_each, 2, of=_FOUR[9]),
    condition(colors_of_goals, 3, of=_FOUR[10]),
    condition(one_new_color, 2, of=_FOUR[11]),
    condition(one_new_color, 2, of=_FIVE[0]),
    condition(a_color_for_each, 2, of=_FIVE[4]),
    condition(exchanged_colors, 3, of=_FIVE[14]),
    condition(colors_of_goals, 3, of=_FIVE[18]),
    condition(painted_room, 2, count=4),
    condition(a_color_for_each, 3, of=_FIVE[29]),
    condition(a_color_for_each, 2, of=_FIVE[26]),
    condition(colors_of_goals, 3, of=_FIVE[23]),
)
"""The tasks of the level; a task's number is its place here, from 1."""
