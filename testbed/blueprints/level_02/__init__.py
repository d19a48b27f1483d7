"""Level 2, preferences: of two or more things that can be reached, the pass mark asks for the best."""

from typing import NamedTuple

from testbed.blueprints.blueprint import Blueprint, Object, Rng, task
from testbed.blueprints.choices import fill, ledge
from testbed.blueprints.condition import Condition
from testbed.blueprints.level_02 import costs, waiting
from testbed.blueprints.mazes import radial_sectors, y_maze
from testbed.blueprints.parts import BLUE, agent, ball, wall
from testbed.blueprints.placement import any_quarter_turn
from testbed.blueprints.places import XZ, near, side
from testbed.blueprints.walls import GAP

LOW, TALL = 0.3, 3.0
"""Heights of walls that the agent looks over, and of walls that it does not, metres."""


class Thing(NamedTuple):
    """What an arm holds: a kind and a diameter."""

    kind: str
    size: float


def green(size: float) -> Thing:
    """A ball that is worth its size and ends the episode."""
    return Thing("GoodGoal", size)


def red(size: float) -> Thing:
    """A ball that costs its size and ends the episode."""
    return Thing("BadGoal", size)


def _choice(best: Thing, other: Thing | None, solution: str, *objects: Object) -> Blueprint:
    """A choice; the pass mark is exactly what the other option would bring without a clock."""
    rival = "" if other is None else f" and not the {'red' if other.kind == 'BadGoal' else 'smaller'} one"
    return task(
        f"Take the green ball of size {best.size:g}{rival}.",
        ("preference", "discrimination" if other else "search"),
        solution,
        *objects,
        pass_mark=other.size if other and other.kind == "GoodGoal" else 0,
    )


def _placed(thing: Thing | None, spot: XZ) -> list[Object]:
    return [] if thing is None else [ball(thing.kind, *spot, thing.size)]


@any_quarter_turn
def y_maze_choice(rng: Rng, best: Thing, other: Thing | None, height: float) -> Blueprint:
    """Two-alternative choice in a Y-maze (Yerkes 1907)."""
    fork, spread = near(rng, 13, 3), near(rng, 38, 7)
    walls, ends = y_maze(fork, spread, near(rng, 20, 2), height)
    places = ends if side(rng) > 0 else ends[::-1]
    start = agent(20, near(rng, 3, 1.5), near(rng, 0, 12))
    balls = [*_placed(best, places[0]), *_placed(other, places[1])]
    return _choice(best, other, "Look into both arms at the fork, then enter one.", start, *walls, *balls)


@any_quarter_turn
def ledge_choice(rng: Rng, best: Thing, other: Thing | None) -> Blueprint:
    """Two-alternative choice from a ledge: once down on one side, the agent cannot reach the other."""
    apparatus = ledge(rng)
    balls = [
        thing
        for area, held in zip(apparatus.areas, (best, other), strict=True)
        if held is not None
        for thing in fill(rng, (area[0], 18, area[2], area[3]), (held.size,), held.kind)
    ]
    solution = "Look to both sides from the ledge, then drop down on the better side."
    return _choice(best, other, solution, *apparatus.objects, *balls)


def radial_choice(rng: Rng, best: Thing, other: Thing, arms: int, height: float) -> Blueprint:
    """Choice among the arms of a radial maze, one of which is better (Olton & Samuelson 1976)."""
    walls, places = radial_sectors(arms, near(rng, 180, 180), near(rng, 14, 1.5), height)
    start = agent(near(rng, 20, 0.5), near(rng, 20, 0.5), near(rng, 180, 180))
    balls = [thing for i, spot in enumerate(places) for thing in _placed(other if i else best, spot)]
    solution = "Turn round to see what every arm holds, then enter the best."
    return _choice(best, other, solution, start, *walls, *balls)


@any_quarter_turn
def corridor_choice(rng: Rng, best: Thing, other: Thing | None) -> Blueprint:
    """Choice in a corridor: from a beam the agent drops into one of two lanes and cannot return."""
    half, width = near(rng, 4.2, 0.5), near(rng, 1.6, 0.2)
    height, end = near(rng, 1.2, 0.15), near(rng, 24, 2)
    objects = [
        agent(20, near(rng, 8, 4), near(rng, 0, 4), y=height),
        wall(20, end / 2, (width, height, end - 2 * GAP), color=BLUE),
        wall(20, (end + 40) / 2, (width, TALL, 40 - end - 2 * GAP)),
        *(wall(20 + s * (half + 0.3), 20, (0.6, TALL, 40)) for s in (-1, 1)),
    ]
    first = side(rng)
    middle = (half + width / 2) / 2
    for hand, held in ((first, best), (-first, other)):
        objects += _placed(held, (20 + hand * middle, near(rng, 35, 1.5)))
    return _choice(best, other, "From the beam look down both lanes, then drop into one.", *objects)


CONDITIONS = (
    Condition(y_maze_choice, 1, best=green(2), other=None, height=LOW),
    Condition(y_maze_choice, 1, best=green(1), other=None, height=TALL),
    Condition(ledge_choice, 1, best=green(1), other=None),
    Condition(y_maze_choice, 1, best=green(1), other=red(1), height=LOW),
    Condition(y_maze_choice, 2, best=green(1), other=red(2), height=TALL),
    Condition(y_maze_choice, 1, best=green(3), other=green(1), height=LOW),
    Condition(y_maze_choice, 2, best=green(2), other=green(1), height=TALL),
    Condition(y_maze_choice, 3, best=green(2), other=green(1.5), height=TALL),
    Condition(ledge_choice, 1, best=green(3), other=green(1)),
    Condition(ledge_choice, 1, best=green(1), other=red(1)),
    Condition(ledge_choice, 3, best=green(2), other=green(1.5)),
    Condition(radial_choice, 1, best=green(3), other=green(1), arms=3, height=LOW),
    Condition(radial_choice, 2, best=green(2), other=green(1), arms=5, height=TALL),
    Condition(radial_choice, 3, best=green(1), other=red(1), arms=6, height=TALL),
    Condition(corridor_choice, 1, best=green(1), other=None),
    Condition(corridor_choice, 1, best=green(1), other=red(1)),
    Condition(corridor_choice, 2, best=green(2), other=green(1)),
    Condition(corridor_choice, 3, best=green(2), other=green(1.5)),
    Condition(costs.size_against_distance, 1, large=2, small=0.5, far=26, close=10),
    Condition(costs.size_against_distance, 2, large=2, small=1, far=33, close=5),
    Condition(costs.climbing_for_more, 2, large=3, small=1, height=2.5),
    Condition(costs.climbing_for_more, 3, large=2, small=1, height=5),
    Condition(costs.crossing_heat_for_more, 2, large=3, small=1, depth=5),
    Condition(costs.far_but_more, 2, close=1, far=3),
    Condition(waiting.waiting_for_more, 2, large=3, small=1, slope=4, limit=250),
    Condition(waiting.waiting_for_more, 3, large=2, small=1, slope=2.2, limit=500),
    Condition(waiting.terraces, 2, levels=2, each=2),
    Condition(waiting.terraces, 3, levels=3, each=2),
    Condition(waiting.green_rolls_first, 2, count=2, slope=2),
    Condition(waiting.green_last, 2, count=4),
)
