"""Builds concrete layouts from specifications by drawing an episode's random choices.

The rules are those of Animal-AI's `ArenaBuilders.cs` and `Prefab.cs` (animal-ai-unity at revision 0739f7f):
sizes are clipped and multiplied by 0.999, objects stand 0.01 above their nominal height, up to 20 attempts
are made to find a free position for each, and a blocked object is left at the arena's corner.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from math import cos, hypot, radians, sin
from typing import NamedTuple

import numpy as np

from arena.errors import LayoutError
from arena.geometry.placed import AGENT_RADIUS, SHRINK, AgentStart, Layout, Placed, T, size_at_start
from arena.geometry.shapes import (
    ARENA_SIZE,
    BOARD_SIZE,
    FLOOR_Y,
    TUBE_INNER,
    Part,
    box_size,
    door_part,
    lamp_centre,
    parts_of,
    ring,
    segment_parts,
)
from arena.scene import SKINS, Floats, Vector, rotated, yaw_rotation
from arena.seeds import Chance, chance_of
from arena.taskfile.catalog import KINDS
from arena.taskfile.config import RGB, ArenaSpec, Item, Vector3
from arena.taskfile.kind import Body, Change, Kind, Shape
from arena.taskfile.symbols import DEFAULT, resolved
from arena.taskfile.versions import DIFFERENCES, Differences, Version, kind_named

NEAR_FLOOR = 0.05
"""Height, metres, below which an object's bottom falls to the floor; it rests there after falling 0.02."""

_REACH = (-0.05, 0.03)
"""Range of a supporting top's height above a bottom, metres. It is due to the lift and the factor 0.999."""

_SIDE = np.linspace(-0.5, 0.5, 13)
_FOOTPRINT = np.array([(x, 0.0, z) for z in _SIDE for x in _SIDE])
"""The sampled points of the base of a thing of size 1."""


_HANGING = ("DarkLamp", "LitLamp", "Segment")
"""Parts of the laboratory's machines and meters."""


def resting_heights(things: Sequence[Placed]) -> dict[int, float]:
    """Return the resting height (metres) of each stably supported centre, by index.

    A thing is stable if it stands on the floor, or if its centre is inside the convex hull of the points at
    which stable things support it. Loads on top are ignored; balls and zones support nothing, nor do lamps
    and segments, which hang.
    """
    solid = [
        i
        for i, placed in enumerate(things)
        if not (placed.blocked or placed.kind.is_goal or placed.kind.body is Body.ZONE)
        and placed.kind.name not in _HANGING
    ]
    drops: dict[int, float] = {i: 0.0 for i in solid if things[i].kind.shape is Shape.TUBE}
    for index in sorted(solid, key=lambda i: (_bottom(things[i]), i)):
        if index not in drops:
            drop = _drop(index, things, drops)
            if drop is not None:
                drops[index] = drop
    return {index: things[index].position[1] - drop for index, drop in drops.items()}


def at_rest(placed: Placed, height: float | None) -> Placed:
    """Return a heavy thing at its resting height (metres). Other things are unchanged."""
    if height is None or not placed.kind.is_heavy:
        return placed
    return replace(placed, position=(placed.position[0], height, placed.position[2]))


def _bottom(placed: Placed) -> float:
    return placed.position[1] - placed.size[1] / 2


def _drop(index: int, things: Sequence[Placed], drops: dict[int, float]) -> float | None:
    """Return the distance that a thing falls onto its supports, metres. None if it is not stable."""
    placed = things[index]
    bottom = _bottom(placed)
    if bottom <= NEAR_FLOOR:
        return bottom - FLOOR_Y
    points = _footprint(placed)
    carried = np.zeros(len(points), dtype=np.bool_)
    drop = np.inf
    for other, lowered in drops.items():
        gap = _top_under(things[other], points) - bottom
        here = (gap > _REACH[0]) & (gap < _REACH[1])
        if here.any():
            carried |= here
            drop = min(drop, lowered - float(gap[here].max()))
    return drop if _surrounds(points[carried] - np.array([placed.position[0], placed.position[2]])) else None


def _footprint(placed: Placed) -> Floats:
    """Return sampled points (n, 2) of a thing's base, metres. They are x and z."""
    world = rotated(_FOOTPRINT * placed.size, yaw_rotation(placed.yaw)) + np.array(placed.position)
    return np.asarray(world[:, [0, 2]])


