"""Level 5, spatial reasoning and support: inferring the place of hidden rewards."""

from collections.abc import Sequence

from testbed.blueprints.blueprint import BLUE, GREY, Blueprint, Object, Push, Rng, task
from testbed.blueprints.choices import perch
from testbed.blueprints.mazes import ARM_END, ARM_WIDTH, Rooms, arm_start, radial_arms
from testbed.blueprints.parts import agent, ball, barrier, block, pane, ramp, run, tunnel, wall
from testbed.blueprints.placement import any_free_pose, any_pose, every
from testbed.blueprints.places import EDGE, HEIGHT, JOINT, XZ, bearing_to, near, polar, scattered, side

RUN_UP = 5.0
"""Metres from which the intended solution rams a block."""


def _ram(x: float, z: float, bearing: float, steps: int = 8) -> Push:
    """Return a push, after a run-up, against an object at x, z."""
    return Push(*polar(x, z, bearing + 180, RUN_UP), bearing, steps)


def _start(rng: Rng) -> Object:
    """Return the agent at some distance from the middle of the arena."""
    bearing = near(rng, 180, 40)
    return agent(*polar(20, 20, bearing, near(rng, 14, 2)), bearing + 180 + near(rng, 0, 25))


def pillar(rng: Rng, kind: str, height: float, width: float) -> Blueprint:
    """Support (after Piaget 1952): a pillar with the reward is knocked down. The reward is out of reach."""
    x, z = near(rng, 20, 5), near(rng, 21, 4)
    return task(
        "Get the green ball down from the pillar and reach it.",
        ("support", "pushing"),
        "Ram the pillar, so that the ball falls, and drive to it.",
        _start(rng),
        block(kind, x, z, (width, height, width), near(rng, 45, 45)),
        ball("GoodGoal", x, z, 1, y=height),
        pushes=(_ram(x, z, near(rng, 0, 30)),),
    )


def stack(rng: Rng, kind: str, count: int, cube: float) -> Blueprint:
    """Support by a stack of loose blocks, with the reward on top."""
    x, z, yaw = near(rng, 20, 5), near(rng, 21, 4), near(rng, 45, 45)
    return task(
        "Bring the stack of blocks down and reach the green ball.",
        ("support", "pushing"),
        "Ram the lowest block of the stack, and drive to the ball that has fallen.",
        _start(rng),
        *(block(kind, x, z, (cube,) * 3, yaw, y=cube * n) for n in range(count)),
        ball("GoodGoal", x, z, 1, y=cube * count),
        pushes=(_ram(x, z, near(rng, 0, 30)),),
    )


@any_free_pose
def beam(rng: Rng, height: float, span: float) -> Blueprint:
    """Support by a beam on two loose posts. With either post gone the beam comes down."""
    return task(
        "Bring the beam down and reach the green ball.",
        ("support", "pushing"),
        "Ram one of the posts from the side, and drive to the ball that has fallen.",
        _start(rng),
        *(block("LightBlock", 20 + sign * span / 2, 20, (1, height, 1)) for sign in (-1, 1)),
        block("LightBlock", 20, 20, (span + 2, 0.5, 1.2), y=height),
        ball("GoodGoal", 20 + near(rng, 0, span / 3), 20, 1, y=height + 0.5),
        pushes=(_ram(20 + span / 2, 20, 0),),
    )


@any_free_pose
def shelf(rng: Rng, height: float) -> Blueprint:
    """Support at one end by a loose block. The plank also lies on a firm wall; without the block it tilts."""
    long, reach = near(rng, 7, 0.8), near(rng, 0.6, 0.4)
    return task(
        "Bring the shelf down and reach the green ball.",
        ("support", "pushing", "discrimination"),
        "See that one support is loose, ram it from the side, and drive to the ball that has fallen.",
        _start(rng),
        wall(20 - long / 2 + 0.8, 20, (1.6, height, 2)),
        block("LightBlock", 20 + long / 2 - 0.7, 20, (1, height, 1)),
        block("LightBlock", 20, 20, (long, 0.5, 1.2), y=height),
        ball("GoodGoal", 20 + reach, 20, 1, y=height + 0.5),
        pushes=(_ram(20 + long / 2 - 0.7, 20, 0),),
    )


