"""From what was asked to what is built: every random choice of an episode is made here.

The rules are those of Animal-AI's `ArenaBuilders.cs` and `Prefab.cs` (sections 7.1, 7.6, 8.2 and 8.3 of
the behaviour specification): sizes are clipped and times 0.999, objects stand 0.01 above their nominal
height, each has up to 20 attempts to find a free place, and one whose place is blocked is left at the
arena's corner.
"""

import hashlib
from dataclasses import dataclass, replace

import numpy as np

from arena.catalog import ALIASES, KINDS, Body, Kind, Shape
from arena.config import RGB, ArenaSpec, Item, Vector3
from arena.errors import LayoutError
from arena.placement import Placements
from arena.scene import Thing, Vector
from arena.shapes import ARENA_SIZE, BARS, half_extents

SHRINK = 0.999
"""Factor on every size that is given, so that flush objects do not overlap."""

LIFT = 0.01
"""Objects and agent start this far above their nominal height, metres."""

MAX_THINGS = 1000
"""More in one arena are refused: thousands take minutes to place. The original battery has up to 156."""

ATTEMPTS = 20
AGENT_ATTEMPTS = 100

AGENT_RADIUS = 0.5
ZONE_CENTRE_Y = -0.15
"""Height of a zone's centre, whatever the YAML's y."""

RANDOM_HEIGHT = 100.0
"""v3.1.3: a y of exactly -1 is uniform in 0 to 100."""

_RANDOM_VECTOR = Vector3(x=-1.0, y=-1.0, z=-1.0)
_RANDOM_COLOR = RGB(r=-1.0, g=-1.0, b=-1.0)

_BLOCKED_HEIGHT = {Shape.BALL: 0.5} | dict.fromkeys(BARS, 1.0)
_BLOCKED_HEIGHT_BY_NAME = {"Wall": 2.5, "WallTransparent": 2.5, "LightBlock": 0.5}


@dataclass(frozen=True, slots=True)
class AgentStart:
    """Where the agent begins: centre in metres, yaw in degrees, and how long it is frozen, in seconds."""

    position: Vector
    yaw: float
    frozen_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Placed:
    """One object to build: its kind and built size, its centre (metres) and its yaw (degrees).

    `blocked` is True where no free place was found and the object stands at the arena's corner instead.
    """

    kind: Kind
    size: Vector
    position: Vector
    yaw: float
    color: Vector | None
    blocked: bool = False

    @property
    def thing(self) -> Thing:
        """What a camera needs to know of it."""
        return Thing(
            self.kind.name, self.size, self.color, self.kind.body is Body.DYNAMIC and not self.kind.is_heavy
        )


@dataclass(frozen=True, slots=True)
class Layout:
    """A concrete arena: nothing random is left. `things` are in creation order, which the physics keeps."""

    agent: AgentStart
    things: tuple[Placed, ...]


def episode_rng(seed: int, task_id: str, trial: int) -> np.random.Generator:
    """The one random generator of an episode; the same three values give the same bits everywhere."""
    words = np.frombuffer(hashlib.sha256(task_id.encode()).digest(), dtype="<u4")
    return np.random.default_rng(np.random.SeedSequence([abs(seed), int(seed < 0), trial, *map(int, words)]))


def resolve(spec: ArenaSpec, rng: np.random.Generator) -> Layout:
    """Turn a spec into a concrete layout, drawing every random value from `rng` in file order.

    Raises LayoutError where not even the agent can be placed, or where there are too many things.
    """
    asked = sum(item.instances for item in spec.items)
    if asked > MAX_THINGS:
        raise LayoutError(
            f"got {asked} objects, expected at most {MAX_THINGS}; shorten the lists of its items"
        )
    agent_item = next((item for item in spec.items if item.name == "Agent"), None)
    placements = Placements()
    agent = _place_agent(agent_item, placements, rng) if agent_item else None
    things = tuple(
        _place(item, index, placements, rng)
        for item in spec.items
        if item.name != "Agent"
        for index in range(item.instances)
    )
    return Layout(agent or _place_agent(None, placements, rng), things)


def _entry(values: tuple, index: int, missing):  # type: ignore[no-untyped-def,type-arg]
    return values[index] if index < len(values) else missing


