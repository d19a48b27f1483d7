"""Level 4, avoidance: paths that keep clear of what hurts."""

import math

from testbed.blueprints.blueprint import Blueprint, Rng, task
from testbed.blueprints.condition import Condition
from testbed.blueprints.level_04 import hot, paths
from testbed.blueprints.parts import DEATH, agent, ball, wall, zone, zone_between
from testbed.blueprints.placement import any_orientation
from testbed.blueprints.places import near, polar, scattered, side

SEEING = ("avoidance", "detour")


@any_orientation
def island(rng: Rng, width: float, depth: float) -> Blueprint:
    """A zone lies between the agent and its goal (detour without a barrier, Koehler 1925)."""
    x, z = near(rng, 20, 3), near(rng, 20, 2)
    start = agent(x + near(rng, 0, width / 3), near(rng, 4, 1.5), near(rng, 0, 25))
    lake = zone(DEATH, x, z, width, depth, near(rng, 45, 45))
    return task(
        "Reach the green ball on the other side of the red zone, which must not be touched.",
        SEEING,
        "Drive round the zone, past the nearer of its sides.",
        start,
        lake,
        ball("GoodGoal", x + near(rng, 0, width / 3), near(rng, 36, 1.5), 1),
    )


@any_orientation
def slalom(rng: Rng, strips: int, thick: float, gap: float) -> Blueprint:
    """Strips from alternate sides, which leave a winding path (slalom)."""
    apart = 22 / strips
    objects = [agent(near(rng, 20, 12), near(rng, 3, 1), near(rng, 0, 40))]
    for number in range(strips):
        z = 20 + apart * (number - (strips - 1) / 2) + near(rng, 0, 0.6)
        width = near(rng, gap, 1)
        left, right = (width, 40) if number % 2 else (0, 40 - width)
        objects.append(zone_between(DEATH, left, z - thick / 2, right, z + thick / 2))
    return task(
        "Reach the green ball beyond the strips of red zone.",
        SEEING,
        "Pass each strip at its open end: one on one side, the next on the other.",
        *objects,
        ball("GoodGoal", near(rng, 20, 12), near(rng, 36.5, 1), 1),
    )


@any_orientation
def pocket(rng: Rng, gap: float, depth: float) -> Blueprint:
    """The goal lies between a long strip and the fence, and one of the two ends is a dead end."""
    z, thick = 39.95 - depth, 1.2
    goal, plug = near(rng, 10, 3), near(rng, 21, 4)
    return task(
        "Reach the green ball behind the long strip of red zone.",
        ("avoidance", "detour", "spatial reasoning"),
        "Go round that end of the strip from which no cross strip bars the way to the ball.",
        agent(near(rng, 22, 10), near(rng, 5, 3), near(rng, 0, 40)),
        zone_between(DEATH, gap, z - thick, 40 - gap, z),
        zone_between(DEATH, plug - 0.6, z, plug + 0.6, 39.95),
        ball("GoodGoal", goal, z + depth / 2 - 0.4, 1, 0),
    )


@any_orientation
def ring(rng: Rng, half: float, gap: float, inwards: bool) -> Blueprint:
    """A ring of zones with one opening, round the agent or round the goal."""
    x, z = near(rng, 20, 3), near(rng, 20, 3)
    thick = 2.0
    open_at = near(rng, 0, half - gap / 2 - thick)
    strips = (
        zone_between(DEATH, x - half, z + half - thick, x + open_at - gap / 2, z + half),
        zone_between(DEATH, x + open_at + gap / 2, z + half - thick, x + half, z + half),
        zone_between(DEATH, x - half, z - half, x + half, z - half + thick),
        zone_between(DEATH, x - half, z - half + thick, x - half + thick, z + half - thick),
        zone_between(DEATH, x + half - thick, z - half + thick, x + half, z + half - thick),
    )
    inner = x + near(rng, 0, half - thick - 2), z + near(rng, 0, half - thick - 2)
    outer = polar(x, z, near(rng, 180, 130), half * 1.42 + 2.0)
    outer = min(max(outer[0], 1.5), 38.5), min(max(outer[1], 1.5), 38.5)
    start, goal = (outer, inner) if inwards else (inner, outer)
    return task(
        f"Get {'into' if inwards else 'out of'} the ring of red zone and reach the green ball.",
        ("avoidance", "search", "detour"),
        "Look for the ring's opening, line up with it, and pass it straight.",
        agent(*start, near(rng, 180, 180)),
        *strips,
        ball("GoodGoal", *goal, 1),
    )


def spokes(rng: Rng, arms: int, length: float) -> Blueprint:
    """Strips radiate from where the agent stands; the goal lies between two of them (radial)."""
    x, z, first = near(rng, 20, 2), near(rng, 20, 2), near(rng, 180, 180)
    bearings = [first + 360 * number / arms for number in range(arms)]
    objects = [agent(x, z, near(rng, 180, 180))]
    for bearing in bearings:
        at = polar(x, z, bearing, 2.8 + length / 2)
        objects.append(zone(DEATH, *at, 1.2, length, bearing))
    course = bearings[int(rng.integers(arms))] + 180 / arms + near(rng, 0, 0.25 * 180 / arms)
    return task(
        "Reach the green ball between two of the strips of red zone.",
        ("avoidance", "search"),
        "Turn on the spot until the ball is ahead, then drive out between the strips.",
        *objects,
        ball("GoodGoal", *polar(x, z, course, near(rng, 12, 2)), 1),
    )


