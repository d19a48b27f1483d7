"""Contact points of bodies: closed form for spheres, clipped faces for polyhedra.

Polyhedra are tested by separating axes. Every part but a ball is a section of four corners along its own z: a
box, a ramp or a wedge of a tunnel. Two of them touch at the points of one's face that lie over a face of the
other, or where an edge crosses an edge; PhysX and Bullet find the same points.
"""

import math
from typing import Annotated

import numpy as np

from arena.geometry.placed import AGENT_RADIUS
from arena.geometry.shapes import ARENA_SIZE, FLOOR_Y
from arena.kernel.compiled import compiled
from arena.kernel.contacts import CONTACT_OFFSET, SAME_NORMAL, gap_to, overlaps
from arena.kernel.motion import STILL_TICKS
from arena.kernel.solver import cross
from arena.kernel.tables import Matrix3, Motion, PartRow, Role, Rows, Table, Triple, record
from arena.scene import Floats, Vector

EDGE_GAIN = 1e-3
"""Minimum gain, metres, of an edge contact over face contacts. Faces bear more steadily."""

PARALLEL = 1e-3
"""Sine of directions below which edges do not cross."""

FLAT = 1 - 1e-9
"""Cosine of normals above which neighbouring sides are one face. An example is the slope of a ramp."""

_MOST_NEW = 40
"""Maximum points added by two parts, or a part and the sides."""

AGENT = -1
"""The role of an agent's body."""

_SLACK = 1e-9
_MOST_CORNERS = 12
_HEAVY, _LOOSE, _BALL = int(Role.HEAVY), int(Role.LOOSE), int(Role.BALL)


class BodyRow:
    """A body that can be touched: agent, immovable world, or thing.

    `role` is a `Role`, -1 for an agent. `own` is its inertia about its `axes`, the columns of its rotation, 0
    for bodies that never turn; the inverse mass and inverse inertia are 0 for those that do not move now. A
    body sleeps once it was `still` for long enough, until something that moves touches it, a heavy one until
    an agent does; one that is `held` hangs in the air. `latest` is its last patch, and `borne` is true if
    something bears it.
    """

    role: int
    mass: float
    friction: float
    own: Triple
    moves: int
    still: int
    held: int
    centre: Triple
    axes: Matrix3
    motion: Motion
    lightness: float
    inertia: Matrix3
    borne: int
    latest: int


class PointRow:
    """A point of contact of two bodies, given by their rows. Further fields are its place on each, the
    normal, which points to `one`, the gap (negative: overlap), and the next point of its patch, or -1."""

    one: int
    other: int
    on_one: Triple
    on_other: Triple
    normal: Triple
    gap: float
    after: int


class SolidRow:
    """A polyhedron in the arena: corners, normals and offsets. Corners are at its -z end and then at its +z
    end; the normals are outward, those of its sides, each from a corner to the next, and of both ends."""

    corners: Annotated[Floats, "f8", (8, 3)]
    normals: Annotated[Floats, "f8", (6, 3)]
    offsets: Annotated[Floats, "f8", 6]


BODY, POINT, SOLID = record(BodyRow), record(PointRow), record(SolidRow)
Bodies = Rows[BodyRow]
Points = Rows[PointRow]


@compiled
def add_point(
    points: Points, made: int, one: int, other: int, normal: Vector, at: Vector, gap: float, on_one: bool
) -> int:
    """Write a point after those `made`; return their number. It is `at` a place on one of the bodies."""
    point = points[made]
    point.one, point.other, point.gap, point.after = one, other, gap, -1
    for k in range(3):
        point.normal[k] = normal[k]
        point.on_one[k] = at[k] + (0.0 if on_one else gap * normal[k])
        point.on_other[k] = at[k] - (gap * normal[k] if on_one else 0.0)
    return made + 1