def _top_under(support: Placed, points: Floats) -> Floats:
    """Return height (n,) of a support's upper face at points (n, 2). Minus infinity outside it. A tunnel
    supports along its crest, an L, J or U block on the box of its long bar."""
    middle = np.array(support.position)
    away = np.column_stack([points[:, 0] - middle[0], np.zeros(len(points)), points[:, 1] - middle[2]])
    local = rotated(away, yaw_rotation(-support.yaw))
    half = np.array(support.size) / 2
    across, along = local[:, 0] / half[0], local[:, 2] / half[2]
    inside = (np.abs(across) <= 1) & (np.abs(along) <= 1)
    rise = {Shape.PRISM: -along, Shape.TUBE: np.sqrt(np.maximum(0.0, 1 - across**2))}
    return np.where(inside, middle[1] + half[1] * rise.get(support.kind.shape, 1.0), -np.inf)


def _surrounds(points: Floats) -> bool:
    """Return whether the convex hull of points (n, 2) contains the origin."""
    if len(points) == 0:
        return False
    if (np.abs(points) < 1e-6).all(axis=1).any():
        return True
    angles = np.sort(np.arctan2(points[:, 1], points[:, 0]))
    return bool(np.diff(np.append(angles, angles[0] + 2 * np.pi)).max() <= np.pi + 1e-9)


_ORIGIN: Vector = (0.0, 0.0, 0.0)

_ACROSS, _UP = ring(1.0, 1.0, 24)[:7].T
"""A quarter of a tunnel of radius 1. With 24 sides the error of a chord is below 1 % of the radius."""

_Bounds = tuple[float, float, float, float]
"""Lowest and highest x, lowest and highest z."""


class _Box(NamedTuple):
    """An upright box in the arena: middle, half lengths, heights and yaw. Half lengths are along its own x
    and z, heights those of bottom and top; the yaw has its cosine and sine."""

    x: float
    z: float
    half_x: float
    half_z: float
    low: float
    high: float
    cos: float
    sin: float

    @property
    def bounds(self) -> _Bounds:
        """Return the bounds along the arena's axes."""
        cos, sin = abs(self.cos), abs(self.sin)
        x, z = cos * self.half_x + sin * self.half_z, sin * self.half_x + cos * self.half_z
        return self.x - x, self.x + x, self.z - z, self.z + z

    def along(self, x: float, z: float) -> tuple[float, float]:
        """Return the components of a vector along its own x and z."""
        return x * self.cos - z * self.sin, x * self.sin + z * self.cos

    def moved(self, x: float, z: float, half_x: float, half_z: float) -> "_Box":
        """Another box in the frame of this one."""
        x, z = x * self.cos + z * self.sin, z * self.cos - x * self.sin
        return _Box(self.x + x, self.z + z, half_x, half_z, *self[4:])

    def overlaps(self, other: "_Box") -> bool:
        """Separating-axis test; touching does not count as overlap."""
        if self.high <= other.low or other.high <= self.low:
            return False
        return not (self._separates(other) or other._separates(self))

    def _separates(self, other: "_Box") -> bool:
        """Return whether its x or z axis separates it from another box."""
        turned = abs(self.cos * other.cos + self.sin * other.sin)
        askew = abs(self.sin * other.cos - self.cos * other.sin)
        half_x = turned * other.half_x + askew * other.half_z
        half_z = askew * other.half_x + turned * other.half_z
        (x, z), (other_x, other_z) = self.along(self.x, self.z), self.along(other.x, other.z)
        return (
            x + self.half_x <= other_x - half_x
            or other_x + half_x <= x - self.half_x
            or z + self.half_z <= other_z - half_z
            or other_z + half_z <= z - self.half_z
        )


_Occupied = tuple[_Bounds, Callable[[_Box], bool]]
"""Bounds of a placed object, and its overlap test for a box."""


