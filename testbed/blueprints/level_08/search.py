"""Level 8, object permanence: bays, ramps and pits into which rewards fall."""

from testbed.blueprints.blueprint import Blueprint, Object, Rng, task
from testbed.blueprints.parts import BLUE, agent, ball, ramp, wall
from testbed.blueprints.placement import any_orientation
from testbed.blueprints.places import even, near, side
from testbed.blueprints.walls import THICK, along

SCREEN = 2.4
"""Height of screens, metres."""

SLOT = 2.2
"""Metres beside a screen."""

PERMANENCE = ("object permanence", "working memory")


def _edges(rng: Rng, count: int) -> list[float]:
    """The x of the edges of compartments over the whole width."""
    inner = [40 * number / count + near(rng, 0, 1.2) for number in range(1, count)]
    return [0.0, *map(even, inner), 40.0]


def _screen(left: float, right: float, gap: int, z: float, floor: float = 0) -> Object:
    """A screen in a compartment; it leaves a gap at one side (-1 left, 1 right)."""
    left, right = left + THICK / 2, right - THICK / 2
    left, right = (left + SLOT, right) if gap < 0 else (left, right - SLOT)
    return wall((left + right) / 2, z, (right - left - 0.02, SCREEN, THICK), y=floor)


@any_orientation
def gathering(rng: Rng, bays: int, balls: int) -> Blueprint:
    """Several rewards fall behind low walls, and all have to be found again (visible displacement)."""
    edges, front = _edges(rng, bays), even(near(rng, 33, 0.8))
    objects = [agent(near(rng, 20, 6), near(rng, 3, 1.5), near(rng, 0, 12))]
    objects += [wall(x, (front + 38) / 2 - 1.5, (THICK, SCREEN, 41 - front)) for x in edges[1:-1]]
    full = {int(bay) for bay in rng.permutation(bays)[:balls]}
    for bay in range(bays):
        gap = side(rng)
        screen = _screen(edges[bay], edges[bay + 1], gap, front)
        objects.append(screen)
        if bay in full:
            at = screen.place[0] - gap * near(rng, 0.4, 0.3), front + near(rng, 2, 0.3)
            objects.append(ball("GoodGoalMulti", *at, 2, near(rng, 11, 1.5)))
    return task(
        f"Gather all {balls} yellow balls that fall into {balls} of {bays} bays.",
        (*PERMANENCE, "foraging"),
        "Note into which bays balls fall; visit these, and no other.",
        *objects,
        pass_mark=2 * balls - 1,
    )


@any_orientation
def over_ramps(rng: Rng, count: int) -> Blueprint:
    """A reward falls behind one of several ramps: driving over the wrong one traps the agent behind it."""
    edges, low = _edges(rng, count), even(near(rng, 27, 1))
    height, long, baited = near(rng, 2.2, 0.15), 6.0, int(rng.integers(count))
    top = low + long
    objects = [agent(near(rng, 20, 4), near(rng, 3, 1.5), near(rng, 0, 12))]
    objects += [along(x, low, 40, 3) for x in edges[1:-1]]
    for number in range(count):
        left, right = edges[number] + THICK / 2, edges[number + 1] - THICK / 2
        middle, wide = (left + right) / 2, right - left
        objects.append(ramp(middle, low + long / 2, (wide, height, long), 180))
        if number == baited:
            place = near(rng, middle, wide / 2 - 1.2), top + near(rng, 1.2, 0.3)
            objects.append(ball("GoodGoal", *place, 1.4, near(rng, 11, 1.5)))
    return task(
        f"Reach the green ball that falls behind one of {count} ramps; there is no way back over a ramp.",
        (*PERMANENCE, "irreversible choice"),
        "Note behind which ramp the ball falls, drive up that ramp, and drop to the ball.",
        *objects,
    )


@any_orientation
def pits(rng: Rng, columns: int, rows: int, lights: tuple[int, ...] = ()) -> Blueprint:
    """A reward falls into one of several pits, too deep to look into (Grether & Maslow's wells, deepened)."""
    height, half = near(rng, 4.6, 0.2), 1.6
    xs = [even(40 * (number + 0.5) / columns + near(rng, 0, 1.2)) for number in range(columns)]
    zs = [even(near(rng, 37 - 7 * number - 2, 0.8)) for number in reversed(range(rows))]
    objects = [agent(near(rng, 20, 5), near(rng, 3, 1), near(rng, 0, 12), height)]
    z = 0.0
    for row in zs:
        objects.append(_slab(0, z, 40, row - half, height))
        starts, stops = [0.0, *(x + half for x in xs)], [*(x - half for x in xs), 40.0]
        objects += [_slab(a, row - half, b, row + half, height) for a, b in zip(starts, stops, strict=True)]
        z = row + half
    objects.append(_slab(0, z, 40, 40, height))
    x, z_middle = (float(rng.choice(values)) + near(rng, 0, 0.6) for values in (xs, zs))
    return task(
        f"Reach the green ball that falls into one of {columns * rows} pits; there is no way out of a pit.",
        (*PERMANENCE, "irreversible choice", "spatial memory"),
        "Note into which pit the ball falls, drive there between the others, and drop into it.",
        *objects,
        ball("GoodGoal", x, z_middle, 1.6, height + near(rng, 11, 1)),
        time_limit=500 if lights or rows > 1 else 250,
        blackouts=lights,
    )


def _slab(x1: float, z1: float, x2: float, z2: float, height: float) -> Object:
    return wall((x1 + x2) / 2, (z1 + z2) / 2, (x2 - x1, height, z2 - z1), 0, BLUE)


@any_orientation
def two_in_turn(rng: Rng, count: int) -> Blueprint:
    """Two choices in turn, each between `count` compartments, from what was seen at the start (memory span).

    Steps lead down from the first platform to the last compartments, so that no choice can be undone.
    """
    edges = [_edges(rng, count) for _ in range(2)]
    objects = [
        agent(near(rng, 20, 3), near(rng, 1.8, 0.4), near(rng, 0, 8), 3.3),
        _slab(0, 0, 40, 5, 3.3),
        _slab(0, 5, 40, 15, 2.2),
        _slab(0, 15, 40, 20, 1.1),
    ]
    full = rng.integers(count, size=2)
    objects += _screened(rng, edges[0], int(full[0]), (5, 10.4, 15), 2.2, (1, near(rng, 10, 0.5)))
    objects += _screened(rng, edges[1], int(full[1]), (20, 34.4, 40), 0.0, (2, near(rng, 19, 1)))
    return task(
        f"Gather both yellow balls: one falls behind a screen of the near {count}, one of the far {count}.",
        (*PERMANENCE, "irreversible choice"),
        "Note both screens; drop into the near stall, drive round its screen and on, then into the far one.",
        *objects,
        time_limit=500,
        pass_mark=2,
    )


def _screened(
    rng: Rng,
    edges: list[float],
    full: int,
    depths: tuple[float, float, float],
    floor: float,
    drop: tuple[float, float],
) -> list[Object]:
    """Compartments with screens; `depths` are the z where they begin, of the screens, and where they end.

    `drop` is the ball's size and the height it falls from.
    """
    low, front, high = depths
    objects = [along(x, low, high, SCREEN, y=floor) for x in edges[1:-1]]
    for number in range(len(edges) - 1):
        gap = side(rng)
        screen = _screen(edges[number], edges[number + 1], gap, front, floor)
        objects.append(screen)
        if number == full:
            x = screen.place[0] - gap * near(rng, 1, 1)
            objects.append(ball("GoodGoalMulti", x, front + near(rng, 1.7, 0.3), *drop))
    return objects
