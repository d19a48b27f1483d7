"""A concrete arena: what is built, with nothing random left."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from arena.scene import SKINS, Thing, Vector
from arena.taskfile.config import Item
from arena.taskfile.kind import Body, Kind
from arena.taskfile.versions import Version

T = TypeVar("T")

AGENT_RADIUS = 0.5
"""Radius of the agent's sphere, metres; its YAML size is ignored (section 2.1)."""

_NO_ITEM = Item(name="")


@dataclass(frozen=True, slots=True)
class AgentStart:
    """Where an agent begins: centre in metres, yaw in degrees, how long it is frozen, in seconds.

    `skin` is how others see it, `team` the number that its YAML item gives.
    """

    position: Vector
    yaw: float
    frozen_s: float = 0.0
    skin: str = SKINS[0]
    team: int = 0


@dataclass(frozen=True, slots=True)
class Placed:
    """One object to build: its kind and built size, its centre (metres) and its yaw (degrees).

    `blocked` is True where no free place was found and the object stands at the arena's corner instead.
    `item` and `number` say which instance of which item of the file it is; `symbol` is a sign board's.
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
        """What a camera needs to know of it."""
        moves = self.kind.body is Body.DYNAMIC and not self.kind.is_heavy
        return Thing(self.kind.name, self.size, self.color, moves, self.symbol)

    def setting(self, values: Sequence[T], otherwise: T) -> T:
        """This instance's entry of one of the item's lists, or `otherwise` where the list is shorter."""
        return values[self.number] if self.number < len(values) else otherwise


@dataclass(frozen=True, slots=True)
class Layout:
    """A concrete arena: nothing random is left. `things` are in creation order, which the physics keeps."""

    agents: tuple[AgentStart, ...]
    things: tuple[Placed, ...]
    version: Version = Version.V3

    @property
    def agent(self) -> AgentStart:
        """The first agent."""
        return self.agents[0]