def _place_agent(item: Item | None, placements: Placements, rng: np.random.Generator) -> AgentStart:
    asked = _entry(item.positions, 0, _RANDOM_VECTOR) if item else _RANDOM_VECTOR
    yaw = _entry(item.rotations, 0, -1.0) if item else -1.0
    frozen = _entry(item.frozen_agent_delays, 0, 0.0) if item else 0.0
    for _ in range(AGENT_ATTEMPTS):
        x, z = (_coordinate(value, 0.0, rng) for value in (asked.x, asked.z))
        position = (x, max(asked.y, 0.0) + AGENT_RADIUS + LIFT, z)
        # The agent's collider is off while it is placed, so Unity tests a point, not a sphere.
        if placements.is_free_point(position):
            placements.add_ball(position, AGENT_RADIUS)
            return AgentStart(position, yaw % 360 if yaw >= 0 else rng.uniform(0.0, 360.0), frozen)
    raise LayoutError(
        f"the agent cannot be placed at x={asked.x:g}, y={asked.y:g}, z={asked.z:g}: an object is there; "
        "move one of them"
    )


def _place(item: Item, index: int, placements: Placements, rng: np.random.Generator) -> Placed:
    kind = KINDS[ALIASES.get(item.name, item.name)]
    for _ in range(ATTEMPTS):
        placed = _draw(kind, item, index, rng)
        if placements.is_free(placed):
            placements.add(placed)
            return replace(placed, color=_color(kind, item, index, rng))
    height = _BLOCKED_HEIGHT_BY_NAME.get(kind.name, _BLOCKED_HEIGHT.get(kind.shape, 0.0))
    return replace(placed, position=(0.0, height, 0.0), yaw=0.0, color=None, blocked=True)


def _draw(kind: Kind, item: Item, index: int, rng: np.random.Generator) -> Placed:
    size = _size(kind, _entry(item.sizes, index, _RANDOM_VECTOR), rng)
    position = _position(kind, size, _entry(item.positions, index, _RANDOM_VECTOR), rng)
    yaw = _entry(item.rotations, index, -1.0)
    if yaw < 0:
        yaw = rng.uniform(0.0, 360.0) if kind.random_yaw else 0.0
    return Placed(kind, size, position, yaw, None)


def _size(kind: Kind, asked: Vector3, rng: np.random.Generator) -> Vector:
    values = (asked.x, asked.y, asked.z)
    if kind.is_goal:
        diameter = _length(-1.0 if min(values) < 0 else asked.x, kind.minimum[0], kind.maximum[0], rng)
        return (diameter, diameter, diameter)
    x, y, z = (_length(*bounds, rng) for bounds in zip(values, kind.minimum, kind.maximum, strict=True))
    return (x, y, z)


def _length(asked: float, low: float, high: float, rng: np.random.Generator) -> float:
    return rng.uniform(low, high) if asked < 0 else min(max(asked, low), high) * SHRINK


def _position(kind: Kind, size: Vector, asked: Vector3, rng: np.random.Generator) -> Vector:
    extent = half_extents(kind.shape, size)
    x = _coordinate(asked.x, extent[0], rng)
    bottom = rng.uniform(0.0, RANDOM_HEIGHT) if asked.y == -1 else max(asked.y, 0.0)
    z = _coordinate(asked.z, extent[2], rng)
    if kind.body is Body.ZONE:
        return (x, ZONE_CENTRE_Y, z)
    return (x, 0.0 if kind.shape is Shape.TUBE else bottom + size[1] / 2 + LIFT, z)


def _coordinate(asked: float, extent: float, rng: np.random.Generator) -> float:
    if asked < 0:
        return rng.uniform(min(extent, ARENA_SIZE / 2), max(ARENA_SIZE - extent, ARENA_SIZE / 2))
    return min(asked, ARENA_SIZE)


def _color(kind: Kind, item: Item, index: int, rng: np.random.Generator) -> Vector | None:
    if not kind.colourable:
        return None
    asked = _entry(item.colors, index, _RANDOM_COLOR)
    r, g, b = (rng.uniform() if c < 0 else min(c / 255, 1.0) for c in (asked.r, asked.g, asked.b))
    return (r, g, b)