@compiled
def sphere_touches(
    centre: Vector, radius: float, part: PartRow, one: int, other: int, points: Points, made: int
) -> int:
    """Add the point where a sphere, body `one`, touches a part. The part is one of the `other`."""
    gap, normal = gap_to(part, centre[0], centre[1], centre[2], radius)
    if gap >= CONTACT_OFFSET:
        return made
    at = (centre[0] - normal[0] * radius, centre[1] - normal[1] * radius, centre[2] - normal[2] * radius)
    return add_point(points, made, one, other, normal, at, gap, True)


@compiled
def touch_sides(at: Vector, radius: float, one: int, other: int, points: Points, made: int) -> int:
    """Add the points where a sphere touches the floor and the sides. With radius 0 it is a corner."""
    x, y, z = at
    for gap, nx, ny, nz in (
        (y - FLOOR_Y, 0.0, 1.0, 0.0),
        (x, 1.0, 0.0, 0.0),
        (z, 0.0, 0.0, 1.0),
        (ARENA_SIZE - x, -1.0, 0.0, 0.0),
        (ARENA_SIZE - z, 0.0, 0.0, -1.0),
    ):
        if gap - radius < CONTACT_OFFSET:
            on_one = (x - nx * radius, y - ny * radius, z - nz * radius)
            made = add_point(points, made, one, other, (nx, ny, nz), on_one, gap - radius, True)
    return made


@compiled
def outline(part: PartRow, solid: SolidRow) -> None:
    """Find the corners and faces of a part in the arena."""
    half, axes, centre = part.half, part.axes, part.centre
    for k in range(4):
        edge = part.edges[k]
        if part.is_prism:
            x, y, u, v = edge.x, edge.y, edge.out_x, edge.out_y
        else:
            x, y = half[0] if k in (1, 2) else -half[0], half[1] if k >= 2 else -half[1]
            u, v = (0.0, 1.0 if k == 2 else -1.0) if k in (0, 2) else (1.0 if k == 1 else -1.0, 0.0)
        for n in range(3):
            middle, along = centre[n] + x * axes[0, n] + y * axes[1, n], half[2] * axes[2, n]
            solid.corners[k, n], solid.corners[k + 4, n] = middle - along, middle + along
            solid.normals[k, n] = u * axes[0, n] + v * axes[1, n]
            solid.normals[4, n], solid.normals[5, n] = -axes[2, n], axes[2, n]
    for face in range(6):
        solid.offsets[face] = dot(solid.normals[face], solid.corners[4 if face == 5 else face % 4])


