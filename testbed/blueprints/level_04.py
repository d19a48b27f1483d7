"""Level 4, avoidance: paths that keep clear of danger."""

import math
from itertools import pairwise

import numpy as np

from testbed.blueprints.blueprint import BLUE, Blueprint, Object, Rng, task
from testbed.blueprints.choices import PLATFORM, platform
from testbed.blueprints.parts import DEATH, HOT, agent, along, ball, ramp, wall, zone, zone_between
from testbed.blueprints.placement import any_orientation, every
from testbed.blueprints.places import even, near, polar, scattered, side


def hot_band(rng: Rng, depth: float) -> Blueprint:
    """A hot zone across the whole arena, to be crossed fast. Motivation against cost."""
    z = near(rng, 20, 3)
    return task(
        "Reach the green ball beyond the orange zone, in which time runs ten times as fast.",
        ("avoidance", "cost and benefit"),
        "Take a run and cross the zone without stopping.",
        agent(near(rng, 20, 14), near(rng, 4, 2), near(rng, 0, 40)),
        zone_between(HOT, 0, z - depth / 2, 40, z + depth / 2),
        ball("GoodGoal", near(rng, 20, 14), near(rng, 35, 2), 1),
    )


def hot_lake(rng: Rng, width: float, depth: float) -> Blueprint:
    """A hot zone between agent and goal. The detour is longer and cheaper (cost and benefit)."""
    x, z = near(rng, 20, 4), near(rng, 20, 0.5)
    return task(
        "Reach the green ball with a reward above the mark: crossing the orange zone costs too much.",
        ("avoidance", "detour", "cost and benefit"),
        "Go round the orange zone, although the way is longer.",
        agent(x + near(rng, 0, 3), near(rng, 2.5, 0.5), near(rng, 0, 20)),
        zone_between(HOT, x - width / 2, z - depth / 2, x + width / 2, z + depth / 2),
        ball("GoodGoal", x + near(rng, 0, 3), near(rng, 37, 0.5), 1),
        pass_mark=0.5,
    )


def hot_gate(rng: Rng, gates: int) -> Blueprint:
    """A deadly barrier with gates that are only hot. The lesser evil."""
    z, depth, width = near(rng, 20, 3), near(rng, 4, 0.5), near(rng, 5, 0.5)
    places = [40 * (number + 0.5) / gates + near(rng, 0, 40 / gates / 2 - 4) for number in range(gates)]
    edges = [0.0, *(x + offset * width / 2 for x in places for offset in (-1, 1)), 40.0]
    objects: list[Object] = []
    for number, (left, right) in enumerate(pairwise(edges)):
        objects.append(zone_between(HOT if number % 2 else DEATH, left, z - depth / 2, right, z + depth / 2))
    return task(
        "Cross the barrier where it is orange, not red, and reach the green ball.",
        ("avoidance", "discrimination", "cost and benefit"),
        "Line up with an orange gate and drive straight and fast through it.",
        agent(near(rng, 20, 14), near(rng, 4, 2), near(rng, 0, 40)),
        *objects,
        ball("GoodGoal", near(rng, 20, 14), near(rng, 36, 1.5), 1),
    )


def lanes(rng: Rng, sizes: tuple[float, float], heat: tuple[float, float], mark: float) -> Blueprint:
    """Two lanes below a platform, with different goals and heat. Only one of them can be entered. `heat` is
    the share of each lane that is hot."""
    deep, middle = even(near(rng, 5, 0.5)), near(rng, 20, 3)
    objects = [
        agent(middle, near(rng, 1.6, 0.6), near(rng, 0, 15), PLATFORM),
        platform(20, 40, deep),
        along(middle, deep, 40, 3, 1),
    ]
    for number, (left, right) in enumerate(((0.0, middle - 0.5), (middle + 0.5, 40.0))):
        far = near(rng, 35.5, 0.5)
        if heat[number]:
            length = 28 * heat[number]
            objects.append(zone_between(HOT, left, 34 - length, right, 34))
        objects.append(ball("GoodGoal", (left + right) / 2 + near(rng, 0, 4), far, sizes[number]))
    return task(
        f"Choose a lane and reach its green ball with a reward above {mark:g}.",
        ("avoidance", "cost and benefit", "irreversible choice"),
        "Look at both lanes from the platform: weigh ball against heat, then drop into the better one.",
        *objects,
        pass_mark=mark,
    )


