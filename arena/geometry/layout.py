"""Builds concrete layouts from specifications; makes all random choices of an episode.

The rules are those of Animal-AI's `ArenaBuilders.cs` and `Prefab.cs` (sections 7.1, 7.6, 8.2 and 8.3 of
the behaviour specification): sizes are clipped and multiplied by 0.999, objects stand 0.01 above their
nominal height, up to 20 attempts are made to find a free position for each, and a blocked object is left at
the arena's corner.
"""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from arena.errors import LayoutError
from arena.geometry.ball_sizes import SHRINK, size_at_start
from arena.geometry.placed import AGENT_RADIUS, AgentStart, Layout, Placed, T
from arena.geometry.placement import OccupiedSpace
from arena.geometry.shapes import ARENA_SIZE, box_size, door_part
from arena.scene import SKINS, Vector, yaw_rotation
from arena.taskfile.catalog import KINDS
from arena.taskfile.config import RGB, ArenaSpec, Item, Vector3
from arena.taskfile.kind import Body, Change, Kind, Shape
from arena.taskfile.symbols import DEFAULT, resolved
from arena.taskfile.versions import DIFFERENCES, Differences, Version, kind_named

LIFT = 0.01
"""Height of objects and agents above their nominal height at the start, metres."""

MAX_THINGS = 1000
"""Maximum number of objects in one arena: thousands take minutes. The original battery has up to 155."""

MAX_BLOCKED = 100
"""Maximum number of objects without a free place, which overlap at the arena's corner. Hundreds would take
seconds a step; the original battery has up to 2."""

MAX_GROWING = 100
"""Maximum number of balls that grow or shrink, fruit on trees included: each is built again in every tick."""

ATTEMPTS = 20
AGENT_ATTEMPTS = 100

ZONE_CENTRE_Y = -0.15
"""Height of a zone's centre, whatever its y in the file."""

_RANDOM_VECTOR = Vector3(x=-1.0, y=-1.0, z=-1.0)
_RANDOM_COLOR = RGB(r=-1.0, g=-1.0, b=-1.0)

_ZERO: Vector = (0.0, 0.0, 0.0)


def seed_words(seed: int) -> list[int]:
    """A seed, which may be negative, as words for a NumPy generator."""
    return [abs(seed), int(seed < 0)]


def episode_rng(seed: int, task_id: str, trial: int) -> np.random.Generator:
    """The random generator of an episode; the same three values give the same bits everywhere."""
    words = np.frombuffer(hashlib.sha256(task_id.encode()).digest(), dtype="<u4").tolist()
    return np.random.default_rng([*seed_words(seed), trial, *words])


def resolve(spec: ArenaSpec, rng: np.random.Generator) -> Layout:
    """The concrete layout of a specification; takes all random values from `rng` in file order.

    Raises LayoutError if an agent cannot be placed, there are too many objects, or too many of them find no
    free place.
    """
    return Placer(spec.version, rng).layout(spec)