@compiled
def dot(a: Floats, b: Floats) -> float:
    """Return the scalar product."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@compiled
def _farthest_face(of: SolidRow, other: SolidRow) -> tuple[int, float]:
    """Return the face that a polyhedron is farthest beyond, and the distance."""
    best, farthest = 0, -math.inf
    for face in range(6):
        nearest = math.inf
        for corner in range(8):
            nearest = min(nearest, dot(of.normals[face], other.corners[corner]))
        if nearest - of.offsets[face] > farthest:
            best, farthest = face, nearest - of.offsets[face]
    return best, farthest


@compiled
def _direction(solid: SolidRow, number: int) -> Vector:
    """Return an edge's unit direction to the next corner. Number 4 is the polyhedron's own z."""
    start, end = (0, 4) if number == 4 else (number, (number + 1) % 4)
    a, b = solid.corners[start], solid.corners[end]
    x, y, z = b[0] - a[0], b[1] - a[1], b[2] - a[2]
    length = math.sqrt(x * x + y * y + z * z)
    return x / length, y / length, z / length


@compiled
def _extreme(solid: SolidRow, way: Vector) -> tuple[int, float]:
    """Return the corner farthest along a direction, and its distance."""
    best, farthest = 0, -math.inf
    for number in range(8):
        corner = solid.corners[number]
        along = way[0] * corner[0] + way[1] * corner[1] + way[2] * corner[2]
        if along > farthest:
            best, farthest = number, along
    return best, farthest


@compiled
def _edges_cross(
    a: SolidRow,
    b: SolidRow,
    a_box: bool,
    b_box: bool,
    one: int,
    other: int,
    points: Points,
    made: int,
    least: float,
) -> int:
    """Add the point where two edges cross, if farther apart than `least`. There is one edge of each. -1 if
    the two are too far apart to touch."""
    normal = at = (0.0, 0.0, 0.0)
    found = False
    for i in range(5):
        for j in range(5):
            if (a_box and 2 <= i < 4) or (b_box and 2 <= j < 4):
                continue
            u, v = _direction(a, i), _direction(b, j)
            x, y, z = cross(u, v)
            length = math.sqrt(x * x + y * y + z * z)
            if length < PARALLEL:
                continue
            x, y, z = x / length, y / length, z / length
            for way in ((x, y, z), (-x, -y, -z)):
                start, low = _extreme(a, way)
                end, high = _extreme(b, (-way[0], -way[1], -way[2]))
                gap = -high - low
                if gap > least:
                    least, found = gap, True
                    normal = (-way[0], -way[1], -way[2])
                    p, q = a.corners[start], b.corners[end]
                    at = _nearest((p[0], p[1], p[2]), u, (q[0], q[1], q[2]), v)
    if not found:
        return made
    if least >= CONTACT_OFFSET:
        return -1
    return add_point(points, made, one, other, normal, at, least, True)


@compiled
def _nearest(p: Vector, u: Vector, q: Vector, v: Vector) -> Vector:
    """Return one line's nearest point to another. The lines go through p along u and through q along v."""
    x, y, z = q[0] - p[0], q[1] - p[1], q[2] - p[2]
    uv = u[0] * v[0] + u[1] * v[1] + u[2] * v[2]
    pu, pv = x * u[0] + y * u[1] + z * u[2], x * v[0] + y * v[1] + z * v[2]
    s = (pu - uv * pv) / (1.0 - uv * uv)
    return p[0] + s * u[0], p[1] + s * u[1], p[2] + s * u[2]


@compiled
def _face(solid: SolidRow, face: int, corners: Floats) -> None:
    """Write the four corners of a face in order."""
    normals, first, last = solid.normals, face, face + 1
    if face < 4:
        if dot(normals[face], normals[(face + 1) % 4]) > FLAT:
            last += 1
        if dot(normals[face], normals[(face + 3) % 4]) > FLAT:
            first += 3
    for number in range(4):
        end = first if number in (0, 3) else last
        corner = end % 4 + (4 if number >= 2 else 0) if face < 4 else 4 * (face - 4) + number
        for k in range(3):
            corners[number, k] = solid.corners[corner, k]


@compiled
def _clip(polygon: Floats, count: int, at: Floats, outwards: Vector, kept: Floats) -> int:
    """Keep a polygon's part within a plane; return its number of corners. The polygon has `count` corners."""
    made = 0
    for number in range(count):
        here, after = polygon[number], polygon[(number + 1) % count]
        high, next_high = 0.0, 0.0
        for k in range(3):
            high += outwards[k] * (here[k] - at[k])
            next_high += outwards[k] * (after[k] - at[k])
        if high <= _SLACK:
            for k in range(3):
                kept[made, k] = here[k]
            made += 1
        if (high <= _SLACK) != (next_high <= _SLACK):
            share = high / (high - next_high)
            for k in range(3):
                kept[made, k] = here[k] + share * (after[k] - here[k])
            made += 1
    return made