class OccupiedSpace:
    """The colliders placed so far; checked before each new object is placed."""

    def __init__(self) -> None:
        self._solids: list[_Occupied] = []
        self._zones: list[_Occupied] = []

    def is_free(self, placed: Placed, scale: float = 1.0) -> bool:
        """Return whether the object's box is inside the boundary and free.

        It may touch, but not overlap, a collider. `scale` is that of spawners. Zones may overlap anything
        except the boundary, and do not block later objects.
        """
        kind = placed.kind
        at_foot = kind.based or kind.spawner is not None or kind.name in ("SpawnerButton", "SignBoard")
        origin = (0.0, -placed.size[1] / 2 if at_foot else 0.0, 0.0)
        box = _box(placed, Part(origin, tested_size(kind, placed.size, scale)))
        left, right, back, front = box.bounds
        if not (left > 0 and right < ARENA_SIZE and back > 0 and front < ARENA_SIZE):
            return False
        return placed.kind.body is Body.ZONE or not _hits(self._solids, box)

    def is_free_point(self, point: Vector) -> bool:
        """Return whether a point within the boundary is outside colliders and zones."""
        x, y, z = point
        inside = 0 <= x <= ARENA_SIZE and 0 <= z <= ARENA_SIZE
        return inside and not _hits(self._solids + self._zones, _Box(x, z, 0.0, 0.0, y, y, 1.0, 0.0))

    def add(self, placed: Placed) -> None:
        """Add an object. Zones only block agents."""
        kind, size = placed.kind, placed.size
        if kind.shape is Shape.BALL:
            self.add_ball(placed.position, size[0] / 2)
        elif kind.body is Body.ZONE:
            zone = _box(placed, Part(_ORIGIN, size))
            self._zones.append((zone.bounds, zone.overlaps))
        else:
            test = {Shape.PRISM: _hits_ramp, Shape.TUBE: _hits_tunnel}.get(kind.shape, _Box.overlaps)
            for part in parts_of(kind.shape, size, kind.fitted) or (Part(_ORIGIN, size),):
                box = _box(placed, part)
                self._solids.append((box.bounds, partial(test, box)))

    def add_ball(self, centre: Vector, radius: float) -> None:
        """Add a ball, or the agent, at `centre` (metres)."""
        x, _, z = centre
        bounds = (x - radius, x + radius, z - radius, z + radius)
        self._solids.append((bounds, partial(_hits_ball, centre, radius)))


def _hits(occupied: Iterable[_Occupied], box: _Box) -> bool:
    left, right, back, front = box.bounds
    return any(
        low_x < right and left < high_x and low_z < front and back < high_z and test(box)
        for (low_x, high_x, low_z, high_z), test in occupied
    )


def tested_size(kind: Kind, size: Vector, scale: float) -> Vector:
    """Return the size (metres) of an object's box for the placement test."""
    if kind.tested is None:
        return box_size(kind.shape, size, kind.fitted)
    x, y, z = kind.tested
    return (scale * x, scale * y, scale * z)


def _box(placed: Placed, part: Part) -> _Box:
    yaw = radians(placed.yaw)
    (x, y, z), (x_size, y_size, z_size) = placed.position, part.size
    middle = y + part.centre[1]
    at = _Box(x, z, 0.0, 0.0, middle - y_size / 2, middle + y_size / 2, cos(yaw), sin(yaw))
    return at.moved(part.centre[0], part.centre[2], x_size / 2, z_size / 2)


def _hits_ball(centre: Vector, radius: float, box: _Box) -> bool:
    x, z = box.along(centre[0] - box.x, centre[2] - box.z)
    above = max(box.low - centre[1], centre[1] - box.high, 0.0)
    return hypot(max(abs(x) - box.half_x, 0.0), above, max(abs(z) - box.half_z, 0.0)) < radius


def _hits_ramp(ramp: _Box, box: _Box) -> bool:
    """Return a ramp's overlap test, for its shape above the box's bottom. A ramp falls towards its +z, so its
    part above the bottom of the box is shorter than its base."""
    share = min((ramp.high - box.low) / (ramp.high - ramp.low), 1.0)
    return ramp.moved(0.0, (share - 1) * ramp.half_z, ramp.half_x, share * ramp.half_z).overlaps(box)