@any_free_pose
def table(rng: Rng, height: float) -> Blueprint:
    """Support by four loose legs under a slab. The reward comes down when legs are gone."""
    wide, deep = near(rng, 5, 0.4), near(rng, 4, 0.4)
    legs = [(20 + a * (wide / 2 - 0.6), 20 + b * (deep / 2 - 0.6)) for a in (-1, 1) for b in (-1, 1)]
    return task(
        "Bring the table down and reach the green ball.",
        ("support", "pushing"),
        "Ram the legs of the table one after another until the ball falls, and drive to it.",
        _start(rng),
        *(block("LightBlock", x, z, (0.9, height, 0.9)) for x, z in legs),
        block("LightBlock", 20, 20, (wide, 0.5, deep), y=height),
        ball("GoodGoal", 20 + near(rng, 0, 1), 20 + near(rng, 0, 0.8), 1, y=height + 0.5),
        time_limit=500,
        pushes=(_ram(*legs[2], 0, 10), _ram(*legs[0], 0, 10)),
    )


def post_and_block(rng: Rng, height: float) -> Blueprint:
    """The reward on a firm post, pushed off with a block. It is as high as the ball (Kohler 1925)."""
    x, z, bearing = near(rng, 20, 3), near(rng, 22, 2), near(rng, 0, 180)
    size = height + 1
    spot = polar(x, z, bearing + 180, near(rng, 8, 1.5))
    return task(
        "Get the green ball down from the post and reach it.",
        ("support", "pushing", "tool use"),
        "Push the high block against the post, so that it moves the ball off, and drive around to the ball.",
        agent(*polar(x, z, bearing + 90, near(rng, 12, 2)), bearing - 90 + near(rng, 0, 30)),
        wall(x, z, (0.4, height, 0.4)),
        ball("GoodGoal", x, z, 1, y=height),
        block("HeavyBlock", *spot, (size, size, size), bearing),
        time_limit=500,
        pushes=(Push(*polar(*spot, bearing + 180, size / 2 + 1.2), bearing, 12),),
    )


def pillars(rng: Rng, count: int, height: float, limit: int) -> Blueprint:
    """Support, several times: a reward on each of several loose pillars."""
    start, *places = scattered(rng, count + 1, 8, within=(6, 6, 34, 34))
    return task(
        f"Get all {count} yellow balls down from their pillars.",
        ("support", "pushing", "foraging"),
        "Ram one pillar after another, and take each ball that has fallen.",
        agent(*start, near(rng, 180, 180)),
        *(block("LightBlock", x, z, (1, height, 1), near(rng, 45, 45)) for x, z in places),
        *(ball("GoodGoalMulti", x, z, 1, y=height) for x, z in places),
        time_limit=limit,
        pass_mark=count - 1,
        pushes=tuple(_ram(x, z, 0) for x, z in places),
    )


def two_pillars(rng: Rng, height: float) -> Blueprint:
    """Choice by support between rewards on a loose and a firm pillar. Only the reward on the loose one can be
    obtained. The agent looks from a perch that it cannot climb again."""
    start, stand = perch(rng, 40)
    loose: XZ = 20 + near(rng, 5.2, 0.8), near(rng, 14.5, 2)
    firm: XZ = 20 - near(rng, 5.2, 0.8), near(rng, 14.5, 2)
    yaw = near(rng, 45, 45)
    return task(
        "Go to the green ball whose pillar can be knocked down, and reach the ball.",
        ("support", "discrimination"),
        "See which pillar is a block and which is a wall, go to the block, ram it, and drive to the ball.",
        start,
        *stand,
        block("LightBlock", *loose, (1, height, 1), yaw),
        wall(*firm, (1, height, 1), yaw),
        ball("GoodGoal", *loose, 1, y=height),
        ball("GoodGoal", *firm, 1, y=height),
        pushes=(_ram(*loose, near(rng, 30, 20)),),
    )


