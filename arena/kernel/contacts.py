"""Contacts of a sphere among resting parts, and nearest points of parts. Closed form, as in PhysX."""

import math

from arena import scene
from arena.action import TICK_S
from arena.geometry.placed import AGENT_RADIUS
from arena.geometry.shapes import ARENA_SIZE, FLOOR_Y
from arena.kernel.compiled import compiled
from arena.kernel.tables import MOST_CONTACTS, Contacts, Ints, PartRow, Role, Table
from arena.scene import Vector
from arena.taskfile.kind import DEFAULT_FRICTION, GRAVITY

AGENT_MASS = 100.0

CONTACT_OFFSET = 0.02
"""Gap, metres, below which two colliders touch. PhysX adds their contact offsets of 0.01."""

REACH = AGENT_RADIUS + CONTACT_OFFSET
"""Distance, metres, from the agent's centre within which it touches a body."""

SAME_NORMAL = 0.99
"""Cosine of normals above which points of a body are one contact."""

FALL = GRAVITY * TICK_S
"""Velocity that gravity adds in one tick, m/s."""

_FIXED, _HEAVY, _BALL = int(Role.FIXED), int(Role.HEAVY), int(Role.BALL)
_ZONE, _BOUNDARY_WALL = int(Role.ZONE), int(Role.BOUNDARY)
_FIRST, _BOUNDARY, _LAST = range(3)
"""PhysX's order: movable bodies, the floor and the boundary, other fixed bodies."""

sin_cos = compiled(scene.sin_cos)


@compiled
def local(part: PartRow, x: float, y: float, z: float) -> Vector:
    """Return a direction in the frame of a part."""
    axes = part.axes
    return (
        axes[0, 0] * x + axes[0, 1] * y + axes[0, 2] * z,
        axes[1, 0] * x + axes[1, 1] * y + axes[1, 2] * z,
        axes[2, 0] * x + axes[2, 1] * y + axes[2, 2] * z,
    )


@compiled
def point_in(part: PartRow, x: float, y: float, z: float) -> Vector:
    """Return a point of the arena in the frame of a part."""
    centre = part.centre
    return local(part, x - centre[0], y - centre[1], z - centre[2])


@compiled
def beyond(value: float, half: float) -> float:
    """Return a coordinate's signed distance outside -half to half; 0 inside."""
    return value - half if value > half else value + half if value < -half else 0.0


@compiled
def away(part: PartRow, a: float, b: float, c: float) -> Vector:
    """Return the vector from a part's nearest point to a given point. The point is in the part's frame; the
    part's rounding is ignored."""
    half = part.half
    if not part.is_prism:
        return beyond(a, half[0]), beyond(b, half[1]), beyond(c, half[2])
    nearest, p, q = math.inf, 0.0, 0.0
    for edge in part.edges:
        if edge.out_x * a + edge.out_y * b > edge.offset:
            x, y = a - edge.x, b - edge.y
            along = min(max(x * edge.u + y * edge.v, 0.0), edge.length)
            x, y = x - along * edge.u, y - along * edge.v
            if x * x + y * y < nearest:
                nearest, p, q = x * x + y * y, x, y
    return p, q, beyond(c, half[2])


@compiled
def way_out(part: PartRow, a: float, b: float, c: float) -> tuple[float, float, float, float]:
    """Return the nearest face's unit vector, and minus the distance to it. The point is inside the part."""
    half = part.half
    across, end = half[0] - abs(a), half[2] - abs(c)
    p, q = math.copysign(1.0, a), 0.0
    if not part.is_prism:
        if half[1] - abs(b) < across:
            across, p, q = half[1] - abs(b), 0.0, math.copysign(1.0, b)
    else:
        across = math.inf
        for edge in part.edges:
            depth = edge.offset - edge.out_x * a - edge.out_y * b
            if depth < across:
                across, p, q = depth, edge.out_x, edge.out_y
    if end < across:
        return 0.0, 0.0, math.copysign(1.0, c), -end
    return p, q, 0.0, -across


@compiled
def gap_to(part: PartRow, x: float, y: float, z: float, radius: float) -> tuple[float, Vector]:
    """Return gap and normal between a sphere and a part. The gap is negative for an overlap, and infinite if
    they do not touch; the normal points to the sphere."""
    if not _is_near(part, x, y, z, radius + CONTACT_OFFSET):
        return math.inf, (0.0, 0.0, 0.0)
    a, b, c = point_in(part, x, y, z)
    p, q, r = away(part, a, b, c)
    reach = radius + CONTACT_OFFSET + part.rounding
    square = p * p + q * q + r * r
    if square >= reach * reach:
        return math.inf, (0.0, 0.0, 0.0)
    if square == 0.0:
        p, q, r, distance = way_out(part, a, b, c)
    else:
        distance = math.sqrt(square)
        p, q, r = p / distance, q / distance, r / distance
    axes = part.axes
    return distance - part.rounding - radius, (
        p * axes[0, 0] + q * axes[1, 0] + r * axes[2, 0],
        p * axes[0, 1] + q * axes[1, 1] + r * axes[2, 1],
        p * axes[0, 2] + q * axes[1, 2] + r * axes[2, 2],
    )


