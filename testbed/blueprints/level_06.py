"""Level 6, generalisation: tasks of levels 1 to 5 whose walls and ramps look different."""

import colorsys
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from testbed.blueprints.blueprint import Blueprint, Color, Object
from testbed.blueprints.condition import Condition

COLOURED = ("Wall", "Ramp", "CylinderTunnel")
"""Kinds whose colour can be told in a file."""

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


def _altered(rng: np.random.Generator, of: Condition, color: Callable[[Object], Color]) -> Blueprint:
    task = of.paradigm(rng, **of.parameters)
    objects = tuple(
        replace(thing, color=color(thing)) if thing.kind in COLOURED else thing for thing in task.objects
    )
    return replace(task, objects=objects, capacities=("generalisation over colour", *task.capacities))


def _any(rng: np.random.Generator) -> Color:
    """A colour of any hue, neither too dark nor too pale to be told from the floor."""
    red, green, blue = colorsys.hsv_to_rgb(rng.random(), rng.uniform(0.55, 1.0), rng.uniform(0.5, 1.0))
    return round(255 * red), round(255 * green), round(255 * blue)