@any_free_pose
def soft_side(rng: Rng, inner: float) -> Blueprint:
    """Enclosure with one loose side: a reward behind pushable blocks. Nothing else can be pushed away."""
    half, cube = inner / 2, inner / 3 - JOINT
    return task(
        "Open the enclosure and reach the green ball in it.",
        ("support", "pushing", "discrimination"),
        "Go around the enclosure to the side that is made of blocks, and push through it.",
        agent(*polar(20, 20, near(rng, 180, 70), near(rng, 14, 2)), near(rng, 0, 60)),
        *(wall(20 + sign * (half + 0.3), 20, (0.6, 2, inner + 1.2)) for sign in (-1, 1)),
        wall(20, 20 - half - 0.3, (inner - 2 * JOINT, 2, 0.6)),
        *(
            block("LightBlock", 20 + n * inner / 3, 20 + half - cube / 2 + 0.5, (cube, 2, cube))
            for n in (-1, 0, 1)
        ),
        ball("GoodGoal", 20 + near(rng, 0, half - 1), 20 - half + near(rng, 1, 0.3), 1),
        pushes=(Push(20, 20 + half + RUN_UP, 180, 9),),
    )


def slope(rng: Rng, screened: bool) -> Blueprint:
    """Inclined plane: a ball drops on a slope and rolls aside. The other choice cannot be undone. If
    `screened`, its landing place is out of view and has to be inferred from the slope."""
    z, high = near(rng, 21, 2.5), 3.0
    sign = side(rng)
    start, stand = perch(rng, z - 1.6, high=1)
    rise, long = near(rng, 1.6, 0.3), near(rng, 4.6, 0.5)
    objects: list[Object] = [
        wall(20, z, (long + 0.2, high, 3)),
        wall(20, (z + 1.5 + JOINT + 40 - EDGE) / 2, (0.6, high, 40 - EDGE - z - 1.5 - JOINT)),
        ramp(20, z, (2.6, rise, long), (90 * sign) % 360, y=high, color=GREY),
    ]
    if screened:
        objects += [wall(20 + at * 10.5, z - 4, (near(rng, 14, 1), HEIGHT, 0.6)) for at in (-1, 1)]
    return task(
        "Go to the side on which the green ball rolls down, and reach it.",
        ("support", "object permanence"),
        "See to which side the slope falls, leave the perch on that side, and drive to the ball.",
        start,
        *stand,
        *objects,
        ball("GoodGoal", 20 - sign * (long / 2 - 0.7), z, 1, y=high + rise),
    )


def screens(rng: Rng, count: int, clear: int) -> Blueprint:
    """Search by exclusion (Call 2004): the reward is behind a screen. It is not behind the `clear` ones."""
    bearings = [140 * (n - (count - 1) / 2) / count + near(rng, 0, 3) for n in range(count)]
    order = rng.permutation(count)
    objects = []
    for number, bearing in enumerate(bearings):
        x, z = polar(20, 6, bearing, near(rng, 13, 1.5))
        transparent = int(order[number]) >= count - clear
        objects.append(barrier(x, z, (4.4, HEIGHT, 0.5), bearing + near(rng, 0, 8), transparent))
        if order[number] == 0:
            objects.append(ball("GoodGoal", *polar(x, z, bearing, near(rng, 2.4, 0.6)), 1))
    return task(
        "Find the green ball, which is behind one of the screens.",
        ("search", "exclusion" if clear else "working memory"),
        "Look behind one screen after another" + (", but not behind the clear ones." if clear else "."),
        agent(20, 6, near(rng, 0, 60)),
        *objects,
        time_limit=250 if count < 4 else 500,
    )


def hooked_alley(rng: Rng, length: float, width: float) -> Blueprint:
    """Detour into a hook: the reward is near, behind a wall. The path to it leads far around."""
    low = near(rng, 7.5, 1)
    bend = low + length
    out = near(rng, 5, 1)
    return task(
        "Find the green ball in the alley and reach it.",
        ("search", "detour"),
        "Drive along the bent wall to its far end, around it, and back through the alley.",
        agent(near(rng, 14, 4), near(rng, 3.5, 1), near(rng, 300, 50)),
        *run([(EDGE, low), (width, low), (width, bend), (width + out, bend)]),
        ball("GoodGoal", width / 2, low + near(rng, 2.2, 0.5), 1),
        pane(near(rng, 30, 2), near(rng, 26, 3), (near(rng, 9, 2), HEIGHT, 0.6), near(rng, 90, 90)),
    )


