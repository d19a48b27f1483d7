"""Level 3, static obstacles: going around or through something."""

import math

from testbed.blueprints.blueprint import BLUE, Blueprint, Object, Rng, task
from testbed.blueprints.mazes import Rooms
from testbed.blueprints.parts import agent, ball, barrier, block, fan, pane, ramp, ring, run, tunnel, wall
from testbed.blueprints.placement import any_free_pose, any_pose, every
from testbed.blueprints.places import EDGE, HEIGHT, JOINT, XZ, bearing_to, near, polar, side

SLOPE = 2.4
"""Metres along a ramp for each metre that it rises."""


def ridge(rng: Rng, width: float) -> Blueprint:
    """Detour with a choice (after Crosby et al. 2020): a ridge is left on one side and not climbed again. A
    pane stands across the ridge; the reward is behind it on one side."""
    z, x = near(rng, 21, 2), 20 + near(rng, 5, 1.5)
    high, thick = 0.6, near(rng, 3, 0.4)
    return task(
        "Leave the ridge on the side of the green ball and reach it.",
        ("detour", "spatial choice"),
        "See on which side the ball is, leave the ridge there, and go around the barrier.",
        agent(20, near(rng, 4, 2.5), near(rng, 0, 8), y=high),
        wall(20, 20, (thick, high, 40 - 2 * EDGE), color=BLUE),
        pane(20, z, (width, HEIGHT, 0.6), y=high),
        ball("GoodGoal", x, z + near(rng, 5, 2), 1),
    )


@any_free_pose
def platform(rng: Rng, height: float, beside: float) -> Blueprint:
    """Elevated platform: only a ramp leads up to the reward. `beside` is the bearing of the agent's start
    from the ramp as seen from the platform, degrees."""
    length = SLOPE * height
    width, depth = near(rng, 8, 1.5), near(rng, 7, 1.5)
    foot = 20 - depth / 2 - JOINT - length / 2
    start = polar(20, 20, 180 + near(rng, beside, 15), near(rng, 14.5, 1.5))
    return task(
        "Climb the ramp to the green ball on the platform.",
        ("climbing", "navigation"),
        "Line up with the ramp, drive up, and cross the platform to the ball.",
        agent(*start, near(rng, beside, 25)),
        wall(20, 20, (width, height, depth), color=BLUE),
        ramp(20 + near(rng, 0, width / 2 - 2), foot, (3.6, height, length), 180),
        ball("GoodGoal", 20 + near(rng, 0, width / 3), 20 + near(rng, 0, depth / 3), 1, y=height),
    )


def walkway(rng: Rng, legs: int, width: float, height: float) -> Blueprint:
    """Walkway: a ramp leads up to a narrow wall with a reward at its far end; `legs` is its corners."""
    x, z, reach = near(rng, 11, 2), near(rng, 16, 2), near(rng, 14, 1)
    length = SLOPE * height
    far = z + reach
    across = near(rng, 13, 1.5)
    objects = [
        ramp(x, z - JOINT - length / 2, (4, height, length), 180),
        wall(x, z + reach / 2, (4, height, reach), color=BLUE),
        wall(x + 2 + JOINT + across / 2, far - width / 2, (across, height, width), color=BLUE),
    ]
    goal = x + 2 + across - 1.2, far - width / 2
    if legs > 1:
        back = near(rng, 11, 1.5)
        end = x + 2 + across - width / 2
        objects.append(wall(end, far - width - JOINT - back / 2, (width, height, back), color=BLUE))
        goal = end, far - width - back + 1.2
    return task(
        "Reach the green ball at the far end of the walkway.",
        ("climbing", "navigation"),
        "Drive up the ramp and slowly along the walkway, turning at its corners.",
        agent(near(rng, 28, 8), near(rng, 5, 2.5), near(rng, 330, 40)),
        *objects,
        ball("GoodGoal", *goal, 2, y=height),
        time_limit=500,
        pass_mark=1,
    )


