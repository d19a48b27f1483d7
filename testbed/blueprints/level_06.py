"""Level 6, generalisation: tasks of levels 1 to 5 with unusual looks. Walls and ramps look different."""

import colorsys
from collections.abc import Callable

from testbed.blueprints.blueprint import Blueprint, Color, Condition, Object, Rng, task
from testbed.blueprints.parts import agent, ball, wall
from testbed.blueprints.places import near, scattered

COLOURED = ("Wall", "Ramp", "CylinderTunnel")
"""Kinds whose colour a file can set."""

FLOOR = 0.1
"""Thickness of a painted floor, metres: the least that a wall has."""

GOAL_COLORS: tuple[Color, ...] = ((129, 191, 65), (214, 169, 32), (202, 59, 48))
"""Colours of green, yellow and red balls, used for obstacles here."""


def one_new_color(rng: Rng, of: Condition) -> Blueprint:
    """Generalisation over one changed colour (stimulus generalisation, Guttman & Kalish 1956)."""
    color = _any(rng)
    return _altered(rng, of, lambda _: color)


def a_color_for_each(rng: Rng, of: Condition) -> Blueprint:
    """Generalisation over colours that differ from object to object."""
    return _altered(rng, of, lambda _: _any(rng))


def exchanged_colors(rng: Rng, of: Condition) -> Blueprint:
    """Generalisation with exchanged colours of ramps and walls."""
    one, other = _any(rng), _any(rng)
    return _altered(rng, of, lambda thing: one if thing.kind == "Ramp" else other)


def colors_of_goals(rng: Rng, of: Condition) -> Blueprint:
    """Generalisation against interference: obstacles have the colours of balls. Shape has to decide."""
    return _altered(rng, of, lambda _: GOAL_COLORS[int(rng.integers(len(GOAL_COLORS)))])


def painted_room(rng: Rng, count: int) -> Blueprint:
    """Generalisation over the room: floor and skirting have new colours."""
    floor, skirting = _any(rng), _any(rng)
    start, goal, *others = scattered(rng, count + 1, 6.0)
    return task(
        "Reach the green ball in a room whose floor has another colour; yellow ones may come before.",
        ("generalisation over colour", "search"),
        "Look for the ball as anywhere else, and drive to it.",
        wall(20, 20, (40, FLOOR, 40), color=floor),
        *(wall(x, 20, (0.1, 1.5, 39.6), color=skirting, y=FLOOR) for x in (0.1, 39.9)),
        *(wall(20, z, (39.6, 1.5, 0.1), color=skirting, y=FLOOR) for z in (0.1, 39.9)),
        *(ball("GoodGoalMulti", x, z, 1, y=FLOOR) for x, z in others),
        ball("GoodGoal", *goal, 1, y=FLOOR),
        agent(*start, near(rng, 180, 180), y=FLOOR),
        pass_mark=0.5 * (count - 1),
    )


def _altered(rng: Rng, of: Condition, color: Callable[[Object], Color]) -> Blueprint:
    plain = of.drawn(rng)
    assert any(thing.kind in COLOURED for thing in plain.objects), f"{of.name} has nothing to colour"
    objects = tuple(
        thing._replace(color=color(thing)) if thing.kind in COLOURED else thing for thing in plain.objects
    )
    return plain._replace(objects=objects, capacities=("generalisation over colour", *plain.capacities))


def _any(rng: Rng) -> Color:
    """Return a colour of any hue that stands out from the floor. It is neither too dark nor too pale."""
    red, green, blue = colorsys.hsv_to_rgb(rng.random(), rng.uniform(0.55, 1.0), rng.uniform(0.5, 1.0))
    return round(255 * red), round(255 * green), round(255 * blue)