@compiled
def _over_face(
    base: SolidRow, face: int, other: SolidRow, one: int, two: int, is_one: bool, points: Points, made: int
) -> int:
    """Add the corners of a face over a base face. That belongs to `one`, or else to `two`."""
    facing, least, up = 0, math.inf, base.normals[face]
    for number in range(6):
        cosine = dot(other.normals[number], up)
        if cosine < least:
            facing, least = number, cosine
    frame, now, kept = np.empty((4, 3)), np.empty((_MOST_CORNERS, 3)), np.empty((_MOST_CORNERS, 3))
    _face(base, face, frame)
    _face(other, facing, now)
    count = 4
    for number in range(4):
        # Three corners may be in a row, so that only the middle is surely inside.
        p, q, after, last = frame[number], frame[(number + 1) % 4], frame[(number + 2) % 4], frame[number - 1]
        x, y, z = cross((q[0] - p[0], q[1] - p[1], q[2] - p[2]), (up[0], up[1], up[2]))
        inwards = 0.0
        for k in range(3):
            inwards += (x, y, z)[k] * (q[k] + after[k] + last[k] - 3.0 * p[k])
        if inwards > 0.0:
            x, y, z = -x, -y, -z
        length = math.sqrt(x * x + y * y + z * z)
        count = _clip(now, count, p, (x / length, y / length, z / length), kept)
        now, kept = kept, now
    side = -1.0 if is_one else 1.0
    normal = (side * up[0], side * up[1], side * up[2])
    for number in range(count):
        corner = now[number]
        gap = dot(up, corner) - base.offsets[face]
        if gap < CONTACT_OFFSET:
            at = (corner[0], corner[1], corner[2])
            made = add_point(points, made, one, two, normal, at, gap, not is_one)
    return made


@compiled
def polyhedra_touch(
    a: PartRow, b: PartRow, one: int, other: int, points: Points, made: int, solids: Rows[SolidRow]
) -> int:
    """Add the points where a part of `one` touches one of `other`."""
    first, second = solids[0], solids[1]
    outline(a, first)
    outline(b, second)
    face, gap = _farthest_face(first, second)
    if gap >= CONTACT_OFFSET:
        return made
    other_face, other_gap = _farthest_face(second, first)
    if other_gap >= CONTACT_OFFSET:
        return made
    least = max(gap, other_gap) + EDGE_GAIN
    crossed = _edges_cross(first, second, not a.is_prism, not b.is_prism, one, other, points, made, least)
    if crossed != made:
        return max(crossed, made)
    if other_gap > gap + _SLACK:
        return _over_face(second, other_face, first, one, other, False, points, made)
    return _over_face(first, face, second, one, other, True, points, made)


@compiled
def find_points(bodies: Bodies, first: int, parts: Table, points: Points) -> tuple[int, bool]:
    """Write the points where moving bodies touch; return their number. It is -1 if they do not fit. Also
    returns whether a body has woken, whose own points are not among them."""
    made, ground, solids = 0, first - 1, np.empty(2, SOLID)
    for row in range(ground):
        at = bodies[row].centre
        place = (at[0], at[1], at[2])
        for other in range(row + 1, ground):
            made = _agents_touch(place, AGENT_RADIUS, bodies[other], row, other, points, made)
        made = _sphere_touches(place, AGENT_RADIUS, row, -1, bodies, first, parts, points, made)
        if made < 0:
            return -1, False
    for number in range(len(parts)):
        ball = parts[number]
        if ball.role == _BALL:
            at, row = ball.centre, first + ball.owner
            place = (at[0], at[1], at[2])
            made = _sphere_touches(place, ball.rounding, row, number, bodies, first, parts, points, made)
    for number in range(len(parts)):
        part = parts[number]
        if part.role <= _LOOSE:
            made = _polyhedron_touches(part, number, bodies, first, parts, points, made, solids)
    woke = False
    for point in points[: max(made, 0)]:
        woke = _wake(bodies[point.one], bodies[point.other]) or woke
        woke = _wake(bodies[point.other], bodies[point.one]) or woke
    return made, woke


@compiled
def _wake(mover: BodyRow, sleeper: BodyRow) -> bool:
    """Wake a body touched by one that moves. A heavy one only wakes for an agent."""
    heavy = sleeper.role == _HEAVY and mover.role != AGENT
    if sleeper.still < STILL_TICKS or heavy or not mover.moves or mover.still > 0:
        return False
    sleeper.moves, sleeper.still = 1, 0
    return True