class Placer:
    """Places agents and objects one by one at free positions."""

    def __init__(self, version: Version, rng: np.random.Generator) -> None:
        self._version = version
        self._differs = DIFFERENCES[version]
        self._rng = rng
        self._occupied = OccupiedSpace()

    def layout(self, spec: ArenaSpec) -> Layout:
        """The layout of an arena. Raises as `resolve` does."""
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
                        f"no free place for {blocked} objects, up to {item.name} {number + 1} of its item; "
                        f"expected at most {MAX_BLOCKED}; give them room or leave some out"
                    )
                if growing > MAX_GROWING:
                    raise LayoutError(
                        f"got {growing} or more balls that grow or shrink, expected at most {MAX_GROWING}; "
                        "leave some out"
                    )

    def things(self, item: Item, number: int) -> tuple[Placed, ...]:
        """The objects of instance `number` of an item: one, or one and its door.

        A blocked object is marked as such and stands at the arena's corner. Raises LayoutError for an unknown
        name.
        """
        try:
            kind = kind_named(item.name, self._version)
        except KeyError:
            raise LayoutError(f"unknown object {item.name!r} in version {self._version}") from None
        whole = self._thing(kind, item, number)
        return (whole, _door(whole)) if kind.shape is Shape.HOUSE else (whole,)

    def _thing(self, kind: Kind, item: Item, number: int) -> Placed:
        for _ in range(ATTEMPTS):
            placed = self._draw(kind, item, number)
            if self._occupied.is_free(placed):
                self._occupied.add(placed)
                color, symbol = self._color(placed), self._symbol(placed)
                return replace(placed, size=_size_at_start(placed), color=color, symbol=symbol)
        symbol = DEFAULT if kind.name == "SignBoard" else ""
        size, corner = _size_at_start(placed), (0.0, kind.corner_height, 0.0)
        return replace(placed, size=size, position=corner, yaw=0.0, blocked=True, symbol=symbol)

    def _agent(self, item: Item) -> AgentStart:
        requested = self._agent_position(item)
        for _ in range(AGENT_ATTEMPTS):
            x, z = (self._coordinate(value, 0.0) for value in (requested.x, requested.z))
            position = (x, max(requested.y, 0.0) + AGENT_RADIUS + LIFT, z)
            # The agent's collider is off while it is placed, so Unity tests a point, not a sphere.
            if self._occupied.is_free_point(position):
                self._occupied.add_ball(position, AGENT_RADIUS)
                return self._agent_at(position, item)
        raise LayoutError(
            f"the agent cannot be placed at x={requested.x:g}, y={requested.y:g}, z={requested.z:g}: an "
            "object is there; move one of them"
        )

    def _agent_position(self, item: Item) -> Vector3:
        choices = item.positions or (_RANDOM_VECTOR,)
        drawn = self._rng.integers(len(choices)) if self._differs.any_agent_position and choices[1:] else 0
        requested = choices[drawn]
        on_edge = any(value in (0, ARENA_SIZE) for value in (requested.x, requested.z))
        return Vector3(x=1.0, y=0.0, z=1.0) if on_edge and self._differs.agent_off_edge else requested

    def _agent_at(self, position: Vector, item: Item) -> AgentStart:
        yaw = _first(item.rotations, -1.0)
        return AgentStart(
            position,
            yaw % 360 if yaw >= 0 else self._rng.uniform(0.0, 360.0),
            _first(item.frozen_agent_delays, 0.0),
            self._skin(_first(item.skins, "random")),
            _first(item.teams, 0),
        )

    def _skin(self, requested: str) -> str:
        """The given skin; a random one, from a separate generator, if it is not one of the three."""
        if requested in SKINS:
            return requested
        return SKINS[int(self._rng.spawn(1)[0].integers(len(SKINS)))]

    def _draw(self, kind: Kind, item: Item, number: int) -> Placed:
        drawn = Placed(kind, _ZERO, _ZERO, 0.0, None, item=item, number=number)
        requested = self._size(drawn)
        x, y, z = (length * stretch for length, stretch in zip(requested, kind.stretch, strict=True))
        position = self._position(drawn, (x, y, z), requested[1])
        yaw = drawn.entry(item.rotations, -1.0)
        if yaw < 0:
            yaw = self._rng.uniform(0.0, 360.0) if kind.random_yaw else 0.0
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
        x, y, z = (self._length(*bounds) for bounds in zip(values, kind.minimum, kind.maximum, strict=True))
        return (x, y, z)

    def _length(self, requested: float, low: float, high: float) -> float:
        if low == high:
            return low
        return self._rng.uniform(low, high) if requested < 0 else min(max(requested, low), high) * SHRINK

    def _position(self, drawn: Placed, size: Vector, asked_height: float) -> Vector:
        kind = drawn.kind
        requested = drawn.entry(drawn.item.positions, _RANDOM_VECTOR)
        width, _, length = box_size(kind.shape, size, kind.fitted)
        x = self._coordinate(requested.x, width / 2)
        z = self._coordinate(requested.z, length / 2)
        return (x, _centre_height(kind, size, max(requested.y, 0.0), asked_height, self._differs), z)

    def _coordinate(self, requested: float, extent: float) -> float:
        if requested < 0:
            return self._rng.uniform(min(extent, ARENA_SIZE / 2), max(ARENA_SIZE - extent, ARENA_SIZE / 2))
        return min(requested, ARENA_SIZE)

    def _color(self, placed: Placed) -> Vector | None:
        kind = placed.kind
        requested = placed.entry(placed.item.colors, _RANDOM_COLOR)
        given = placed.number < len(placed.item.colors)
        if not kind.colourable or not (given or kind.random_color):
            return None
        channels = (requested.r, requested.g, requested.b)
        if self._differs.color_is_whole and min(channels) < 0:
            channels = (-1.0, -1.0, -1.0)
        r, g, b = (self._rng.uniform() if c < 0 else min(c / 255, 1.0) for c in channels)
        return (r, g, b)

    def _symbol(self, placed: Placed) -> str:
        if placed.kind.name != "SignBoard":
            return ""
        return resolved(placed.entry(placed.item.symbol_names, DEFAULT), self._rng)


def _first(values: Sequence[T], otherwise: T) -> T:
    return values[0] if values else otherwise


def _size_at_start(placed: Placed) -> Vector:
    """The size of an object once it is placed; some balls of version 4 are placed with another one."""
    return placed.size if placed.kind.place_diameter is None else size_at_start(placed)


def _centre_height(kind: Kind, size: Vector, bottom: float, requested: float, differs: Differences) -> float:
    if kind.body is Body.ZONE and kind.name != "DataZone":
        return ZONE_CENTRE_Y
    if kind.shape is Shape.TUBE:
        return 0.0
    lift = differs.tree_lift if kind.name == "SpawnerTree" else LIFT
    return bottom + size[1] / 2 + lift + (requested / 2 if kind.based else 0.0)


def _door(house: Placed) -> Placed:
    """The closed door of a placed dispenser or container; it opens as that does."""
    part = door_part(house.size)
    x, y, z = yaw_rotation(house.yaw) @ np.array(part.centre) + np.array(house.position)
    at = (float(x), float(y), float(z))
    door = replace(KINDS["Door"], spawner=house.kind.spawner)
    return replace(house, kind=door, size=part.size, position=at)