def red_rows(rng: Rng, rows: int, gap: float) -> Blueprint:
    """Rows of red balls with one opening each."""
    apart, size, pitch = 20 / rows, 2.0, 2.5
    objects = [agent(near(rng, 20, 14), near(rng, 3.5, 1), near(rng, 0, 40))]
    for number in range(rows):
        z = 20 + apart * (number - (rows - 1) / 2) + near(rng, 0, 0.5)
        opening = near(rng, 10 if (number + rows) % 2 else 30, 6)
        places = np.arange(1.25, 39.9, pitch)
        objects += [
            ball("BadGoal", float(x), z, size) for x in places if abs(x - opening) > gap / 2 + size / 2
        ]
    return task(
        "Reach the green ball through the openings in the rows of red balls.",
        ("avoidance", "discrimination", "detour"),
        "Find each row's opening and pass through the middle of it.",
        *objects,
        ball("GoodGoal", near(rng, 20, 14), near(rng, 36.5, 1), 1),
    )


LOW, HIGH = 9.0, 31.0
"""The z at which fields that are crossed begin and end, metres."""

PATHS = ("avoidance", "precise movement")


def _ends(rng: Rng, spread: float = 14) -> tuple[Object, Object]:
    """Return an agent and a goal on opposite sides of a field."""
    start = agent(near(rng, 20, spread), near(rng, 3.5, 1.5), near(rng, 0, 40))
    return start, ball("GoodGoal", near(rng, 20, spread), near(rng, 36, 1.5), 1)


def _row(gaps: list[tuple[float, float]], low: float, high: float) -> list[Object]:
    """Zones over the whole width except for gaps (from x, to x)."""
    starts = [0.0, *(gap[1] for gap in gaps)]
    stops = [*(gap[0] for gap in gaps), 40.0]
    return [zone_between(DEATH, a, low, b, high) for a, b in zip(starts, stops, strict=True) if b - a >= 1]


def straight_path(rng: Rng, width: float) -> Blueprint:
    """A straight path between two zones (beam walking)."""
    x = near(rng, 20, 13)
    return task(
        "Reach the green ball along the path between the red zones.",
        PATHS,
        "Drive to the path's beginning, turn into its direction, then go straight.",
        *_ends(rng),
        *_row([(x - width / 2, x + width / 2)], LOW + 1, HIGH),
    )


def corridors(rng: Rng, count: int, blocked: int, width: float) -> Blueprint:
    """Corridors between zones, some of them dead ends. These end at a further zone (maze)."""
    pitch = 38 / count
    middles = [1 + pitch * (number + 0.5) + near(rng, 0, 0.3) for number in range(count)]
    closed = rng.choice(count, blocked, replace=False)
    ends = _ends(rng)
    gaps = [(x - width / 2, x + width / 2) for x in middles]
    low, high = LOW + 2, HIGH - 2
    plugs = [zone_between(DEATH, gaps[i][0], high - near(rng, 5, 2) - 2, gaps[i][1], high) for i in closed]
    return task(
        f"Reach the green ball beyond the red zones; {blocked} of {count} corridors are dead ends.",
        ("avoidance", "search", "detour"),
        "Look down each corridor before driving into it, and take one that is free to its end.",
        *ends,
        *_row(gaps, low, high),
        *plugs,
    )


def winding_path(rng: Rng, bends: int, width: float) -> Blueprint:
    """A path with bends through a field that must not be touched."""
    half, first = width / 2, int(rng.integers(2))
    columns = [near(rng, 10 if (number + first) % 2 else 30, 5) for number in range(bends + 1)]
    tall = (HIGH - LOW - bends * width) / (bends + 1)
    objects: list[Object] = []
    z = LOW
    for number, x in enumerate(columns):
        objects += _row([(x - half, x + half)], z, z + tall)
        z += tall
        if number < bends:
            left, right = sorted((x, columns[number + 1]))
            objects += _row([(left - half, right + half)], z, z + width)
            z += width
    return task(
        "Reach the green ball along the winding path through the red zone.",
        (*PATHS, "detour"),
        "Follow the path: stop at each bend, turn, and go on.",
        *_ends(rng),
        *objects,
    )


def bridges(rng: Rng, width: float, height: float, broken: int) -> Blueprint:
    """A zone that is crossed on a bridge with ramps. Of several bridges only one reaches the other side."""
    places = (20.0,) if not broken else tuple(np.linspace(9, 31, broken + 1))
    good = int(rng.integers(len(places)))
    length = 4 + 2 * height
    low, high = 7 + length, 33 - length
    objects = [*_ends(rng, 12), zone_between(DEATH, 0, low + 0.5, 40, high - 0.5)]
    for number, middle in enumerate(places):
        x = middle + near(rng, 0, 4 if broken else 13)
        end = high if number == good else low + (high - low) * near(rng, 0.5, 0.1)
        objects.append(ramp(x, low - length / 2, (width, height, length), 180))
        objects.append(wall(x, (low + end) / 2, (width, height, end - low), 0, BLUE))
        if number == good:
            objects.append(ramp(x, high + length / 2, (width, height, length), 0))
    return task(
        "Cross the red zone on a bridge and reach the green ball.",
        ("avoidance", "precise movement", "detour"),
        "Drive up the ramp of the bridge that is whole, straight over it, and down to the ball.",
        *objects,
        time_limit=500 if broken else 250,
    )


