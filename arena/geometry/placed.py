"""Concrete arenas, without randomness, and the sizes of changing balls."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

import numpy as np

from arena.scene import SKINS, Thing, Vector, rotated, yaw_rotation
from arena.taskfile.config import Item
from arena.taskfile.kind import Body, Change, Kind
from arena.taskfile.versions import Version

T = TypeVar("T")

AGENT_RADIUS = 0.5
"""Radius of the agent's sphere, metres; its YAML size is ignored (`AAI3Agent.prefab`)."""

_NO_ITEM = Item(name="")


class AgentStart(NamedTuple):
    """Start of an agent: centre (metres), yaw (degrees), frozen time (seconds). `skin` is its appearance to
    others, `team` the number from its YAML item."""

    position: Vector
    yaw: float
    frozen_s: float = 0.0
    skin: str = SKINS[0]
    team: int = 0


@dataclass(frozen=True, slots=True)
class Placed:
    """An object to build: kind, built size and centre (metres), yaw (degrees).

    `blocked` means that no free position was found, so that it stands at the arena's corner. It is instance
    `number` of an `item` of the file; `symbol` is that of a sign board.
    """

    kind: Kind
    size: Vector
    position: Vector
    yaw: float
    color: Vector | None
    blocked: bool = False
    item: Item = _NO_ITEM
    number: int = 0
    symbol: str = ""

    @property
    def thing(self) -> Thing:
        """The constant properties for cameras."""
        moves = self.kind.body is Body.DYNAMIC and not self.kind.is_heavy
        return Thing(self.kind.name, self.size, self.color, moves, self.symbol)

    @property
    def zone_name(self) -> str:
        """Name of a data zone, "" without one. All instances have the first name of their item."""
        given = self.item.zone_id
        first = given[:1] if isinstance(given, tuple) else () if given is None else (given,)
        return "".join(map(str, first))

    @property
    def is_drawn(self) -> bool:
        """True if cameras see it. A data zone may be invisible, the threshold of a door always is."""
        return self.item.zone_visible or self.kind.name not in ("DataZone", "Threshold")

    def within(self, local: Vector) -> Vector:
        """Convert a point in the object's own frame to the arena's, metres."""
        x, y, z = rotated(local, yaw_rotation(self.yaw)) + np.array(self.position)
        return (float(x), float(y), float(z))

    def entry(self, values: Sequence[T], otherwise: T) -> T:
        """Return this instance's entry in an item's list, or `otherwise` if missing."""
        return values[self.number] if self.number < len(values) else otherwise


class Layout(NamedTuple):
    """A concrete arena. `things` are in creation order, which the physics keeps."""

    agents: tuple[AgentStart, ...]
    things: tuple[Placed, ...]
    version: Version = Version.V3

    @property
    def agent(self) -> AgentStart:
        """The first agent."""
        return self.agents[0]


SHRINK = 0.999
"""Factor on every given size, so that adjacent objects do not overlap."""

SMALLEST_BALL = 0.05
"""Minimum diameter of a growing or shrinking ball, metres. A body has an inertia."""

_MOST = 5.0
"""Maximum value of a ball whose size is constant."""

_LARGEST = 8.0
"""Maximum diameter of a ball that grows or shrinks, metres."""


def changing_values(placed: Placed) -> tuple[float, float]:
    """Initial and final value of a decay, ripen, grow or shrink goal.

    Defaults are 2.5 and 0.5, for a goal that grows 0.5 and 2.5. In v3.1.3 a ripening goal with its new name
    has the defaults 2.5 and 0.5 too; only "AntiDecayGoal" ripens (`ArenaBuilders.cs`). In version 4 decay and
    ripen goals both fall from their initial value, and never rise.
    """
    kind, item = placed.kind, placed.item
    falls = kind.change is Change.FALL
    rising = kind.change is Change.GROW or (item.name.startswith("Anti") and not falls)
    initial, final = (0.5, 2.5) if rising else (2.5, 0.5)
    first, last = placed.entry(item.initial_values, initial), placed.entry(item.final_values, final)
    if not falls:
        return first, last
    first, last = (min(max(value, 0.0), _MOST) for value in (first, last))
    return first, min(first, last)


def size_at_start(placed: Placed) -> Vector:
    """Return a changing goal's built size. Ripening goals have their final value, others the initial."""
    initial, final = changing_values(placed)
    change = placed.kind.change
    largest = _LARGEST if placed.kind.is_growing else _MOST
    diameter = min(max(final if change is Change.RIPEN else initial, SMALLEST_BALL), largest)
    if placed.kind.place_diameter is not None:
        diameter = max(SMALLEST_BALL, SHRINK * diameter)
    return (diameter, diameter, diameter)
