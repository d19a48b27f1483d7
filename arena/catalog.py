"""Every kind of object an arena can hold, as one table of facts.

Numbers are those of Animal-AI v3.1.3 (`Assets/Prefabs` of animal-ai-unity at revision 0739f7f).
Behaviour that follows from them is in `world.py` (bodies) and `rules.py` (rewards).
"""

from dataclasses import dataclass
from enum import Enum

from arena.scene import Vector

DEFAULT_FRICTION = 0.6
"""Static = dynamic friction of Unity's default physics material."""

LOW_FRICTION = 0.25
"""The `LowFriction` material of the pushable boxes."""


HEAVY_KG = 1000.0
"""Bodies of this mass and more (ramps 1000, walls 10000) stand like a rock unless something is wrong."""


class Shape(Enum):
    """The geometry of a kind; vertices and parts are in `arena/shapes.py`."""

    BOX = "box"
    PRISM = "prism"
    TUBE = "tube"
    BALL = "ball"
    L_BARS = "l bars"
    J_BARS = "j bars"
    U_BARS = "u bars"


class Body(Enum):
    """How a kind takes part in the physics."""

    STATIC = "static"
    DYNAMIC = "dynamic"
    ZONE = "zone"


class Ends(Enum):
    """When touching a goal or entering a zone ends the episode."""

    NEVER = "never"
    ALWAYS = "always"
    LAST = "last"
    """Only if it is the last of the arena's good goals."""


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of object.

    `minimum` and `maximum` bound the YAML size per component (metres). `reward` multiplies a goal's
    diameter; a death zone's is the reward itself. `launch` is the speed in m/s that a ball has along
    its own forward direction at the start. `colourable` kinds take the YAML colour, or a random one
    where none is given; `random_yaw` False means that a missing rotation counts as 0.
    """

    name: str
    shape: Shape
    body: Body
    minimum: Vector
    maximum: Vector
    mass: float = 0.0
    friction: float = DEFAULT_FRICTION
    colourable: bool = False
    transparent: bool = False
    reward: float = 0.0
    ends: Ends = Ends.NEVER
    launch: float = 0.0
    random_yaw: bool = True

    @property
    def is_heavy(self) -> bool:
        """Whether this is a wall or ramp: movable in principle, but hardly ever moved."""
        return self.mass >= HEAVY_KG

    @property
    def is_goal(self) -> bool:
        """Whether this is a ball that counts when the agent touches it."""
        return self.shape is Shape.BALL

    @property
    def is_good_goal(self) -> bool:
        """Whether touching it is rewarded; only these count for the last-goal rule."""
        return self.is_goal and self.reward > 0


_WALL: tuple[Vector, Vector] = ((0.1, 0.1, 0.1), (40.0, 10.0, 40.0))
_BLOCK: tuple[Vector, Vector] = ((0.5, 0.5, 0.5), (10.0, 10.0, 10.0))
_BARS: tuple[Vector, Vector] = ((1.0, 0.3, 3.0), (5.0, 2.0, 20.0))
_TUBE: tuple[Vector, Vector] = ((2.5, 2.5, 2.5), (10.0, 10.0, 10.0))
_BALL: tuple[Vector, Vector] = ((0.5, 0.5, 0.5), (5.0, 5.0, 5.0))
_ZONE: tuple[Vector, Vector] = ((1.0, 0.5, 1.0), (40.0, 10.0, 40.0))


def _goal(name: str, reward: float, ends: Ends, launch: float = 0.0) -> Kind:
    return Kind(
        name, Shape.BALL, Body.DYNAMIC, *_BALL, mass=1.0,
        reward=reward, ends=ends, launch=launch, random_yaw=launch > 0,
    )  # fmt: skip


# Unity gives walls a mass of 10000 and ramps 1000; a supported one does not move, so both are static.
_TABLE = (
    Kind("Wall", Shape.BOX, Body.DYNAMIC, *_WALL, mass=10000.0, colourable=True),
    Kind("WallTransparent", Shape.BOX, Body.DYNAMIC, *_WALL, mass=10000.0, transparent=True),
    Kind(
        "Ramp", Shape.PRISM, Body.DYNAMIC, (0.5, 0.1, 0.5), (40.0, 10.0, 40.0), mass=1000.0, colourable=True
    ),
    Kind("CylinderTunnel", Shape.TUBE, Body.STATIC, *_TUBE, colourable=True),
    Kind("CylinderTunnelTransparent", Shape.TUBE, Body.STATIC, *_TUBE, transparent=True),
    Kind("LightBlock", Shape.BOX, Body.DYNAMIC, *_BLOCK, mass=1.0, friction=LOW_FRICTION),
    Kind("HeavyBlock", Shape.BOX, Body.DYNAMIC, *_BLOCK, mass=2.0, friction=LOW_FRICTION),
    Kind("LBlock", Shape.L_BARS, Body.DYNAMIC, *_BARS, mass=1.5),
    Kind("JBlock", Shape.J_BARS, Body.DYNAMIC, *_BARS, mass=1.5),
    Kind("UBlock", Shape.U_BARS, Body.DYNAMIC, *_BARS, mass=1.5),
    _goal("GoodGoal", +1.0, Ends.ALWAYS),
    _goal("GoodGoalBounce", +1.0, Ends.ALWAYS, launch=10.0),
    _goal("GoodGoalMulti", +1.0, Ends.LAST),
    _goal("GoodGoalMultiBounce", +1.0, Ends.LAST, launch=10.0),
    _goal("BadGoal", -1.0, Ends.ALWAYS),
    _goal("BadGoalBounce", -1.0, Ends.ALWAYS, launch=10.0),
    Kind("DeathZone", Shape.BOX, Body.ZONE, *_ZONE, reward=-1.0, ends=Ends.ALWAYS),
    Kind("HotZone", Shape.BOX, Body.ZONE, *_ZONE),
)

KINDS: dict[str, Kind] = {kind.name: kind for kind in _TABLE}
"""Kind by its current name."""

ALIASES: dict[str, str] = {
    "Cardbox1": "LightBlock",
    "Cardbox2": "HeavyBlock",
    "LObject": "LBlock",
    "LObject2": "JBlock",
    "UObject": "UBlock",
}
"""Names that older files use, and the current name of each (`YAMLclasses.cs`)."""