@compiled
def _sphere_touches(
    at: Vector,
    radius: float,
    row: int,
    number: int,
    bodies: Bodies,
    first: int,
    parts: Table,
    points: Points,
    made: int,
) -> int:
    """Add the points of an agent (number -1) or ball. It touches the ground and parts, including balls after
    it. -1 if they may not fit."""
    if made < 0 or made > len(points) - _MOST_NEW:
        return -1
    moves, start = bodies[row].moves, made
    if moves:
        made = touch_sides(at, radius, row, first - 1, points, made)
    for other in range(len(parts)):
        part = parts[other]
        neighbour = first + part.owner
        if part.role > _BALL or (part.role == _BALL and other <= number):
            continue
        if not (moves or bodies[neighbour].moves):
            continue
        before = made
        made = sphere_touches(at, radius, part, row, neighbour, points, made)
        if made > before:
            made = _distinct(points, start, before)
            if made > len(points) - _MOST_NEW:
                return -1
    return made


@compiled
def _distinct(points: Points, start: int, last: int) -> int:
    """Drop the farther of a sphere's last point and its equivalent. The earlier one, from `start` on, touches
    the same body in the same direction. Returns the number of points."""
    new = points[last]
    for number in range(start, last):
        old = points[number]
        if old.other == new.other and dot(old.normal, new.normal) > SAME_NORMAL:
            if new.gap < old.gap:
                points[number] = new
            return last
    return last + 1


@compiled
def _polyhedron_touches(
    part: PartRow,
    number: int,
    bodies: Bodies,
    first: int,
    parts: Table,
    points: Points,
    made: int,
    solids: Rows[SolidRow],
) -> int:
    """Add the contact points of a part that is no ball. They are with the ground and later parts; -1 if they
    may not fit."""
    if made < 0 or made > len(points) - _MOST_NEW:
        return -1
    row = first + part.owner
    moves = bodies[row].moves
    if moves:
        made = _touch_ground(part, row, first - 1, points, made, solids[0])
    for after in range(number + 1, len(parts)):
        if made > len(points) - _MOST_NEW:
            return -1
        other = parts[after]
        neighbour = first + other.owner
        if other.role > _LOOSE or neighbour == row or not (moves or bodies[neighbour].moves):
            continue
        if _reaches(part, other) and _reaches(other, part):
            made = polyhedra_touch(part, other, row, neighbour, points, made, solids)
    return made


@compiled
def _agents_touch(
    at: Vector, radius: float, other: BodyRow, one: int, two: int, points: Points, made: int
) -> int:
    """Add the point at which two agents touch."""
    x, y, z = at[0] - other.centre[0], at[1] - other.centre[1], at[2] - other.centre[2]
    apart = math.sqrt(x * x + y * y + z * z)
    gap = apart - 2 * radius
    if gap >= CONTACT_OFFSET or apart == 0.0:
        return made
    normal = (x / apart, y / apart, z / apart)
    on_one = (at[0] - normal[0] * radius, at[1] - normal[1] * radius, at[2] - normal[2] * radius)
    return add_point(points, made, one, two, normal, on_one, gap, True)


@compiled
def _touch_ground(part: PartRow, row: int, ground: int, points: Points, made: int, solid: SolidRow) -> int:
    """Add the points where a part touches the floor and the sides."""
    centre, reach = part.centre, part.radius + CONTACT_OFFSET
    if (
        centre[1] - FLOOR_Y >= reach
        and reach <= min(centre[0], centre[2])
        and max(centre[0], centre[2]) <= ARENA_SIZE - reach
    ):
        return made
    outline(part, solid)
    for number in range(8):
        corner = solid.corners[number]
        made = touch_sides((corner[0], corner[1], corner[2]), 0.0, row, ground, points, made)
    return made


@compiled
def _reaches(part: PartRow, other: PartRow) -> bool:
    """Return whether a part reaches into the ball around another."""
    at = other.centre
    return overlaps(part, at[0], at[1], at[2], other.radius + CONTACT_OFFSET)