def leap(rng: Rng, depth: float) -> Blueprint:
    """Leap from a platform over a zone. Only a run-up carries the agent across (jumping a gap)."""
    x, long, height = near(rng, 20, 8), even(near(rng, 14, 1)), near(rng, 2.2, 0.2)
    return task(
        "Get from the platform over the red zone to the green ball.",
        ("avoidance", "momentum", "risk"),
        "Face the zone squarely and drive at full speed over the edge: the leap carries across.",
        agent(x + near(rng, 0, 2), near(rng, 1.5, 0.5), near(rng, 0, 30), height),
        platform(x, 10, long, height),
        zone_between(DEATH, 0, 0, x - 5, long + depth),
        zone_between(DEATH, x + 5, 0, 40, long + depth),
        zone_between(DEATH, x - 5, long + 0.05, x + 5, long + depth),
        ball("GoodGoal", x + near(rng, 0, 10), near(rng, 35.5, 2), 1),
    )


def ridge(rng: Rng, height: float) -> Blueprint:
    """A ridge hides the zone behind it. The free side can be seen only from its crest."""
    z, long = even(near(rng, 12, 1)), even(near(rng, 5, 0.5))
    free = near(rng, 9, 1)
    return task(
        "Cross the ridge and reach the green ball; what lies behind is seen from its top.",
        ("avoidance", "caution", "search"),
        "Drive up, stop on the crest, look, and go down where no red zone lies.",
        agent(near(rng, 20, 14), near(rng, 3, 1), near(rng, 0, 25)),
        ramp(20, z + long / 2, (40, height, long), 180),
        wall(20, z + long + 2.5, (40, height, 5), 0, BLUE),
        zone_between(DEATH, 0, z + long + 5.05, 40 - free, z + long + 5 + 6),
        ball("GoodGoal", near(rng, 10, 6), near(rng, 36, 1.5), 1),
    )


SEEING = ("avoidance", "detour")


def island(rng: Rng, width: float, depth: float) -> Blueprint:
    """A zone between the agent and its goal. A detour without a barrier (Koehler 1925)."""
    x, z = near(rng, 20, 3), near(rng, 20, 2)
    return task(
        "Reach the green ball on the other side of the red zone, which must not be touched.",
        SEEING,
        "Drive round the zone, past the nearer of its sides.",
        agent(x + near(rng, 0, width / 3), near(rng, 4, 1.5), near(rng, 0, 25)),
        zone(DEATH, x, z, width, depth, near(rng, 45, 45)),
        ball("GoodGoal", x + near(rng, 0, width / 3), near(rng, 36, 1.5), 1),
    )


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


def pocket(rng: Rng, gap: float, depth: float) -> Blueprint:
    """The goal lies between a long strip and the fence. One of the two ends is a dead end."""
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


def ring(rng: Rng, half: float, gap: float, inwards: bool) -> Blueprint:
    """A ring of zones with one opening, round agent or goal."""
    x, z = near(rng, 20, 3), near(rng, 20, 3)
    thick = 2.0
    open_at = near(rng, 0, half - gap / 2 - thick)
    inner = x + near(rng, 0, half - thick - 2), z + near(rng, 0, half - thick - 2)
    outer = polar(x, z, near(rng, 180, 130), half * 1.42 + 2.0)
    outer = min(max(outer[0], 1.5), 38.5), min(max(outer[1], 1.5), 38.5)
    start, goal = (outer, inner) if inwards else (inner, outer)
    return task(
        f"Get {'into' if inwards else 'out of'} the ring of red zone and reach the green ball.",
        ("avoidance", "search", "detour"),
        "Look for the ring's opening, line up with it, and pass it straight.",
        agent(*start, near(rng, 180, 180)),
        zone_between(DEATH, x - half, z + half - thick, x + open_at - gap / 2, z + half),
        zone_between(DEATH, x + open_at + gap / 2, z + half - thick, x + half, z + half),
        zone_between(DEATH, x - half, z - half, x + half, z - half + thick),
        zone_between(DEATH, x - half, z - half + thick, x - half + thick, z + half - thick),
        zone_between(DEATH, x + half - thick, z - half + thick, x + half, z + half - thick),
        ball("GoodGoal", *goal, 1),
    )


def spokes(rng: Rng, arms: int, length: float) -> Blueprint:
    """Strips radiate from where the agent stands. The goal lies between two of them (radial)."""
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


def behind_a_wall(rng: Rng, length: float) -> Blueprint:
    """A zone behind a wall, seen only from around the corner."""
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


def blind_corner(rng: Rng, zones: int) -> Blueprint:
    """A corridor with a bend, followed by zones on alternate sides. Each blocks half of its width."""
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


placed = every(any_orientation, but=(spokes, foraging_among_zones))