def _hits_tunnel(tunnel: _Box, box: _Box) -> bool:
    """Return a tunnel's overlap test. Its sides within the box's heights meet beyond the hole."""
    middle, radius = (tunnel.low + tunnel.high) / 2, (tunnel.high - tunnel.low) / 2
    nearest = max(box.low - middle, middle - box.high, 0.0)
    farthest = max(box.high - middle, middle - box.low)
    outer = tunnel.half_x * float(np.interp(nearest / radius, _UP, _ACROSS))
    inner = TUBE_INNER * tunnel.half_x * float(np.interp(farthest / radius / TUBE_INNER, _UP, _ACROSS))
    return any(
        tunnel.moved(side * (outer + inner) / 2, 0.0, (outer - inner) / 2, tunnel.half_z).overlaps(box)
        for side in (-1, 1)
    )


LIFT = 0.01
"""Initial height of objects and agents above their nominal height, metres."""

MAX_THINGS = 1000
"""Maximum number of objects in one arena: thousands take minutes. The original battery has up to 155."""

MAX_BLOCKED = 100
"""Maximum number of objects without a free place. They overlap at the arena's corner. Hundreds would take
seconds a step; the original battery has up to 2."""

MAX_GROWING = 100
"""Maximum number of balls that grow or shrink, including fruit on trees. Each is rebuilt in every tick."""

ATTEMPTS = 20
AGENT_ATTEMPTS = 100

ZONE_CENTRE_Y = -0.15
"""Height of a zone's centre, whatever its y in the file."""

_RANDOM_VECTOR = Vector3(x=-1.0, y=-1.0, z=-1.0)
_RANDOM_COLOR = RGB(r=-1.0, g=-1.0, b=-1.0)


def resolve(spec: ArenaSpec, seed: int = 0, task_id: str = "", trial: int = 0) -> Layout:
    """Return the concrete layout of a specification in an episode. Raises LayoutError if an agent cannot be
    placed, there are too many objects, or too many of them find no free place."""
    return Placer(spec.version, chance_of(spec.chance, seed, task_id, trial)).layout(spec)


