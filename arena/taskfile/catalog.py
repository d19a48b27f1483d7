"""Every kind of object an arena can hold, as one table of facts.

Numbers are those of Animal-AI v3.1.3 (`Assets/Prefabs` of animal-ai-unity at revision 0739f7f; section 7
of the behaviour specification); what version 4 changed or added is marked in `arena/taskfile/versions.py`.
Behaviour that follows from them is in `world.py` (bodies), `rules.py` (rewards) and `mechanisms/` (what acts
by itself).
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
    """The geometry of a kind; vertices and parts are in `arena/geometry/shapes.py`."""

    BOX = "box"
    PRISM = "prism"
    TUBE = "tube"
    BALL = "ball"
    TREE = "tree"
    """A box for the placement test; only the trunk in its middle is solid."""
    HOUSE = "house"
    """A hollow box with a doorway in its -x side."""
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


class Change(Enum):
    """How a ball's worth changes while it is left alone."""

    NONE = "none"
    DECAY = "decay"
    """The reward falls; the size stays."""
    RIPEN = "ripen"
    """The reward rises; the size stays."""
    GROW = "grow"
    SHRINK = "shrink"


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of object.

    `minimum` and `maximum` bound the YAML size per component (metres); where they are equal the YAML's size
    is ignored. `reward` multiplies a goal's diameter; a death zone's is the reward itself. `launch` is the
    speed in m/s that a ball has along its own forward direction at the start. `colourable` kinds take the
    YAML colour; where none is given it is random for `random_color` kinds. `random_yaw` False means that a
    missing rotation counts as 0. `stretch` is the built size over the YAML's. `based` kinds are placed by
    half their size too high, as their origin is at their base. `fitted` L, J and U blocks have the colliders
    of version 4. `internal` kinds are parts of others and cannot be asked for.
    """

    name: str
    shape: Shape
    body: Body
    minimum: Vector
    maximum: Vector
    mass: float = 0.0
    friction: float = DEFAULT_FRICTION
    colourable: bool = False
    random_color: bool = False
    transparent: bool = False
    reward: float = 0.0
    ends: Ends = Ends.NEVER
    launch: float = 0.0
    random_yaw: bool = True
    change: Change = Change.NONE
    stretch: Vector = (1.0, 1.0, 1.0)
    based: bool = False
    fitted: bool = False
    internal: bool = False

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
_GROWING: tuple[Vector, Vector] = ((0.0, 0.0, 0.0), (8.0, 8.0, 8.0))
_ZONE: tuple[Vector, Vector] = ((1.0, 0.5, 1.0), (40.0, 10.0, 40.0))
_DATA_ZONE: tuple[Vector, Vector] = ((1.0, 0.5, 1.0), (30.0, 10.0, 30.0))
_HOLLOW: tuple[Vector, Vector] = ((0.5, 0.5, 0.5), (5.0, 5.0, 5.0))
_BOARD: tuple[Vector, Vector] = ((0.1, 0.1, 0.1), (10.0, 10.0, 10.0))
_DOOR: tuple[Vector, Vector] = ((0.0, 0.0, 0.0), (0.1, 1.15, 1.0))


def _goal(name: str, reward: float, ends: Ends, launch: float = 0.0, change: Change = Change.NONE) -> Kind:
    bounds = _GROWING if change is not Change.NONE else _BALL
    return Kind(
        name, Shape.BALL, Body.DYNAMIC, *bounds, mass=1.0,
        reward=reward, ends=ends, launch=launch, random_yaw=launch > 0, change=change,
    )  # fmt: skip


def _fixed(name: str, shape: Shape, size: Vector, colourable: bool = False) -> Kind:
    return Kind(name, shape, Body.STATIC, size, size, colourable=colourable, random_color=colourable)


# A wall or ramp that stands firmly sleeps (`arena/physics/sleeping_bodies.py`).
_TABLE = (
    Kind("Wall", Shape.BOX, Body.DYNAMIC, *_WALL, mass=10000.0, colourable=True, random_color=True),
    Kind("WallTransparent", Shape.BOX, Body.DYNAMIC, *_WALL, mass=10000.0, transparent=True),
    Kind("Ramp", Shape.PRISM, Body.DYNAMIC, (0.5, 0.1, 0.5), (40.0, 10.0, 40.0), mass=1000.0,
         colourable=True, random_color=True),
    Kind("CylinderTunnel", Shape.TUBE, Body.STATIC, *_TUBE, colourable=True, random_color=True),
    Kind("CylinderTunnelTransparent", Shape.TUBE, Body.STATIC, *_TUBE, transparent=True),
    Kind("LightBlock", Shape.BOX, Body.DYNAMIC, *_BLOCK, mass=1.0, friction=LOW_FRICTION),
    Kind("HeavyBlock", Shape.BOX, Body.DYNAMIC, *_BLOCK, mass=2.0, friction=LOW_FRICTION),
    Kind("LBlock", Shape.L_BARS, Body.DYNAMIC, *_BARS, mass=1.5),
    Kind("JBlock", Shape.J_BARS, Body.DYNAMIC, *_BARS, mass=1.5),
    Kind("UBlock", Shape.U_BARS, Body.DYNAMIC, *_BARS, mass=1.5),
    Kind("HollowBox", Shape.BOX, Body.DYNAMIC, *_HOLLOW, mass=500.0, stretch=(1.05, 0.86, 1.02), based=True),
    _goal("GoodGoal", +1.0, Ends.ALWAYS),
    _goal("GoodGoalBounce", +1.0, Ends.ALWAYS, launch=10.0),
    _goal("GoodGoalMulti", +1.0, Ends.LAST),
    _goal("GoodGoalMultiBounce", +1.0, Ends.LAST, launch=10.0),
    _goal("BadGoal", -1.0, Ends.ALWAYS),
    _goal("BadGoalBounce", -1.0, Ends.ALWAYS, launch=10.0),
    _goal("BadGoalMulti", -1.0, Ends.NEVER),
    _goal("DecoyGoal", 0.0, Ends.ALWAYS),
    _goal("DecoyGoalBounce", 0.0, Ends.ALWAYS, launch=10.0),
    _goal("DecoyGoalMulti", 0.0, Ends.NEVER),
    _goal("DecayGoal", +1.0, Ends.LAST, change=Change.DECAY),
    _goal("RipenGoal", +1.0, Ends.LAST, change=Change.RIPEN),
    _goal("GrowGoal", +1.0, Ends.LAST, change=Change.GROW),
    _goal("ShrinkGoal", +1.0, Ends.LAST, change=Change.SHRINK),
    Kind("DeathZone", Shape.BOX, Body.ZONE, *_ZONE, reward=-1.0, ends=Ends.ALWAYS),
    Kind("HotZone", Shape.BOX, Body.ZONE, *_ZONE),
    Kind("DataZone", Shape.BOX, Body.ZONE, *_DATA_ZONE),
    _fixed("SpawnerTree", Shape.TREE, (3.0, 5.3, 3.0)),
    _fixed("SpawnerDispenserTall", Shape.HOUSE, (1.67, 4.46, 1.67), colourable=True),
    _fixed("SpawnerContainerShort", Shape.HOUSE, (1.67, 1.67, 1.67), colourable=True),
    _fixed("SpawnerButton", Shape.BOX, (0.4, 1.6, 0.4)),
    Kind("SignBoard", Shape.BOX, Body.STATIC, *_BOARD, stretch=(0.1, 2.0, 3.0)),
    Kind("Door", Shape.BOX, Body.STATIC, *_DOOR, internal=True),
)  # fmt: skip

KINDS: dict[str, Kind] = {kind.name: kind for kind in _TABLE}
"""Every kind by its current name, as it is in v3.1.3 or in the version that brought it."""

ALIASES: dict[str, str] = {
    "Cardbox1": "LightBlock",
    "Cardbox2": "HeavyBlock",
    "LObject": "LBlock",
    "LObject2": "JBlock",
    "UObject": "UBlock",
    "AntiDecayGoal": "RipenGoal",
    "SpawnerDispenser": "SpawnerDispenserTall",
    "SpawnerContainer": "SpawnerContainerShort",
    "SignPosterboard": "SignBoard",
    "Pillar-Button": "SpawnerButton",
}
"""Names that older files use, and the current name of each (`YAMLclasses.cs`)."""