def terraces(rng: Rng, storeys: int, rise: float) -> Blueprint:
    """Several storeys: one ramp leads up to each higher terrace."""
    band, length, width = 40 / (storeys + 1), 2.2 * rise, 5.0
    objects = []
    where = near(rng, 20, 14)
    for number in range(1, storeys + 1):
        edge = band * number
        top = edge + band - JOINT if number < storeys else 40 - EDGE
        size = (40 - 2 * EDGE, rise * number, top - edge)
        objects.append(wall(20, (edge + top) / 2, size, color=BLUE))
        foot = edge - JOINT - length / 2
        objects.append(ramp(where, foot, (width, rise, length), 180, y=rise * (number - 1)))
        where = near(rng, 20, 8) - 8 if where > 20 else near(rng, 20, 8) + 8
    return task(
        "Climb from terrace to terrace to the green ball on the highest.",
        ("climbing", "navigation"),
        "Drive up one ramp after another, then to the ball.",
        agent(near(rng, 20, 15), near(rng, 3, 1), near(rng, 0, 60)),
        *objects,
        ball("GoodGoal", near(rng, 20, 16), near(rng, 37, 1), 1, y=rise * storeys),
        time_limit=250 if storeys < 3 else 500,
    )


def over_the_wall(rng: Rng, height: float) -> Blueprint:
    """A closed wall across the arena: a ramp up, then a drop."""
    x, z, thick = near(rng, 20, 14), near(rng, 21, 2), near(rng, 1.8, 0.4)
    length = SLOPE * height
    return task(
        "Get over the wall and reach the green ball.",
        ("climbing", "navigation"),
        "Drive up the ramp to the top of the wall, drop down beyond it, and go to the ball.",
        agent(near(rng, 20, 15), near(rng, 5, 2), near(rng, 0, 50)),
        wall(20, z, (40 - 2 * EDGE, height, thick), color=BLUE),
        ramp(x, z - thick / 2 - JOINT - length / 2, (4, height, length), 180),
        ball("GoodGoal", near(rng, 20, 16), near(rng, 34.5, 2), 1),
    )


@any_free_pose
def yard(rng: Rng, inner: float, height: float) -> Blueprint:
    """Enclosure: walls shut the agent in; a ramp over one leads out. The reward is outside."""
    thick, length = 1.6, SLOPE * height
    half, low = inner / 2, near(rng, 0, inner / 2 - 2.2)
    aside = half + thick / 2 + JOINT
    start = polar(20, 20, near(rng, 180, 60), half - 1.5)
    return task(
        "Get out of the walled yard and reach the green ball.",
        ("climbing", "search"),
        "Turn to find the ramp, drive up it and over the lower wall, then search for the ball.",
        agent(*start, near(rng, 180, 180)),
        wall(20, 20 + half + thick / 2, (inner, height, thick), color=BLUE),
        wall(20, 20 - half - thick / 2, (inner, HEIGHT, thick)),
        *(wall(x, 20, (thick, HEIGHT, inner + 2 * thick)) for x in (20 - aside, 20 + aside)),
        ramp(20 + low, 20 + half - JOINT - length / 2, (4, height, length), 180),
        ball("GoodGoal", *polar(20, 20, near(rng, 180, 100), near(rng, 14, 1.5)), 1),
    )


@any_free_pose
def detour(rng: Rng, width: float, transparent: bool) -> Blueprint:
    """Detour (Koehler 1925): a barrier hides the reward, or shows it. A transparent one shows it out of
    reach."""
    before, behind = near(rng, 11, 2), near(rng, 4.5, 1.5)
    shift = near(rng, 0, width / 6)
    return task(
        "Reach the green ball behind the barrier.",
        ("detour", "inhibition" if transparent else "object permanence"),
        "Drive past the nearer end of the barrier, then turn towards the ball.",
        agent(20, 20 - before, near(rng, 0, 15)),
        barrier(20 + shift, 20, (width, HEIGHT, 0.6), near(rng, 0, 12), transparent),
        ball("GoodGoal", 20 + near(rng, 1.3 * shift, width / 8), 20 + behind, 1),
    )


def blind_alley(rng: Rng, length: float, width: float) -> Blueprint:
    """Detour into a corner: a long wall screens it. Only the far end of the alley is open."""
    line = 40 - width
    return task(
        "Reach the green ball in the corner behind the long wall.",
        ("detour", "navigation"),
        "Drive along the wall to its open end, around it, and back to the corner.",
        agent(near(rng, 8, 5), near(rng, 5, 3), near(rng, 70, 40)),
        wall(line, length / 2 + EDGE, (0.8, HEIGHT, length)),
        ball("GoodGoal", line + width / 2, near(rng, 3, 1), 1),
    )