class Placer:
    """Places agents and objects one by one at free positions."""

    def __init__(self, version: Version, chance: Chance) -> None:
        """All random values are drawn from `chance`, in file order."""
        self._version = version
        self._differs = DIFFERENCES[version]
        self._chance = chance
        self.occupied = OccupiedSpace()

    def layout(self, spec: ArenaSpec) -> Layout:
        """Return the layout of an arena. Raises as `resolve` does."""
        requested = sum(item.instances for item in spec.items)
        if requested > MAX_THINGS:
            raise LayoutError(
                f"got {requested} objects, expected at most {MAX_THINGS}; shorten the lists of its items"
            )
        items = [item for item in spec.items if item.name == "Agent"]
        agents = tuple(self._agent(item) for item in (items if self._differs.several_agents else items[:1]))
        things = tuple(self._all_things(spec))
        return Layout(agents or (self._agent(Item(name="Agent")),), things, self._version)

    def _all_things(self, spec: ArenaSpec) -> Iterator[Placed]:
        blocked = growing = 0
        for item in spec.items:
            for number in range(item.instances if item.name != "Agent" else 0):
                whole, *parts = self.things(item, number)
                yield from (whole, *parts)
                blocked += whole.blocked
                growing += whole.kind.is_growing
                if blocked > MAX_BLOCKED:
                    raise LayoutError(
                        f"no free place for {blocked} objects (last: {item.name} {number + 1} of its item); "
                        f"expected at most {MAX_BLOCKED}; give them room or leave some out"
                    )
                if growing > MAX_GROWING:
                    raise LayoutError(
                        f"got {growing} or more balls that grow or shrink, expected at most {MAX_GROWING}; "
                        "leave some out"
                    )

    def things(self, item: Item, number: int, anywhere: bool = False) -> tuple[Placed, ...]:
        """Place instance `number` of an item; return its objects.

        It is one object, or one and its door, lamps or segments. A blocked object is marked as such and
        stands at the arena's corner; with `anywhere` none is. Raises LayoutError for an unknown name.
        """
        try:
            kind = kind_named(item.name, self._version)
        except KeyError:
            raise LayoutError(f"unknown object {item.name!r} in version {self._version}") from None
        whole = self._thing(kind, item, number, anywhere)
        named = {"Machine": _lamps, "Meter": _segments}
        attached = _door if kind.shape is Shape.HOUSE else named.get(kind.name)
        return (whole, *attached(whole)) if attached else (whole,)

    def _thing(self, kind: Kind, item: Item, number: int, anywhere: bool) -> Placed:
        for _ in range(ATTEMPTS):
            placed = self._draw(kind, item, number)
            if anywhere or self.occupied.is_free(placed, self._scale(placed)):
                self.occupied.add(placed)
                color, symbol = self._color(placed), self._symbol(placed)
                return replace(placed, size=_size_at_start(placed), color=color, symbol=symbol)
        symbol = DEFAULT if "symbol_names" in kind.fields else ""
        size, corner = _size_at_start(placed), (0.0, kind.corner_height, 0.0)
        return replace(placed, size=size, position=corner, yaw=0.0, blocked=True, symbol=symbol)

    def _agent(self, item: Item) -> AgentStart:
        requested, yaw = self._agent_position(item), _first(item.rotations, -1.0)
        for _ in range(AGENT_ATTEMPTS):
            x, z = (self._coordinate(value, 0.0) for value in (requested.x, requested.z))
            heading = yaw % 360 if yaw >= 0 else self._chance.uniform(0.0, 360.0)
            position = (x, max(requested.y, 0.0) + AGENT_RADIUS + LIFT, z)
            # The agent's collider is off while it is placed, so Unity tests a point, not a sphere.
            if self.occupied.is_free_point(position):
                self.occupied.add_ball(position, AGENT_RADIUS)
                return self._at(position, heading, item)
        raise LayoutError(
            f"the agent cannot be placed at x={requested.x:g}, y={requested.y:g}, z={requested.z:g}: an "
            "object is there; move one of them"
        )

    def _agent_position(self, item: Item) -> Vector3:
        first, *others = item.positions or (_RANDOM_VECTOR,)
        if self._differs.agent_off_edge and {first.x, first.z} & {0, ARENA_SIZE}:
            first = Vector3(x=1.0, y=0.0, z=1.0)
        chooses = self._differs.any_agent_position and others
        return (first, *others)[self._chance.below(len(others) + 1) if chooses else 0]

    def _at(self, position: Vector, yaw: float, item: Item) -> AgentStart:
        skin = _first(item.skins, "random")
        if skin not in SKINS:
            skin = SKINS[self._chance.skin(len(SKINS))]
        return AgentStart(position, yaw, _first(item.frozen_agent_delays, 0.0), skin, _first(item.teams, 0))

    def _draw(self, kind: Kind, item: Item, number: int) -> Placed:
        drawn = Placed(kind, _ORIGIN, _ORIGIN, 0.0, None, item=item, number=number)
        requested = self._size(drawn)
        x, y, z = (length * stretch for length, stretch in zip(requested, kind.stretch, strict=True))
        position = self._position(drawn, (x, y, z), requested[1])
        yaw = drawn.entry(item.rotations, -1.0)
        if yaw < 0:
            # A ball that is not launched looks the same from all sides.
            seen = kind.random_yaw and not (kind.is_goal and not kind.launch)
            draw = self._chance.uniform if seen else self._chance.unseen
            yaw = draw(0.0, 360.0 if kind.random_yaw else 0.0)
        return Placed(kind, (x, y, z), position, yaw, None, item=item, number=number)

    def _size(self, drawn: Placed) -> Vector:
        kind = drawn.kind
        if kind.place_diameter is not None:
            return (kind.place_diameter, kind.place_diameter, kind.place_diameter)
        if kind.change is not Change.NONE:
            return size_at_start(drawn)
        requested = drawn.entry(drawn.item.sizes, _RANDOM_VECTOR)
        values = (requested.x, requested.y, requested.z)
        if kind.is_goal:
            length = -1.0 if min(values) < 0 else requested.x
            diameter = self._length(length, kind.minimum[0], kind.maximum[0])
            return (diameter, diameter, diameter)
        if kind.name == "SignBoard" and max(values) < 0:
            return (1.0, 1.0, 1.0)
        if kind.minimum == kind.maximum:
            # In 3.1.3 only a button's missing size, which has no effect, is drawn.
            if self._version.is_4 or kind.shape is Shape.BUTTON:
                for _ in filter(lambda value: value < 0, values):
                    self._chance.unseen(1.0, 1.0)
            return kind.minimum
        x, y, z = (self._length(*bounds) for bounds in zip(values, kind.minimum, kind.maximum, strict=True))
        return (x, y, z)

    def _length(self, requested: float, low: float, high: float) -> float:
        if low == high:
            return low
        return self._chance.uniform(low, high) if requested < 0 else min(max(requested, low), high) * SHRINK

    def _position(self, drawn: Placed, size: Vector, asked_height: float) -> Vector:
        kind = drawn.kind
        requested = drawn.entry(drawn.item.positions, _RANDOM_VECTOR)
        width, _, length = tested_size(kind, size, self._scale(drawn))
        x = self._coordinate(requested.x, width / 2)
        z = self._coordinate(requested.z, length / 2)
        return (x, _centre_height(kind, size, max(requested.y, 0.0), asked_height, self._differs), z)

    def _scale(self, placed: Placed) -> float:
        """Return a spawner's scale for its place. The size has no effect, the usual factor has one."""
        is_given = placed.number < len(placed.item.sizes) or not self._version.is_4
        return SHRINK if placed.kind.spawner and is_given else 1.0

    def _coordinate(self, requested: float, extent: float) -> float:
        if requested < 0:
            return self._chance.uniform(min(extent, ARENA_SIZE / 2), max(ARENA_SIZE - extent, ARENA_SIZE / 2))
        return min(requested, ARENA_SIZE)

    def _color(self, placed: Placed) -> Vector | None:
        kind = placed.kind
        requested = placed.entry(placed.item.colors, _RANDOM_COLOR)
        channels = (requested.r, requested.g, requested.b)
        is_random = min(channels) < 0
        if kind.palette and is_random:
            return kind.palette[placed.number % len(kind.palette)]
        if not kind.colourable or (is_random and not kind.random_color):
            return None
        if self._differs.color_is_whole and is_random:
            channels = (-1.0, -1.0, -1.0)
        r, g, b = (self._chance.uniform() if c < 0 else min(c / 255, 1.0) for c in channels)
        return (r, g, b)

    def _symbol(self, placed: Placed) -> str:
        if "symbol_names" not in placed.kind.fields:
            return ""
        # The original's random pixels follow the clock.
        return resolved(placed.entry(placed.item.symbol_names, DEFAULT), self._chance.rng)