@compiled
def find_contacts(
    parts: Table, ball: int, radius: float, x: float, y: float, z: float, found: Contacts
) -> int:
    """Write a sphere's contacts into `found`, in PhysX's order; return their number.

    It is the agent's, with `ball` -1, or that of a ball, given by its owner. -1 if it touches something that
    moves, or more than fit; the agent eats balls, and for a ball walls and ramps are immovable.
    """
    count = _boundary(x, y, z, radius, found)
    for part in parts:
        if part.role == _ZONE or part.role == _BOUNDARY_WALL or part.owner == ball:
            continue
        gap, normal = gap_to(part, x, y, z, radius)
        if gap >= CONTACT_OFFSET:
            continue
        limit = _limit(part, ball, y - normal[1] * radius)
        if limit == 0.0 or count == MOST_CONTACTS:
            return -1
        group = _LAST if part.role == _FIXED else _FIRST
        contact = found[_place(found, count, group, part.owner, gap)]
        contact.normal[0], contact.normal[1], contact.normal[2] = normal
        contact.friction, contact.limit = part.friction, limit
        contact.mass_ratio = AGENT_MASS / part.mass if part.role == _BALL else 0.0
        for k in range(3):
            contact.surface[k] = contact.surface_before[k] = part.motion[0, k]
        if group == _FIRST:
            contact.surface_before[1] -= FALL
        count += 1
    return _distinct(found, count)


@compiled
def touched(parts: Table, x: float, y: float, z: float, owners: Ints) -> int:
    """Write the balls and zones that the agent touches; return their number. `owners` has one place for each
    part and gets indices. A zone's is minus its index, less 1."""
    count = 0
    for part in parts:
        if part.role == _BALL:
            centre, reach = part.centre, REACH + part.rounding
            a, b, c = centre[0] - x, centre[1] - y, centre[2] - z
            if a * a + c * c + b * b < reach * reach:
                owners[count] = part.owner
                count += 1
        elif part.role == _ZONE and overlaps(part, x, y, z, AGENT_RADIUS):
            owners[count] = -1 - part.owner
            count += 1
    return count


@compiled
def reached(
    parts: Table, x: float, y: float, z: float, reach: float, first: int, last: int, owners: Ints
) -> int:
    """Write the owners of a sphere's overlapped parts; return their number. The parts have a role from
    `first` to `last`. `owners` has one place for each part."""
    count = 0
    for part in parts:
        if first <= part.role <= last and overlaps(part, x, y, z, reach):
            owners[count] = part.owner
            count += 1
    return count


@compiled
def overlaps(part: PartRow, x: float, y: float, z: float, reach: float) -> bool:
    """Return whether a sphere of radius `reach` overlaps a part."""
    if not _is_near(part, x, y, z, reach):
        return False
    a, b, c = point_in(part, x, y, z)
    p, q, r = away(part, a, b, c)
    reach += part.rounding
    return bool(p * p + q * q + r * r < reach * reach)


@compiled
def _is_near(part: PartRow, x: float, y: float, z: float, reach: float) -> bool:
    """Return whether a sphere of radius `reach` meets a part's bounding ball."""
    centre, radius = part.centre, part.radius + reach
    x, y, z = x - centre[0], y - centre[1], z - centre[2]
    return bool(x * x + y * y + z * z < radius * radius)


@compiled
def _limit(part: PartRow, ball: int, y: float) -> float:
    """Return the horizontal impulse (N s) per tick that a part withstands.

    It acts at a height (metres). It is 0 if any may move the part. A share (`hold`) of the weight's is
    bounded by the friction with the floor and, against tipping, the weight.
    """
    if part.role == _FIXED or part.role == (_BALL if ball < 0 else _HEAVY):
        return math.inf
    if part.role != _HEAVY:
        return 0.0
    lever = max(y - part.bottom, CONTACT_OFFSET)
    return part.hold * min(part.slide, part.arm / lever)


@compiled
def _boundary(x: float, y: float, z: float, radius: float, found: Contacts) -> int:
    """Write contacts with the floor and the arena's sides; return their number."""
    count = 0
    for side, (gap, nx, ny, nz) in enumerate(
        (
            (y - FLOOR_Y, 0.0, 1.0, 0.0),
            (x, 1.0, 0.0, 0.0),
            (z, 0.0, 0.0, 1.0),
            (ARENA_SIZE - x, -1.0, 0.0, 0.0),
            (ARENA_SIZE - z, 0.0, 0.0, -1.0),
        )
    ):
        gap -= radius
        if gap < CONTACT_OFFSET:
            contact = found[_place(found, count, _BOUNDARY, side, gap)]
            contact.normal[0], contact.normal[1], contact.normal[2] = nx, ny, nz
            contact.friction, contact.limit, contact.mass_ratio = DEFAULT_FRICTION, math.inf, 0.0
            for k in range(3):
                contact.surface[k] = contact.surface_before[k] = 0.0
            count += 1
    return count


@compiled
def _place(found: Contacts, count: int, group: int, owner: int, gap: float) -> int:
    """Insert a contact by group, owner and gap; return its position."""
    place = count
    while place > 0:
        other = found[place - 1]
        if (other.group, other.owner, other.gap) <= (group, owner, gap):
            break
        found[place] = other
        place -= 1
    contact = found[place]
    contact.group, contact.owner, contact.gap = group, owner, gap
    return place


@compiled
def _distinct(found: Contacts, count: int) -> int:
    """Keep the nearest contact per thing and direction; return the number."""
    kept = 0
    for number in range(count):
        contact = found[number]
        normal, new = contact.normal, True
        for before in range(kept):
            other = found[before]
            axis = other.normal
            cosine = normal[0] * axis[0] + normal[2] * axis[2] + normal[1] * axis[1]
            if other.group == contact.group and other.owner == contact.owner and cosine > SAME_NORMAL:
                new = False
        if new:
            found[kept] = contact
            kept += 1
    return kept