def one_can_hide_it(rng: Rng, hides: str, bare: str) -> Blueprint:
    """Exclusion (Call 2004): only one object can hide the unseen reward.

    The agent looks from a `perch` that it cannot climb again, so a wrong side cannot be undone. `hides` and
    `bare` name the objects on the two sides.
    """
    start, stand = perch(rng, 40)
    objects: list[Object] = []
    for what, sign in ((hides, 1), (bare, -1)):
        x, z = 20 + sign * near(rng, 6.8, 1), near(rng, 17.5, 2.5)
        sight = bearing_to((start.place[0], start.place[2]), (x, z))
        things, behind = _hideout(rng, what, x, z, sight)
        objects += things
        if sign > 0:
            objects.append(ball("GoodGoal", *polar(x, z, sight, behind), 1))
    return task(
        "Go to the side where the green ball can be hidden, and reach it.",
        ("exclusion", "search"),
        "See which of the two objects could hide the ball, leave the perch on that side, and look behind it.",
        start,
        *stand,
        *objects,
    )


def _hideout(rng: Rng, what: str, x: float, z: float, sight: float) -> tuple[Sequence[Object], float]:
    """Return an object seen along `sight` (degrees), and the ball's distance. It lies behind the object's
    middle, metres."""
    yaw = sight + near(rng, 0, 12)
    across = sight + 90 + near(rng, 0, 12)
    if what.endswith("tunnel"):
        kind = "CylinderTunnelTransparent" if what == "clear tunnel" else "CylinderTunnel"
        bearing = sight if what == "end of a tunnel" else across
        return (tunnel(kind, x, z, (3.6, 3.6, near(rng, 5.4, 0.7)), bearing),), 0
    if what == "pane":
        return (pane(x, z, (near(rng, 5.4, 0.7), 2.5, 0.6), yaw),), 3
    size = {
        "wall": (near(rng, 5.4, 0.7), 2.5, 0.6),
        "low wall": (near(rng, 5.4, 0.7), 0.3, 0.6),
        "post": (0.4, 2.5, 0.4),
        "slab": (near(rng, 5.4, 0.7), 0.1, near(rng, 5.4, 0.7)),
    }[what]
    return (wall(x, z, size, yaw),), near(rng, 2.6, 0.6)


@any_free_pose
def arms(rng: Rng, count: int, baited: int, closed: int, gable: float, limit: int) -> Blueprint:
    """Radial maze (Olton & Samuelson 1976) with rewards in `baited` open arms. They are at the ends, each
    available once. `gable` is the height of a hump in each arm that hides its end, 0 for none."""
    order = [int(number) for number in rng.permutation(count)]
    shut, full, bare = order[:closed], order[closed : closed + baited], order[closed + baited :]
    objects: list[Object] = [*radial_arms(count, shut)]
    if gable:
        objects += [part for number in (*full, *bare) for part in _gable(360 * number / count, gable, count)]
    objects += [
        ball("GoodGoalMulti", *polar(20, 20, 360 * number / count, ARM_END - near(rng, 1.6, 0.4)), 1)
        for number in full
    ]
    return task(
        f"Gather all {baited} yellow balls at the ends of the arms.",
        ("search", "working memory", *(("climbing",) if gable else ())),
        "Visit each open arm once, and return to the middle in between.",
        agent(20, 20, near(rng, 180, 180)),
        *objects,
        time_limit=limit,
        pass_mark=baited - 1,
    )


def _gable(bearing: float, height: float, arms: int) -> tuple[Object, Object]:
    length = 2.6 * height
    first = polar(20, 20, bearing, arm_start(arms) + 1 + length / 2)
    second = polar(20, 20, bearing, arm_start(arms) + 1 + JOINT + 1.5 * length)
    size = (ARM_WIDTH - 0.1, height, length)
    return ramp(*first, size, (bearing + 180) % 360), ramp(*second, size, bearing % 360)


