"""Properties of a kind of object, as in `arena/taskfile/kinds.yaml`."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, NamedTuple

from arena.scene import Vector

GRAVITY = 9.81
"""Acceleration of falling things, m/s^2."""

DEFAULT_FRICTION = 0.6
"""Static = dynamic friction of Unity's default physics material."""


class Shape(Enum):
    """The geometry of a kind; vertices and parts are in `arena/geometry/shapes.py`."""

    BOX = "box"
    PRISM = "prism"
    TUBE = "tube"
    BALL = "ball"
    TREE = "tree"
    """A box for the placement test. Only the trunk in its middle is solid."""
    HOUSE = "house"
    """A hollow box with a doorway on its -x side."""
    BUTTON = "button"
    """A box. In version 4 a pillar next to its place, with a plate on its +x side."""
    L_BARS = "l bars"
    J_BARS = "j bars"
    U_BARS = "u bars"
    MACHINE = "machine"
    """A low plate with a post behind its middle."""


class Body(Enum):
    """Physical behaviour of a kind."""

    STATIC = "static"
    DYNAMIC = "dynamic"
    ZONE = "zone"


class Ends(Enum):
    """Condition under which a touched goal or zone ends the episode."""

    NEVER = "never"
    ALWAYS = "always"
    LAST = "last"
    """Only the last of the arena's good goals ends it."""


class Change(Enum):
    """Change of a ball's value with time."""

    NONE = "none"
    DECAY = "decay"
    """The reward falls; the size is constant."""
    RIPEN = "ripen"
    """The reward rises; the size is constant."""
    FALL = "fall"
    """The reward falls or stays; the size is the initial value."""
    GROW = "grow"
    SHRINK = "shrink"


class Settings(NamedTuple):
    """Settings of a spawner. Seconds, metres, and the number of balls it gives (-1: no limit)."""

    interval_s: float
    ripening_s: float
    initial: float
    final: float
    most: int


class Spawner(NamedTuple):
    """Properties of a tree, dispenser or container.

    `defaults` hold for the settings of v3.1.3, which are `fixed` in version 4.3. `sizes` bound the balls'
    diameters (metres); they appear at `height` above the foot; the door opens after `door_delay_s`.
    """

    defaults: Settings
    fixed: Settings
    sizes: tuple[float, float]
    height: float = 0.0
    door_delay_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of object. Changes in version 4 are in `in_4`, and of these in version 4.1 in `in_41`.

    `words` name it by its appearance, for descriptions without pictures that must not say more than a
    picture; `meaning` is its sentence in the YAML reference. `minimum` and `maximum` bound the YAML size per
    component (metres); if they are equal, the YAML's size is ignored. `tag` is reported by rays, one of
    `arena.rays.TAGS`; a kind without a tag stops them too. `reward` multiplies a goal's diameter; that of a
    death zone is the reward itself. `launch` is the initial speed in m/s of a ball along its own forward
    direction. `colourable` kinds take the YAML colour; its default is random for `random_color` kinds.
    `random_yaw` False means that a missing rotation counts as 0. `stretch` is the built size over the YAML's.
    `tested` is the size (metres) of the box for which a free place is sought; None if it is its own.
    `place_diameter` is the diameter (metres) that gives a changing ball its height, before it gets its own
    size in the next tick; None if that is its own from the start. `based` kinds are placed by half their size
    too high, as their origin is at their base. `fitted` L, J and U blocks and buttons have the colliders of
    version 4. `corner_height` (metres) is the height at which a blocked one is left. `fields` are those of an
    item that only this kind uses. `older` are names in older files. `internal` kinds are parts of others and
    cannot be used in files; `new_in_4` ones do not exist before version 4, `laboratory` ones only in files
    that say so. A missing colour of a kind with a `palette` (sRGB in 0..1) is that of the instance's number.
    """

    name: str
    words: str
    meaning: str
    shape: Shape
    body: Body
    minimum: Vector
    maximum: Vector
    tag: str | None = None
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
    tested: Vector | None = None
    place_diameter: float | None = None
    based: bool = False
    fitted: bool = False
    corner_height: float = 0.0
    fields: tuple[str, ...] = ()
    spawner: Spawner | None = None
    older: tuple[str, ...] = ()
    internal: bool = False
    new_in_4: bool = False
    laboratory: bool = False
    palette: tuple[Vector, ...] = ()
    in_4: Mapping[str, Any] = field(default_factory=dict, compare=False)
    in_41: Mapping[str, Any] = field(default_factory=dict, compare=False)

    @property
    def is_heavy(self) -> bool:
        """True for a wall or ramp, which hardly ever moves."""
        # Walls have 10,000 kg and ramps 1,000; they hardly ever move.
        return self.mass >= 1000.0

    @property
    def is_loose(self) -> bool:
        """True if an agent pushes it easily. In v3.1.3 by 100 kg against 1 to 2 kg; False for balls."""
        return self.body is Body.DYNAMIC and not self.is_heavy and not self.is_goal

    @property
    def is_goal(self) -> bool:
        """True for a ball that counts when the agent touches it."""
        return self.shape is Shape.BALL

    @property
    def is_growing(self) -> bool:
        """True if the size changes with time."""
        return self.change in (Change.GROW, Change.SHRINK)

    @property
    def is_good_goal(self) -> bool:
        """True if touching it is rewarded. Only these count for the last-goal rule."""
        return self.is_goal and self.reward > 0