def foraging_among_zones(rng: Rng, zones: int, count: int, mark: int, limit: int) -> Blueprint:
    """Foraging with zones among the rewards: gain against danger."""
    start, *places = scattered(rng, 1 + count, 5.0)
    lakes = scattered(rng, zones, 5.5, taken=(), within=(4, 4, 36, 36))
    lakes = tuple(lake for lake in lakes if min(math.dist(lake, at) for at in (start, *places)) > 3.6)
    return task(
        f"Gather so many of the {count} yellow balls that the reward passes {mark}.",
        ("avoidance", "foraging"),
        "Take the nearest ball that can be reached on a clear way, then the next.",
        agent(*start, near(rng, 180, 180)),
        *(zone(DEATH, x, z, 3, 3, near(rng, 45, 45)) for x, z in lakes),
        *(ball("GoodGoalMulti", x, z, 1) for x, z in places),
        time_limit=limit,
        pass_mark=mark,
    )


@any_orientation
def behind_a_wall(rng: Rng, length: float) -> Blueprint:
    """A zone behind a wall: it is seen only from around the corner."""
    x, z, turn = near(rng, 20, 3), near(rng, 16, 1.5), side(rng)
    edge = x + turn * (length / 2 - 0.5)
    return task(
        "Reach the green ball behind the wall. A red zone lies out of sight.",
        ("avoidance", "detour", "caution"),
        "Round the wall in a wide bend, look, and keep clear of the zone behind it.",
        agent(x + near(rng, 0, 4), near(rng, 4, 1), near(rng, 0, 20)),
        wall(x, z, (length, 3, 0.6)),
        zone(DEATH, x, z + 4.5, length - 1.5, 7),
        ball("GoodGoal", edge - turn * near(rng, 4, 1.5), z + near(rng, 12, 1.5), 1),
    )


@any_orientation
def blind_corner(rng: Rng, zones: int) -> Blueprint:
    """A corridor with a bend, after which zones block half of its width on alternate sides."""
    width, thick = near(rng, 8.5, 1), 0.5
    end, turn = 40 - width, int(rng.integers(2))
    objects = [
        agent(near(rng, width / 2, 1.5), near(rng, 3, 1), near(rng, 0, 15)),
        wall(width + thick / 2, (end + 0.0) / 2, (thick, 4, end)),
        wall((width + thick + 40) / 2, end - thick / 2, (40 - width - thick, 4, thick)),
    ]
    for number in range(zones):
        x = width + (number + near(rng, 0.9, 0.15)) * (34 - width) / max(zones, 2)
        low, high = (end, 40 - width / 2 + 0.2) if (number + turn) % 2 else (end + width / 2 - 0.2, 40)
        objects.append(zone_between(DEATH, x - 1.2, low, x + 1.2, high))
    return task(
        "Follow the corridor round its bend to the green ball, past red zones that are out of view at first.",
        ("avoidance", "caution", "search"),
        "Stop at the bend and look; then pass each zone on the side that it leaves free.",
        *objects,
        ball("GoodGoal", 38, near(rng, 40 - width / 2, width / 2 - 1.5), 1),
    )


CONDITIONS = (
    Condition(island, 1, width=4, depth=4),
    Condition(island, 2, width=20, depth=11),
    Condition(slalom, 2, strips=2, thick=3, gap=9),
    Condition(hot.hot_band, 1, depth=8),
    Condition(hot.hot_lake, 2, width=22, depth=26),
    Condition(paths.corridors, 1, count=4, blocked=1, width=5),
    Condition(paths.straight_path, 1, width=6),
    Condition(hot.lanes, 2, sizes=(1, 1), heat=(1.0, 0.0), mark=0.5),
    Condition(ring, 2, half=9, gap=5, inwards=False),
    Condition(blind_corner, 2, zones=1),
    Condition(blind_corner, 3, zones=3),
    Condition(behind_a_wall, 2, length=18),
    Condition(pocket, 2, gap=4, depth=4),
    Condition(pocket, 3, gap=2.5, depth=3),
    Condition(spokes, 2, arms=6, length=13),
    Condition(hot.lanes, 2, sizes=(5, 0.5), heat=(1.0, 0.0), mark=0.5),
    Condition(hot.lanes, 3, sizes=(1, 1), heat=(1.0, 0.2), mark=0.45),
    Condition(hot.hot_gate, 2, gates=2),
    Condition(paths.corridors, 3, count=5, blocked=4, width=3.4),
    Condition(paths.winding_path, 2, bends=1, width=4.5),
    Condition(paths.winding_path, 3, bends=2, width=3.2),
    Condition(paths.bridges, 2, width=4, height=0.5, broken=0),
    Condition(paths.leap, 2, depth=5),
    Condition(paths.bridges, 3, width=3.4, height=1.0, broken=1),
    Condition(hot.red_rows, 3, rows=3, gap=5),
    Condition(paths.ridge, 3, height=1.5),
    Condition(hot.red_rows, 2, rows=1, gap=6),
    Condition(ring, 3, half=8, gap=3, inwards=True),
    Condition(foraging_among_zones, 2, zones=16, count=5, mark=3, limit=500),
    Condition(paths.straight_path, 3, width=2.6),
)