def _first(values: Sequence[T], otherwise: T) -> T:
    return values[0] if values else otherwise


def _size_at_start(placed: Placed) -> Vector:
    """Return the size of an object once it is placed. Some balls of version 4 are placed with another one."""
    return placed.size if placed.kind.place_diameter is None else size_at_start(placed)


def _centre_height(kind: Kind, size: Vector, bottom: float, requested: float, differs: Differences) -> float:
    if kind.body is Body.ZONE and kind.name != "DataZone":
        return ZONE_CENTRE_Y
    if kind.shape is Shape.TUBE:
        return 0.0
    lift = differs.tree_lift if kind.name == "SpawnerTree" else LIFT
    return bottom + size[1] / 2 + lift + (requested / 2 if kind.based else 0.0)


def _door(house: Placed) -> tuple[Placed, ...]:
    """Return the closed door of a placed dispenser or container. It opens as that does."""
    part = door_part(house.size)
    door = replace(KINDS["Door"], spawner=house.kind.spawner)
    return (replace(house, kind=door, size=part.size, position=house.within(part.centre)),)


def _lamps(machine: Placed) -> tuple[Placed, ...]:
    """Return the lamp of a placed machine, lit and dark."""
    kinds = (KINDS["LitLamp"], KINDS["DarkLamp"])
    at = machine.within(lamp_centre(machine.size, kinds[0].maximum))
    return tuple(replace(machine, kind=kind, size=kind.maximum, position=at) for kind in kinds)


def _segments(meter: Placed) -> tuple[Placed, ...]:
    """Return the segments of the three digits on a meter's board."""
    kind, (x, y, z) = KINDS["Segment"], lamp_centre(meter.size, BOARD_SIZE)
    return tuple(
        replace(meter, kind=kind, size=part.size, position=meter.within((x + right, y + up, z - 0.1)))
        for part in segment_parts()
        for right, up, _ in (part.centre,)
    )