def passage(rng: Rng, gaps: tuple[float, ...]) -> Blueprint:
    """Passage: walls across the whole arena, each with one opening. It has a given width."""
    objects: list[Object] = []
    where = 0.0
    for number, width in enumerate(gaps, 1):
        z = 40 * number / (len(gaps) + 1) + near(rng, 0, 1.5)
        where = near(rng, 20, 14) if number == 1 else 20 - math.copysign(near(rng, 9, 5), where - 20)
        objects += _wall_with_gap(where, z, width, near(rng, 1.25, 0.75))
    return task(
        "Pass to the far side of the arena and reach the green ball.",
        ("navigation", "search"),
        "Drive to each opening, through it, and then to the ball.",
        agent(near(rng, 20, 15), near(rng, 4, 2), near(rng, 0, 40)),
        *objects,
        ball("GoodGoal", near(rng, 20, 16), near(rng, 36, 1.5), 1),
        time_limit=250 if len(gaps) == 1 else 500,
    )


def _wall_with_gap(x: float, z: float, width: float, thickness: float) -> list[Object]:
    left, right = x - width / 2, x + width / 2
    return [
        wall((left + EDGE) / 2, z, (left - EDGE, HEIGHT, thickness)),
        wall((right + 40 - EDGE) / 2, z, (40 - EDGE - right, HEIGHT, thickness)),
    ]


@any_free_pose
def wedge(rng: Rng, length: float, within: bool) -> Blueprint:
    """V-shaped detour (Koehler 1925). The agent is `within` a right angle open to low z, or the ball is."""
    deep = near(rng, 3.4, 0.4)
    ahead = near(rng, 3.5, 0.5)
    back = near(rng, 9, 1.5)
    if within:
        start, goal, yaw = (20.0, 20 - deep), (20 + near(rng, 0, 1), 20 + ahead), 0.0
    else:
        start, goal, yaw = (20 + near(rng, 0, 2), 20 + back), (20 + near(rng, 0, 0.3), 20 - deep), 180.0
    return task(
        "Get around the V-shaped barrier to the green ball.",
        ("detour", "inhibition"),
        "Turn away from the ball, go around the end of the barrier, and come back to the ball.",
        agent(*start, yaw + near(rng, 0, 12)),
        *fan((135, 225), length),
        ball("GoodGoal", *goal, 1),
    )


@any_free_pose
def cross(rng: Rng, length: float) -> Blueprint:
    """Detour around a cross of panes to the neighbouring quarter's reward."""
    start = polar(20, 20, 45 + near(rng, 0, 6), near(rng, 5, 1))
    goal = polar(20, 20, 135 + near(rng, 0, 12), near(rng, 5, 1))
    yaw = bearing_to(start, goal) + near(rng, 0, 20)
    return task(
        "Reach the green ball in another quarter of the cross.",
        ("detour", "inhibition"),
        "Go outwards along an arm of the cross, around its end, and inwards again.",
        agent(*start, yaw),
        *fan((0, 90, 180, 270), length),
        ball("GoodGoal", *goal, 1),
    )


@any_free_pose
def barrier_in_u(rng: Rng, depth: float, width: float, transparent: bool) -> Blueprint:
    """U-shaped detour (Koehler 1925) with the agent inside the U. It must first turn away."""
    sides = [20 + sign * (width / 2 + 0.3) for sign in (-1, 1)]
    return task(
        "Leave the U-shaped barrier and reach the green ball behind it.",
        ("detour", "inhibition"),
        "Turn round, leave the U by its open side, and go around it.",
        agent(20, 20 - near(rng, 3, 0.8), near(rng, 0, 15)),
        barrier(20, 20.5, (width + 2, HEIGHT, 0.6), 0, transparent),
        *(barrier(x, 20.2 - JOINT - depth / 2, (0.6, HEIGHT, depth), 0, transparent) for x in sides),
        ball("GoodGoal", 20 + near(rng, 0, width / 3), near(rng, 26.5, 2), 1),
    )