def rooms(rng: Rng, count: int, goals: int, door: float, limit: int) -> Blueprint:
    """Exploration of rooms joined by doorways. The rewards are in other rooms than the agent."""
    plan = Rooms(rng, count, 0.25)
    start = (int(rng.integers(count)), int(rng.integers(count)))
    apart = plan.distances(start)
    others = [cell for cell in apart if apart[cell] >= (2 if goals < count else 1)]
    baited = [others[int(number)] for number in rng.permutation(len(others))[:goals]]
    slack = plan.side / 2 - 2.5
    kind = "GoodGoal" if goals == 1 else "GoodGoalMulti"
    places: list[XZ] = []
    for cell in baited:
        x, z = plan.middle(cell)
        places.append((near(rng, x, slack), near(rng, z, slack)))
    colour = "green ball" if goals == 1 else f"{goals} yellow balls"
    return task(
        f"Explore the rooms and take the {colour}.",
        ("exploration", "navigation"),
        "Go from doorway to doorway, look around in each room, and do not return to rooms already seen.",
        agent(*plan.middle(start), near(rng, 180, 180)),
        *plan.walls(rng, door),
        *(ball(kind, x, z, 1) for x, z in places),
        time_limit=limit,
        pass_mark=goals - 1,
    )


def ledges(rng: Rng, count: int, height: float) -> Blueprint:
    """Search on ledges for a reward behind a parapet. It is visible only from above."""
    baited = int(rng.integers(count))
    objects: list[Object] = []
    for number in range(count):
        bearing = 110 * (number - (count - 1) / 2) / max(count - 1, 1) + near(rng, 0, 4)
        x, z = polar(20, 12, bearing, near(rng, 12, 0.8))
        objects += _ledge(x, z, bearing, height)
        if number == baited:
            spot = polar(*polar(x, z, bearing, -1), bearing + 90, near(rng, 0, 1.2))
            objects.append(ball("GoodGoal", *spot, 1, y=height))
    return task(
        "Find the green ball, which is on one of the ledges.",
        ("exclusion", "search", "climbing"),
        "Nothing is on the floor: drive around to the ramp of each ledge and up until the ball is found.",
        agent(20, 10, near(rng, 0, 40)),
        *objects,
        time_limit=500,
    )


def _ledge(x: float, z: float, bearing: float, height: float) -> list[Object]:
    """Return a ledge with a ramp at its back. Its parapet is towards the middle."""
    bearing %= 360
    length = 2.2 * height
    deep, wide = 4.5, 5.0
    return [
        wall(x, z, (wide, height, deep), bearing, color=BLUE),
        wall(*polar(x, z, bearing, 0.15 - deep / 2), (wide, 1.4, 0.3), bearing, y=height),
        ramp(*polar(x, z, bearing, deep / 2 + JOINT + length / 2), (4, height, length), bearing),
    ]


def stairs(rng: Rng, flights: int, rise: float) -> Blueprint:
    """Stairs of ramps around corners, up to a reward. It is on the highest landing (at most 3 flights)."""
    broad, length = 4.0, 2.3 * rise
    step = broad + length + 2 * JOINT
    x, z = near(rng, 14, 2), near(rng, 14, 2)
    objects: list[Object] = []
    corner = (x, z)
    for number in range(flights):
        bearing = 90 * number
        low = rise * number
        middle = polar(*corner, bearing, broad / 2 + JOINT + length / 2)
        if number:
            objects.append(wall(*middle, (broad, low, length), bearing, color=BLUE))
        objects.append(ramp(*middle, (broad, rise, length), (bearing + 180) % 360, y=low))
        corner = polar(*corner, bearing, step)
        objects.append(wall(*corner, (broad, low + rise, broad), color=BLUE))
    return task(
        "Climb the stairs of ramps to the green ball.",
        ("climbing", "navigation", "search"),
        "Find the lowest ramp, and drive up one flight after another, turning on the landings.",
        agent(near(rng, 30, 6), near(rng, 5, 2.5), near(rng, 320, 40)),
        *objects,
        ball("GoodGoal", near(rng, corner[0], 0.8), near(rng, corner[1], 0.8), 1, y=rise * flights),
        time_limit=500,
    )


placed = every(any_pose, but=(beam, shelf, table, soft_side, arms))