@any_free_pose
def cylinder(rng: Rng, length: float, width: float, kind: str, aside: float) -> Blueprint:
    """Cylinder task (MacLean et al. 2014): the reward lies in a tunnel that is open at its ends. `aside` is
    the angle of the tunnel's side to the line of sight: at 0 the agent faces the side squarely."""
    yaw = 90 + side(rng) * near(rng, aside, 8)
    goal = polar(20, 20, yaw, near(rng, 0, length / 2 - 1.5))
    return task(
        "Reach the green ball inside the tunnel.",
        ("detour", "inhibition" if kind == "CylinderTunnelTransparent" else "object permanence"),
        "Drive around to an end of the tunnel and in to the ball.",
        agent(20 + near(rng, 0, 3), 20 - near(rng, 12, 2), near(rng, 0, 15)),
        tunnel(kind, 20, 20, (width, width, length), yaw),
        ball("GoodGoal", *goal, 1),
    )


def blocks_in_the_way(rng: Rng, size: float) -> Blueprint:
    """Obstacle removal: two loose blocks fill the only opening of a wall."""
    x, z, pitch = near(rng, 20, 11), near(rng, 17, 2), size + JOINT
    return task(
        "Get through the blocked opening and reach the green ball.",
        ("pushing", "navigation"),
        "Drive against the blocks in the opening until there is a way, then go on to the ball.",
        agent(min(max(x + near(rng, 0, 6), 3), 37), near(rng, 4.5, 2), near(rng, 0, 20)),
        *_wall_with_gap(x, z, 2 * pitch + 0.3, 1),
        *(block("LightBlock", x + share * pitch, z, (size, size, size)) for share in (-0.5, 0.5)),
        ball("GoodGoal", near(rng, 20, 15), near(rng, 34.5, 2), 1),
        time_limit=500,
    )


@any_free_pose
def spiral(rng: Rng, corners: int, lane: float) -> Blueprint:
    """Spiral: the agent follows a lane out to the reward. It starts in the middle."""
    points: list[XZ] = [(20 - lane / 2, 20 + lane / 2)]
    for number in range(corners):
        bearing = 90 * (number + 1)
        points.append(polar(*points[-1], bearing, lane * (number // 2 + 1)))
    goal = polar(20, 20, near(rng, 180, 180), near(rng, 16.2, 0.8))
    return task(
        "Find the way out of the spiral and reach the green ball outside.",
        ("navigation", "search"),
        "Follow the lane from turn to turn, then search for the ball outside.",
        agent(20, 20, near(rng, 180, 180)),
        *run(points),
        ball("GoodGoal", *goal, 1),
        time_limit=500,
    )


@any_free_pose
def rings(rng: Rng, radii: tuple[float, ...]) -> Blueprint:
    """Circular labyrinth: rings around the agent, each with one opening. The reward is outside or between."""
    opening = 0
    walls: list[Object] = []
    for radius in radii:
        opening = (opening + int(rng.integers(3, 8))) % 10
        walls += ring(radius, opening)
    goal = polar(20, 20, 36 * opening + near(rng, 180, 70), radii[-1] + 2.6)
    return task(
        "Get out through the openings of the rings and reach the green ball.",
        ("navigation", "detour"),
        "Find the opening of each ring, pass through it, and go around to the ball.",
        agent(20, 20, near(rng, 180, 180)),
        *walls,
        ball("GoodGoal", *goal, 1),
        time_limit=500,
    )


def maze(rng: Rng, count: int, loops: float) -> Blueprint:
    """Maze (Small 1901): `count` cells along each side. `loops` is the share of walls that are left out."""
    rooms = Rooms(rng, count, loops)
    start = (int(rng.integers(count)), 0)
    apart = rooms.distances(start)
    farthest = sorted(apart, key=lambda cell: (apart[cell], cell))
    goal = farthest[-1 - int(rng.integers(2))]
    x, z = rooms.middle(goal)
    return task(
        "Find the way through the maze to the green ball.",
        ("navigation", "search"),
        "Follow the lanes, leave dead ends again, and go on to the ball.",
        agent(*rooms.middle(start), near(rng, 180, 180)),
        *rooms.walls(rng),
        ball("GoodGoal", near(rng, x, 1), near(rng, z, 1), 1),
        time_limit=500,
    )


placed = every(any_pose, but=(platform, yard, detour, wedge, cross, barrier_in_u, cylinder, spiral, rings))
